// SPDX-License-Identifier: Apache-2.0
// Calls of a user while the inbox holds more files of others than a report shows.

import Accept
import Steer
import Support
import Testing

@testable import darkroomd

@Suite struct CrowdedInboxTests {
  private func failure(_ bench: PeopleBench, _ name: String) async -> ControlError? {
    let call = ShowOrder(list: ListReference(name))
    let caller = ReplyStream { _ in true }
    let reply = await bench.calls.stream(call, from: .stranger, to: caller)
    return if case .failed(let error) = reply { error } else { nil }
  }

  @Test func `a stream does not wait for the files of others, however many wait`() async throws {
    try await PeopleBench.use { bench in
      for number in 1...1001 { try bench.drop("crowd\(number).plist", []) }
      #expect(await bench.inbox.look().waitingCount == 1001)
      #expect(await failure(bench, "barn") == .noSuchList(name: "barn"))
      try bench.drop("barn.doc")
      let why = "'barn.doc' in the inbox is ignored: \(IgnoredReason.suffix)"
      #expect(await failure(bench, "barn.doc") == .notPossible(why: why))
    }
  }
}
