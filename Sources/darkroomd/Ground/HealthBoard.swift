// SPDX-License-Identifier: Apache-2.0
// Takes the troubles of all parts, reports each change once, and updates the status line that
// `systemctl status` shows. Raises nothing.
// Concurrency model: one Mutex around the state; notices are reported with it released. The task in `run`
// alone writes the status line, so the newest line comes last.

import Accept
import Cluster
import Linux
import Record
import Report
import Synchronization
import Vocabulary
import Worker

final class HealthBoard: Sendable {
  private struct State {
    var health = Health()
    /// The layers of the workers' sandbox, from a worker's first answer.
    var layers: SandboxLayers?
    /// The lists whose lost results were reported.
    var lostResults: Set<ListID> = []
    var leftHooks = LeftHooks()
  }

  private let state = Mutex(State())
  private let reporter: Reporter
  private let inbox: String
  /// Rings at every change that the status line can show.
  private let changes: ChangeSignal

  init(_ reporter: Reporter, inbox: String, changes: ChangeSignal) {
    self.reporter = reporter
    self.inbox = inbox
    self.changes = changes
  }

  var health: Health { state.withLock { $0.health } }

  func set(_ failure: Failure?, for subject: Health.Subject) {
    let notice = state.withLock { $0.health.set(failure, for: subject, inbox: inbox) }
    if let notice { reporter.report(notice) }
    changes.changed()
  }

  /// Work that was held goes on.
  /// - Parameters:
  ///   - isProven: false if no photo has shown that prints can be written. A node that has given its photos back then takes
  ///     none before it has written something where the prints belong.
  ///   - isNode: the place of the prints is shared.
  func worked(isProven: Bool, isNode: Bool) {
    if isProven || !isNode { return set(nil, for: .work) }
    state.withLock { $0.health.move(.work, to: .blobs) }
    changes.changed()
  }

  /// - Parameter isClosed: a file in the inbox is not seen, or cannot become a list.
  func setInbox(_ failure: Failure?, isClosed: Bool) {
    state.withLock { $0.health.isInboxClosed = isClosed }
    set(failure, for: .inbox)
  }

  func forget(_ list: ListID) { forget([.list(list), .copy(list)]) }
  func forget(_ list: LedgerList) { forget([.share(list)]) }
  /// The trouble may last, and concerns nothing now.
  func forgetShares() { forget([.shares]) }

  private func forget(_ subjects: [Health.Subject]) {
    if state.withLock({ $0.health.forget(subjects) }) { changes.changed() }
  }

  /// Reports the inbox's file system; `shortcoming` is its weakness, if any.
  func surveyed(_ words: String, shortcoming: String?) {
    state.withLock { $0.health.shortcoming = shortcoming }
    reporter.report(.inboxSurveyed(inbox: inbox, words: words))
  }

  /// A hook or a webhook of the list was not ordered.
  func leaveHook(of list: ListID, _ failure: Failure) {
    state.withLock { $0.leftHooks.note(failure, of: list) }
  }

  func leftHook(of list: ListID) -> Failure? { state.withLock { $0.leftHooks[list] } }

  func report(_ notice: Notice) { reporter.report(notice) }

  /// Reports trouble that is over with this report.
  func report(_ failure: Failure, waits: String) {
    reporter.report(.machineTrouble(failure, waits: waits))
  }

  /// Reports that the list's copy is in `done` but its results cannot be made.
  func noResults(of list: ListID, _ failure: Failure) {
    report(failure, waits: "list \(list) has no results in done")
  }

  /// Reports, once for each list, that results are missing from its file or damaged. Trouble of the disk may pass.
  func lostResults(of list: ListID, _ failure: Failure) {
    guard failure.kind == .final else { return }
    let isNew = state.withLock { $0.lostResults.insert(list).inserted }
    if isNew { reporter.report(.resultsLost(list, failure)) }
  }

  /// Reports that the folder had prints and was made again.
  func lostPrints(of list: ListID, _ prints: UInt32, in folder: String) {
    reporter.report(.printsLost(list, prints, of: folder))
  }

  /// The caller rings.
  func note(_ files: InboxCounts) { state.withLock { $0.health.files = files } }

  // MARK: the sandbox

  var sandbox: String {
    state.withLock { $0.layers?.description } ?? "no worker has started yet"
  }

  func note(_ notice: WorkerNotice) {
    // Other notices of workers are reported with the photo or the list.
    guard case .sandbox(let layers) = notice else { return }
    state.withLock { $0.layers = layers }
    let missing = SandboxLayers.all.subtracting(layers)
    if missing.isEmpty { return }
    reporter.report(
      .sandboxReduced(protection: missing.description, reason: "this kernel does not offer it"))
  }

  // MARK: the status line

  /// Writes the line until it is cancelled, at most once a second.
  func run(
    _ status: ServiceStatus, _ recorder: Recorder, _ index: ListIndex, on clock: any Timekeeper
  ) async {
    while !Task.isCancelled {
      let (seen, shares) = (changes.version, index.shares.keys)
      let (open, isNew) = recorder.ledger {
        ($0.open(besides: shares), $0.nextList == ListID(1))
      }
      // Every user of the machine can ask the service manager for it.
      let line = health.statusLine(open.others, leased: open.these, isNew: isNew) { audience in
        switch audience {
        case .everyone: true
        case .readers(let list): index[list]?.terms.isPrivate == false
        case .user, .administrator: false
        }
      }
      status.set(line)
      await changes.change(after: seen)
      await clock.rest(.seconds(1))
    }
  }
}
