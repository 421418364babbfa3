// SPDX-License-Identifier: Apache-2.0
// The transfers under way and libcurl's handles. Made and used on the loop's thread alone.

import CCurl
import Linux
import Vocabulary

final class TransferEngine {
  private var terms: TransferTerms
  private var queue: TransferQueue<PhotoURL.Origin>
  private var multi: MultiHandle?
  private var transfers: [UInt64: ActiveTransfer] = [:]
  /// Settled for `terms`, and free: making one costs as much as a small transfer.
  private var spare: [EasyHandle] = []
  /// There may be something for libcurl to do.
  private var isDue = false
  private let finished: (UInt64) -> Void

  init(_ settings: TransferSettings, finished: @escaping (UInt64) -> Void) {
    terms = TransferTerms(settings)
    self.finished = finished
    queue = TransferQueue(total: settings.connections, perHost: settings.connectionsPerHost)
  }

  var isIdle: Bool { transfers.isEmpty }
  /// Whatever comes has to wait until something ends.
  var isFull: Bool { queue.isFull }
  var keepsConnections: Bool { multi != nil }

  func start(_ job: TransferJob) {
    transfers[job.ticket] = ActiveTransfer(job, terms)
    queue.add(job.ticket, host: job.url.origin, job.request.priority)
  }

  func cancel(_ ticket: UInt64) {
    guard let transfer = transfers[ticket] else { return }
    finish(transfer, .failure(.cancelled))
  }

  func change(_ ticket: UInt64, to priority: ServiceClass) {
    guard let transfer = transfers[ticket] else { return }
    transfer.priority = priority
    queue.change(ticket, to: priority)
  }

  func cancelAll() { for ticket in Array(transfers.keys) { cancel(ticket) } }

  func change(_ new: TransferSettings) {
    terms = TransferTerms(new)
    spare = []
    queue.limit(total: new.connections, perHost: new.connectionsPerHost)
    multi?.limit(new)
  }

  /// What can be done without waiting; whether anything ended, so that there is room for more. libcurl
  /// looks at each of its transfers each time that it is called: it is called only where there is
  /// something new.
  func turn() -> Bool {
    if admit() || isDue { multi?.work() }
    isDue = false
    return collect()
  }

  /// Whether `wake` has rung, or may have.
  func wait(_ wake: WakeEvent) -> Bool {
    if let news = multi?.wait(wake) {
      isDue = news.isDue
      return news.isRung
    }
    isDue = true
    // Out of memory or descriptors: go on by the clock rather than spin.
    _ = try? Poll.wait([Poll.Watch(wake.descriptor)], for: .milliseconds(100))
    return true
  }

  func closeConnections() {
    guard isIdle else { return }
    spare = []
    multi = nil
  }

  /// Whether anything new was given to libcurl.
  private func admit() -> Bool {
    var isChanged = false
    while let ticket = queue.next() {
      guard let transfer = transfers[ticket] else {
        queue.remove(ticket)
        continue
      }
      do throws(Failure) {
        guard let handle = handle(), let multi = ready() else { throw TransferEnding.resources }
        try transfer.prepare(handle, terms)
        guard multi.add(handle) else { throw TransferEnding.resources }
        transfer.isAsking = true
        isChanged = true
      } catch {
        finish(transfer, .failure(error))
      }
    }
    return isChanged
  }

  private func handle() -> EasyHandle? {
    if let handle = spare.popLast() { return handle }
    let handle = EasyHandle()
    handle?.settle(terms.settings)
    return handle
  }

  private func ready() -> MultiHandle? {
    if multi == nil {
      multi = MultiHandle()
      multi?.limit(terms.settings)
    }
    return multi
  }

  /// Ends what is over; whether there was anything.
  private func collect() -> Bool {
    var isChanged = false
    while let (transfer, result) = multi?.nextDone() {
      isChanged = true
      conclude(transfer, transfer.ending(result))
    }
    return isChanged
  }

  private func conclude(_ transfer: ActiveTransfer, _ ending: TransferEnding) {
    let request = transfer.job.request
    switch ending.outcome(timeout: request.timeout, connectTimeout: request.connectTimeout) {
    case .whole(let reply): finish(transfer, .success(reply))
    case .failed(let failure): finish(transfer, .failure(failure))
    case .elsewhere(let place):
      letGo(transfer)
      do throws(Failure) {
        try transfer.redirect(to: place)
        goOn(transfer)
      } catch {
        finish(transfer, .failure(error))
      }
    case .again:
      letGo(transfer)
      transfer.startOver()
      goOn(transfer)
    }
  }

  private func goOn(_ transfer: ActiveTransfer) {
    queue.add(
      transfer.job.ticket, host: transfer.url.origin, transfer.priority, isFirst: true)
  }

  /// From here on libcurl calls nothing of this transfer any more, and its file is the caller's.
  private func letGo(_ transfer: ActiveTransfer) {
    queue.remove(transfer.job.ticket)
    guard let handle = transfer.handle, transfer.isAsking else { return }
    transfer.isAsking = false
    multi?.remove(handle)
    if transfer.terms === terms, spare.count < terms.settings.connections { spare.append(handle) }
  }

  private func finish(_ transfer: ActiveTransfer, _ result: Result<TransferReply, Failure>) {
    letGo(transfer)
    transfers[transfer.job.ticket] = nil
    finished(transfer.job.ticket)
    transfer.job.whenOver(result)
  }
}
