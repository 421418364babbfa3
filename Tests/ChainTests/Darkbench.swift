// SPDX-License-Identifier: Apache-2.0
// A runner over noted books with stages that a test scripts.

import Chain
import Support
import Synchronization
import Vocabulary

final class Darkbench: Sendable {
  typealias Step = @Sendable (PhotoWork) async throws(Failure) -> Void

  let books = NotedBooks()
  let time = SimulatedClock(uptime: .seconds(1000))
  let finishedLists = Tally()
  let troubles = Tally()
  let recoveries = Tally()
  let downloads = Tally()
  let recalls = Tally()
  let filters = Tally()
  let prints = Tally()
  let discards = Tally()
  let hostNews = HostNewsBoard()
  let runner: ChainRunner<String, String>

  init(
    widths: StageQueues.Widths = .init(download: 4, filter: 2, output: 4),
    policy: RetryPolicy = RetryPolicy(), hosts: HostLimits = HostLimits(),
    download: @escaping Step = { _ throws(Failure) in },
    filter: @escaping Step = { _ throws(Failure) in },
    output: @escaping Step = { _ throws(Failure) in }
  ) {
    let (books, downloads, recalls) = (books, downloads, recalls)
    let (filters, prints, discards) = (filters, prints, discards)
    let (finishedLists, troubles, recoveries) = (finishedLists, troubles, recoveries)
    let hostNews = hostNews
    runner = ChainRunner(
      Stages(
        download: { work, _ throws(Failure) in
          downloads.add()
          try await download(work)
          books.set(work.photo, .downloaded)
          return "original \(work.photo)"
        },
        recall: { work throws(Failure) in
          recalls.add()
          return "original \(work.photo)"
        },
        filter: { work, original throws(Failure) in
          filters.add()
          try await filter(work)
          return "print of \(original)"
        },
        output: { work, negative throws(Failure) in
          precondition(negative == "print of original \(work.photo)", "results pass as values")
          try await output(work)
          books.set(work.photo, .filtered)
          prints.add()
        },
        discard: { _ in discards.add() }),
      widths: widths, books: books, time: time, policy: policy,
      hosts: hosts
    ) { event in
      switch event {
      case .finished: finishedLists.add()
      case .trouble: troubles.add()
      case .recovered: recoveries.add()
      case .host(let host): hostNews.note(host)
      }
    }
  }

  func add(_ list: UInt64, photos: UInt32, _ serviceClass: ServiceClass = .default) {
    books.addList(ListID(list), photos: photos)
    runner.add(ListID(list), Lineup(serviceClass))
  }

  /// Returns when nothing of the list runs.
  func cancel(_ list: ListID) async {
    runner.giveUp(list)
    await runner.idle(list)
  }
}

/// What was told of servers, in order.
final class HostNewsBoard: Sendable {
  private let all = Mutex<[Admission.HostNews]>([])
  let told = Tally()

  func note(_ news: Admission.HostNews) {
    all.withLock { $0.append(news) }
    told.add()
  }

  var news: [Admission.HostNews] { all.withLock { $0 } }
}
