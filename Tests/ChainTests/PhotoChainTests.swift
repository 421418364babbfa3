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
    let holds: UInt = 0

    func arrived(_ photo: PhotoID) {}
    func settle(
      _ work: PhotoWork<String>, _ stage: Stage, _ failure: Failure, hold: UInt
    ) async -> PhotoEnd { .failed }
    func ended(_ photo: PhotoID, _ end: PhotoEnd) { ends.withLock { $0.append(end) } }
    func released(_ photo: PhotoID) { released.add() }
  }

  @Test func `the output begins when the filter has ended, not before`() async {
    let gate = Gate()
    let stages = ScriptedStages(
      books: NotedRecord(), onDownload: { _ throws(Failure) in },
      onFilter: { _ throws(Failure) in try await gate.pass() },
      onOutput: { _ throws(Failure) in })
    let photo = PhotoID(list: ListID(1), number: 1)
    let work = PhotoWork(
      photo: photo, order: "order \(photo)", state: .new, serviceClass: .default, attempt: 1,
      admitted: .zero)
    let (owner, queues) = (Owner(), StageQueues(.init(download: 1, filter: 1, output: 1)))
    let chain = PhotoChain(work, owner: owner)
    chain.begin(stages, on: queues)
    await gate.arrivals.reaches(1)
    #expect(queues.depth(of: .output) == 1 && stages.prints.count == 0)
    gate.open()
    await owner.released.reaches(1)
    #expect(owner.ends.withLock { $0 } == [.filtered] && stages.prints.count == 1)
  }
}
