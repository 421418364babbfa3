// SPDX-License-Identifier: Apache-2.0
// The chain of one photo, with an owner that only notes its end.

import Support
import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct PhotoChainTests {
  private final class Owner: ChainOwner {
    typealias Order = String

    let ends = Mutex<[PhotoEnd]>([])
    let released = Tally()
    let hasPlace = Mutex(false)
    let left = Tally()
    let holds: UInt = 0

    func arrived(_ photo: PhotoID, from server: String?) {}
    func awaitPlace(_ chain: PhotoChain<String>) {
      hasPlace.withLock { $0 = true }
      chain.beginFilter()
    }
    func leavePlace(_ chain: PhotoChain<String>) {
      hasPlace.withLock { $0 = false }
      left.add()
    }
    func settle(
      _ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure, hold: UInt
    ) async -> PhotoEnd { .failed }
    func ended(_ photo: PhotoID, _ end: PhotoEnd) { ends.withLock { $0.append(end) } }
    func released(_ photo: PhotoID) { released.add() }
  }

  private func work() -> PhotoWork<String> {
    let photo = PhotoID(list: ListID(1), number: 1)
    return PhotoWork(
      photo: photo, order: "order \(photo)", state: .new, serviceClass: .default, attempt: 1,
      admitted: .zero)
  }

  @Test func `a filter that ended before its download keeps no place`() async {
    let gate = Gate()
    let stages = ScriptedStages(
      books: .ofOnePhoto, onDownload: { _ throws(Failure) in try await gate.pass() },
      onFilter: { _ throws(Failure) in }, onOutput: { _ throws(Failure) in })
    let (owner, queues) = (Owner(), StageQueues(.init(download: 1, filter: 1, output: 1)))
    let chain = PhotoChain(work(), owner: owner)
    chain.begin(stages, on: queues)
    await gate.arrivals.reaches(1)
    chain.giveWay()
    await owner.left.reaches(1)
    gate.open()
    await owner.released.reaches(1)
    #expect(owner.left.count == 2 && !owner.hasPlace.withLock { $0 })
    #expect(stages.prints.count == 0)
  }

  @Test func `the output begins when the filter has ended, not before`() async {
    let gate = Gate()
    let stages = ScriptedStages(
      books: .ofOnePhoto, onDownload: { _ throws(Failure) in },
      onFilter: { _ throws(Failure) in try await gate.pass() },
      onOutput: { _ throws(Failure) in })
    let (owner, queues) = (Owner(), StageQueues(.init(download: 1, filter: 1, output: 1)))
    let chain = PhotoChain(work(), owner: owner)
    chain.begin(stages, on: queues)
    await gate.arrivals.reaches(1)
    #expect(queues.depth(of: .output) == 1 && stages.prints.count == 0)
    gate.open()
    await owner.released.reaches(1)
    #expect(owner.ends.withLock { $0 } == [.filtered] && stages.prints.count == 1)
  }
}
