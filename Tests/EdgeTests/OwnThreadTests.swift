// SPDX-License-Identifier: Apache-2.0
// The error that a caller gets when this machine cannot create another thread.

import Linux
import Testing
import Vocabulary

struct OwnThreadTests {
  private final class Burden: Sendable {}

  @Test func `a thread that cannot be created is an error, and releases its captures`() throws {
    FaultPlan.set(.init("pthread_create", on: "no-such-thread", code: 11), for: "no-such-thread")
    defer { FaultPlan.set(nil, for: "no-such-thread") }
    var burden: Burden? = Burden()
    weak let watched = burden
    let error = #expect(throws: SystemError.self) {
      try OwnThread.start("no-such-thread") { [burden] in withExtendedLifetime(burden) {} }
    }
    #expect(error == SystemError(code: 11, call: "pthread_create", thing: "no-such-thread"))
    burden = nil
    #expect(watched == nil)
  }
}
