// SPDX-License-Identifier: Apache-2.0
// Programs of an administrator: their end, their time, their output, and the processes that they leave behind.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@Suite struct OutsideProgramTests {
  private static let script = Repository.path("Tests/Support/hook.sh")

  private func run(
    _ deed: String, for limit: Duration = .seconds(Patience.seconds), until stop: WakeEvent? = nil
  ) async throws -> OutsideProgram.Outcome {
    let stop = try stop ?? WakeEvent()
    return try await computing {
      try OutsideProgram.run(
        Self.script,
        variables: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEED=\(deed)"].map { Array($0.utf8) },
        for: limit, until: stop.descriptor)
    }
  }

  private func lines(_ outcome: OutsideProgram.Outcome) -> [String] {
    String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(
    arguments: [
      ("exit 0", .ended(.code(0))), ("exit 3", .ended(.code(3))),
      ("kill -TERM $$", .ended(.signal(15))), ("kill -KILL $$", .ended(.signal(9))),
    ] as [(String, OutsideProgram.End)])
  func `a program ends by itself`(deed: String, end: OutsideProgram.End) async throws {
    let outcome = try await run(deed)
    #expect(outcome.end == end && outcome.output.isEmpty)
  }

  @Test func `standard output and error are one text`() async throws {
    let outcome = try await run("echo one; echo two >&2; exit 1")
    #expect(lines(outcome) == ["one", "two"])
  }

  @Test func `it has no input, no other descriptor, no terminal, no ignored or blocked signal`()
    async throws
  {
    let outcome = try await run(
      """
      read line || echo no input; pwd; ls /proc/$$/fd
      grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d ' ' -f 5-7 /proc/$$/stat; echo $$
      """)
    let found = lines(outcome)
    #expect(Array(found.prefix(2)) == ["no input", "/"])
    // The shell itself may have its script open, above the descriptors that it was given.
    let numbers = found.dropFirst(2).prefix { Int($0) != nil }.compactMap { Int($0) }
    #expect(Set([0, 1, 2]).isSubset(of: numbers) && numbers.allSatisfy { $0 < 3 || $0 >= 10 })
    #expect(found.contains("SigBlk:\t0000000000000000"))
    // The C library ignores its own two signals in every program that it starts.
    #expect(found.contains("SigIgn:\t0000000180000000"))
    let number = try #require(found.last)
    #expect(found.suffix(2).first == "\(number) \(number) 0", "its own group and session")
  }

  @Test func `its environment is the given one`() async throws {
    let outcome = try await run(#"tr '\0' '\n' </proc/$$/environ"#)
    #expect(
      lines(outcome) == [
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin", #"DEED=tr '\0' '\n' </proc/$$/environ"#,
      ])
  }

  @Test func `a program that hangs is killed with the processes that it started`() async throws {
    var limit = Duration.milliseconds(300)
    while true {
      let outcome = try await run(
        "tail -f /dev/null & echo $!; tail -f /dev/null", for: limit)
      #expect(outcome.end == .tooLong)
      // On a very busy machine, it may not have begun by then.
      limit *= 4
      guard let first = lines(outcome).first else { continue }
      return try await expectGone(first)
    }
  }

  @Test func `the processes that a program leaves behind are killed, and not waited for`()
    async throws
  {
    let outcome = try await run("tail -f /dev/null & echo $!")
    #expect(outcome.end == .ended(.code(0)))
    try await expectGone(lines(outcome).first)
  }

  private func expectGone(_ number: String?) async throws {
    let number = try #require(number)
    let path = "/proc/\(number)/stat"
    #expect(
      try await Patience.sees {
        // A killed process stays a zombie until its new parent reaps it.
        let stat = try? String(contentsOfFile: path, encoding: .utf8)
        return stat == nil || stat?.contains(") Z ") == true
      })
  }

  @Test func `a stop kills the program`() async throws {
    let stop = try WakeEvent()
    stop.ring()
    #expect(try await run("tail -f /dev/null", until: stop).end == .stopped)
  }

  @Test func `a program that floods its output is read, and its last bytes are kept`() async throws
  {
    let outcome = try await run(
      "dd if=/dev/zero bs=65536 count=64 2>/dev/null | tr '\\0' x; echo end; exit 2")
    #expect(outcome.end == .ended(.code(2)))
    #expect(outcome.output.count == OutsideProgram.mostOutput)
    #expect(outcome.output.suffix(5).elementsEqual("xend\n".utf8))
  }

  @Test func `a program that closes its output is waited for`() async throws {
    let outcome = try await run("echo all; exec >&- 2>&-; exit 4")
    #expect(outcome.end == .ended(.code(4)) && lines(outcome) == ["all"])
  }

  @Test(
    arguments: [
      ("/nonexistent/hook", SystemError.Name.missing), ("/etc", .denied), ("/etc/passwd", .denied),
      ("/etc/passwd/hook", .notFolder),
    ])
  func `a program that cannot be executed is an error`(
    path: String, name: SystemError.Name
  ) throws {
    let stop = try WakeEvent()
    let error = #expect(throws: SystemError.self) {
      try OutsideProgram.run(path, variables: [], for: .seconds(1), until: stop.descriptor)
    }
    #expect(error?.name == name && error?.thing == path)
  }

  @Test func `more variables than fit are an error`() throws {
    let stop = try WakeEvent()
    #expect(throws: SystemError.self) {
      try OutsideProgram.run(
        Self.script, variables: (0..<32).map { Array("V\($0)=1".utf8) }, for: .seconds(1),
        until: stop.descriptor)
    }
  }
}
