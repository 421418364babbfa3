// SPDX-License-Identifier: Apache-2.0
// The error that ends a start.

import Testing
import Vocabulary

@testable import darkroomd

@Suite struct StartFailureTests {
  private func failing(_ name: SystemError.Name) throws(StartFailure) -> Int {
    try StartFailure.unless("the clock") { () throws(SystemError) in
      throw SystemError(name, call: "timerfd_create", thing: "a timer")
    }
  }

  @Test func `a part that can be made is returned`() throws {
    #expect(try StartFailure.unless("the clock") { () throws(SystemError) in 7 } == 7)
  }

  @Test func `a part that cannot be made ends the start with the words of the kernel`() {
    let failure = #expect(throws: StartFailure.self) { try failing(.filesOpen) }
    #expect(failure?.code == ExitCode.io && failure?.trouble == nil)
    #expect(failure?.words.hasPrefix("could not start the clock: timerfd_create a timer: ") == true)
  }

  @Test(arguments: [SystemError.Name.noSpace, .overQuota])
  func `only a full disk may pass`(name: SystemError.Name) {
    let failure = #expect(throws: StartFailure.self) { try failing(name) }
    #expect(failure?.trouble == "disk.full")
  }
}
