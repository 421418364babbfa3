// SPDX-License-Identifier: Apache-2.0
// A runner with stages that a test scripts, over a record in memory.

import Chain
import Support
import Synchronization
import Vocabulary

final class Darkbench: Sendable {
  typealias Step = @Sendable (PhotoWork<String>) async throws(Failure) -> Void

  let books = NotedRecord()
  let time: SimulatedClock
  let finishedLists = Tally()
  let troubles = Tally()
  let recoveries = Tally()
  let proxyTroubles = Tally()
  let proxyRecoveries = Tally()
  let unreadable = Tally()
  let listEvents = Mutex<[ChainEvent]>([])
  let listTroubles = Tally()
  let listRecoveries = Tally()
  let hostNews = HostNewsBoard()
  let stages: ScriptedStages
  let runner: ChainRunner<ScriptedStages>

  init(
    widths: StageQueues.Widths = .init(download: 4, filter: 2, output: 4),
    policy: RetryPolicy = RetryPolicy(), hosts: HostLimits = HostLimits(),
    time: SimulatedClock = SimulatedClock(uptime: .seconds(1000)),
    download: @escaping Step = { _ throws(Failure) in },
    filter: @escaping Step = { _ throws(Failure) in },
    output: @escaping Step = { _ throws(Failure) in }
  ) {
    self.time = time
    stages = ScriptedStages(
      books: books, onDownload: download, onFilter: filter, onOutput: output)
    runner = ChainRunner(
      stages, widths: widths, record: books, time: time, policy: policy, hosts: hosts)
    Task { await runner.run { take($0) } }
  }

  var downloads: Tally { stages.downloads }
  var recalls: Tally { stages.recalls }
  var filters: Tally { stages.filters }
  var prints: Tally { stages.prints }
  var discards: Tally { stages.discards }

  private func take(_ event: ChainEvent) {
    switch event {
    case .done(let list):
      books.notes.withLock { $0.finished.append(list) }
      try? books.record([.finished(list)])
      runner.giveUp(list)
      finishedLists.add()
    case .troubled: troubles.add()
    case .recovered(_): recoveries.add()
    case .proxyTroubled: proxyTroubles.add()
    case .proxyRecovered: proxyRecoveries.add()
    case .listTroubled:
      listEvents.withLock { $0.append(event) }
      listTroubles.add()
    case .listRecovered:
      listEvents.withLock { $0.append(event) }
      listRecoveries.add()
    case .unreadable: unreadable.add()
    case .seatsWanted: break
    case .host(let host): hostNews.note(host)
    }
  }

  func add(
    _ list: UInt64, photos: UInt32, _ serviceClass: ServiceClass = .default, of owner: UInt32 = 0
  ) {
    books.addList(ListID(list), photos: photos)
    runner.add(ListID(list), ListLines(serviceClass, owner: owner))
  }

  /// Cancels the list; returns when none of its steps runs.
  func cancel(_ list: ListID) async {
    try? books.record([.cancelled(list)])
    runner.giveUp(list)
    await runner.idle(list)
  }
}

/// Stages of strings: each counts its calls, runs the test's step, and notes the state to be
/// recorded.
struct ScriptedStages: Stages {
  let books: NotedRecord
  let onDownload: Darkbench.Step
  let onFilter: Darkbench.Step
  let onOutput: Darkbench.Step
  let downloads = Tally()
  let recalls = Tally()
  let filters = Tally()
  let prints = Tally()
  let discards = Tally()
  /// The transfers, as a test describes them.
  let running = TransferBoard()

  func download(
    _ work: PhotoWork<String>, arrived: @Sendable (String?) -> Void
  ) async throws(Failure) -> String {
    precondition(work.order == "order \(work.photo)", "the order travels with its photo")
    downloads.add()
    let (host, server) = books.notes.withLock { ($0.hosts[work.photo], $0.servers[work.photo]) }
    do throws(Failure) { try await onDownload(work) } catch {
      throw host.map { error.at($0) } ?? error
    }
    if let server { arrived(server) }
    try books.record([.downloaded(work.photo, Contents(size: 1, hash: 1))])
    return "original \(work.photo)"
  }

  func recall(_ work: PhotoWork<String>) async throws(Failure) -> String {
    recalls.add()
    return "original \(work.photo)"
  }

  func filter(_ work: PhotoWork<String>, _ original: String) async throws(Failure) -> String {
    filters.add()
    try await onFilter(work)
    return "print of \(original)"
  }

  func output(_ work: PhotoWork<String>, _ negative: String) async throws(Failure) {
    precondition(negative == "print of original \(work.photo)", "results pass as values")
    try await onOutput(work)
    try books.record([.filtered(work.photo, Contents(size: 1, hash: 1))])
    prints.add()
  }

  func discard(_ negative: String) { discards.add() }

  func transfers() -> [PhotoID: TransferStanding] { running.withLock { $0 } }
}

final class TransferBoard: Sendable {
  private let all = Mutex<[PhotoID: TransferStanding]>([:])

  func withLock<R>(_ act: (inout [PhotoID: TransferStanding]) -> R) -> R {
    all.withLock { act(&$0) }
  }
}

/// The news of hosts, in order.
final class HostNewsBoard: Sendable {
  private let all = Mutex<[Admission.HostNews]>([])
  let told = Tally()

  func note(_ news: Admission.HostNews) {
    all.withLock { $0.append(news) }
    told.add()
  }

  var news: [Admission.HostNews] { all.withLock { $0 } }
}
