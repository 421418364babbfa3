// SPDX-License-Identifier: Apache-2.0
// `darkroomctl focus`: photos go first, a running transfer makes room and continues later, and no byte is
// downloaded twice. The origin's log is the witness.

import Foundation
import Support
import Testing

@Suite struct FocusTests {
  @Test func `photos in the focus go first, and what makes room continues where it stopped`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTwelve()
      let end = try await bench.tool(
        "--json", "focus", "summer", "11-12", "Photo 10", "11", "--for", "1h")
      #expect(end.code == 0 && end.output.contains("\"photos\":3,\"left\":3"), "\(end)")
      for number in 10...12 { try await daemon.says("Filtered 'Photo \(number)'") }
      let first = bench.journal.filter { $0.kind == "filtered" }.prefix(3)
      #expect(Set(first.map(\.photo)) == [10, 11, 12])
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      #expect(try await bench.show("summer").filtered == 12)
      let requests = bench.origin.requests()
      for number in 1...12 {
        let own = requests.filter { $0.hasPrefix("GET /\(number).jpg") }
        #expect(own.count == (number <= 2 ? 2 : 1), "\(own)")
        // The first request may end, and be logged, after the second.
        let rest = own.filter { $0.contains("range=bytes=100-") }
        #expect(rest.count == (number <= 2 ? 1 : 0), "\(own)")
      }
    }
  }

  @Test func `photos that are looked at no more make room, though they were in the focus`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTwelve()
      #expect(try await bench.tool("focus", "summer", "1-4").code == 0)
      #expect(try await bench.tool("focus", "summer", "11-12").code == 0)
      for number in 11...12 { try await daemon.says("Filtered 'Photo \(number)'") }
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      try await bench.stop(daemon)
    }
  }

  @Test func `a focus is refused for unknown photos, and for a list that is over`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTwelve()
      let refusals: [(String, String)] = [
        ("Nemo", "the list has no photo 'Nemo'"),
        ("13", "the list has 12 photos, so it has no photo 13"),
        ("1-99999999999", "the list has 12 photos"),
      ]
      for (word, words) in refusals {
        let end = try await bench.tool("focus", "summer", "3", word)
        #expect(end.code == 1 && end.errors.contains(words), "\(end)")
      }
      #expect(try await bench.tool("focus", "summer", "--for", "2h").code == 2)
      let near = try await bench.tool("focus", "summer", "foto 12")
      #expect(near.errors.contains("no photo 'foto 12' (did you mean 'Photo 12'?)"), "\(near)")
      let nowhere = try await bench.tool("show", "99")
      #expect(
        nowhere.errors.contains("'darkroomctl --root \(bench.root) list' shows"), "\(nowhere)")
      #expect(nowhere.errors.contains("inbox' files that wait or were rejected"))
      let all = try await bench.tool("--json", "focus", "summer")
      #expect(all.output.contains("\"photos\":12,\"left\":12"), "\(all)")
      #expect(try await bench.tool("unfocus", "summer").code == 0)
      #expect(try await bench.tool("unfocus", "summer").code == 0, "asking twice is not an error")
      #expect(try await bench.tool("cancel", "summer").code == 0)
      let over = try await bench.tool("focus", "summer", "1")
      #expect(over.code == 1 && over.errors.contains("the list is over"), "\(over)")
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `another user may not focus`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTwelve()
      try bench.letAllUsersCall()
      for verb in ["focus", "unfocus"] {
        let end = try await bench.tool(verb, "summer", as: DaemonBench.stranger)
        #expect(end.code == 5 && end.errors.contains("another user"), "\(end)")
      }
      try await bench.stop(daemon)
    }
  }
}
