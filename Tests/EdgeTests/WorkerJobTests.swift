// SPDX-License-Identifier: Apache-2.0
// A worker's answer is compared with the facts; the facts may be unreadable.

import Support
import Testing
import Vocabulary

@testable import Worker

struct WorkerJobTests {
  private let cut = Cut()

  private func judge(_ answer: WorkerAnswer.Body) -> Result<WorkerFacts, Failure>? {
    WorkerJob(
      body: .develop(WorkerBench.order(pixels: 6), thumbnail: 0), owner: 1, input: MemoryFile(),
      output: CutFile(MemoryFile("print"), cut, "print")
    ).judge(answer)
  }

  private static func developed(width: UInt32 = 2, size: UInt64 = 5) -> Developed {
    Developed(format: .png, width: width, height: 3, size: size)
  }

  @Test func `an answer counts if the print has the size that it names`() {
    #expect(judge(.developed(Self.developed())) == .success(.developed(Self.developed())))
    #expect(judge(.developed(Self.developed(size: 6))) == nil)
    #expect(judge(.developed(Self.developed(width: 3))) == nil)
    #expect(judge(.listRead) == nil)
  }

  @Test func `a print whose size cannot be read is trouble of this machine, not a wrong answer`() {
    cut.set(.fault, at: 1)
    guard case .failure(let failure) = judge(.developed(Self.developed())) else {
      Issue.record("the answer counts, or is called impossible")
      return
    }
    #expect(failure.kind == .machine)
    #expect(failure.reason.contains("print"))
  }
}
