// SPDX-License-Identifier: Apache-2.0
// darkroomctl in a real pseudo-terminal: no line is wider than it, nothing piles up, and a pager may be used.

import Foundation
import Linux
import Steer
import Support
import Testing
import darkroomctl

struct TerminalTests {
  private let place: FreshFolder
  private var socket: String { "\(place.path)/control" }
  private static let tool = "\(DaemonBench.programFolder)/darkroomctl"

  init() throws { place = try FreshFolder.forSockets() }

  /// Runs the tool with a daemon of fixed answers; returns its code and what it wrote.
  private func run(
    _ line: String, columns: Int = 80, through wrapper: [String] = [],
    _ more: [String: String] = [:]
  ) async throws -> (code: Int32, text: String, picture: TerminalPicture) {
    let server = try RunningServer(
      path: socket, handler: ScreenDaemon(), clock: try SystemClock())
    let words = ["--socket", socket] + line.split(separator: " ").map(String.init)
    let (code, text) = try await TerminalProgram.run(
      wrapper + [Self.tool] + words, columns: columns, environment: more)
    server.stop()
    await server.stopped()
    return (code, text, TerminalPicture(columns: columns, text))
  }

  @Test(
    "no line is wider than the terminal",
    arguments: [
      "list", "show summer", "wait summer attic winter", "watch", "watch summer", "status", "inbox",
      "cache", "",
    ], [40, 80, 120])
  func widths(line: String, columns: Int) async throws {
    let (_, _, picture) = try await run(line + " --no-pager", columns: columns)
    #expect(picture.overflows.isEmpty, "\(picture.overflows)")
    #expect(!picture.lines.isEmpty)
  }

  @Test(arguments: [40, 80, 120])
  func `check folds its problems to the terminal`(columns: Int) async throws {
    let url = "https://photos.example.org/" + String(repeating: "long/", count: 40)
    try place.write(Array("ftp://a.example/a.jpg\n\(url)\n".utf8), to: "trip.txt")
    let (code, _, picture) = try await run(
      "check trip.txt", columns: columns, through: ["env", "-C", place.path])
    #expect(code == 1)
    #expect(picture.overflows.isEmpty, "\(picture.overflows)")
    let words = picture.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("the scheme 'ftp' is not http, https or file"), "\(words)")
  }

  @Test(arguments: [40, 80, 120])
  func `wait leaves only the ends of its lists`(columns: Int) async throws {
    let (code, text, picture) = try await run("wait garden attic winter", columns: columns)
    #expect(code == 6, "winter was cancelled")
    #expect(text.contains("\u{1B}[J") && text.contains(" 0/20"), "the progress was shown")
    let left = picture.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(
      left == "garden (list 16) is finished: 20 of 20 photos filtered. "
        + "attic (list 15) is finished: 1 of 1 photo filtered. "
        + "winter (list 12) is cancelled: 3 of 60 photos filtered.")
  }

  @Test func `wait takes a pattern for every list that fits`() async throws {
    let (code, _, picture) = try await run("wait *r")
    #expect(code == 6)
    let ends = picture.lines.filter { $0.contains(" (list ") }
    #expect(ends.map { $0.split(separator: " ").first } == ["winter", "summer"], "\(ends)")
  }

  @Test(arguments: [40, 80, 120])
  func `each report of watch takes the place of the one before`(columns: Int) async throws {
    let (_, text, picture) = try await run("watch", columns: columns)
    #expect(text.components(separatedBy: "PHOTO").count > 2, "several reports")
    #expect(picture.lines.filter { $0.hasPrefix("PHOTO") }.count == 1, "\(picture.lines)")
  }

  // MARK: the pager

  @Test func `a long result goes to the pager, which may be a line for the shell`() async throws {
    for variable in ["DARKROOM_PAGER", "PAGER"] {
      let (code, text, _) = try await run("list", [variable: "sed -e 's/^/> /'"])
      #expect(code == 0)
      let lines = text.split(whereSeparator: \.isNewline)
      #expect(lines.count == 7 && lines.allSatisfy { $0.hasPrefix("> ") }, "\(text)")
    }
  }

  @Test func `a pager without spaces is a program, and no shell reads its name`() async throws {
    try place.write(Array("#!/bin/sh\nexec sed -e 's/^/| /'\n".utf8), to: "bin/a$(b)")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(place.path)/bin/a$(b)")
    let (code, text, _) = try await run("list", ["DARKROOM_PAGER": "\(place.path)/bin/a$(b)"])
    #expect(code == 0 && text.contains("| "), "\(text)")
  }

  @Test(
    "these get no pager",
    arguments: [
      ("list --no-pager", "sed -e s/^/>/"), ("list", ""), ("list", "cat"), ("list", "/none/pager"),
      ("list --json", "sed -e s/^/>/"), ("status", "sed -e s/^/>/"),
    ])
  func unpaged(line: String, pager: String) async throws {
    let (code, text, _) = try await run(line, ["DARKROOM_PAGER": pager, "PAGER": "sed -e s/^/>/"])
    #expect(code == 0 && !text.isEmpty)
    #expect(!text.hasPrefix(">"), "\(text)")
  }

  @Test func `less gets its options, and quits at the end of a short result`() async throws {
    let script = "printf 'LESS=%s %s\\n' $LESS $LESSSECURE; cat"
    let (_, told, _) = try await run(
      "list", through: ["env", "-u", "LESS"],
      [
        "DARKROOM_PAGER": script
      ])
    #expect(told.hasPrefix("LESS=FRSXMK 1\r\n"), "\(told)")
    let (_, own, _) = try await run("list", ["DARKROOM_PAGER": script, "LESS": "R"])
    #expect(own.hasPrefix("LESS=R 1\r\n"), "\(own)")
  }

  @Test func `a reader that quits ends the tool without an error`() async throws {
    let (code, text, _) = try await run("show summer", ["DARKROOM_PAGER": "head -n 1"])
    #expect(code == 0)
    #expect(text.split(whereSeparator: \.isNewline).count == 1, "\(text)")
    let (_, words, _) = try await run(
      "show summer", through: ["bash", "-c", "\"$0\" \"$@\" | true; echo ${PIPESTATUS[0]}"])
    #expect(words == "0\r\n", "\(words)")
  }

  @Test func `a browser is started with a page that its user alone can read`() async throws {
    func program(_ name: String, _ script: String) throws {
      try place.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "bin/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(place.path)/bin/\(name)")
    }
    try program(
      "xdg-open",
      "stat -c %a%n \"$@\" > \(place.path)/new; cat \"$@\" >> \(place.path)/new; "
        + "mv \(place.path)/new \(place.path)/seen")
    // The time of the address passes when the browser has read the page.
    try program(
      "sleep",
      "while [ ! -e \(place.path)/seen ]; do /bin/sleep .01; done; echo $1 > \(place.path)/time")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let (code, text, _) = try await run(
      "open --address http://127.0.0.1:9 summer", columns: 120,
      [
        "DISPLAY": ":0", "XDG_RUNTIME_DIR": place.path, "PATH": "\(place.path)/bin:\(path)",
      ])
    #expect(code == 0, "\(text)")
    let isSeen = try await Patience.sees { place.bytes(of: "seen") != nil }
    let lines = String(decoding: place.bytes(of: "seen") ?? [], as: UTF8.self)
      .split(separator: "\n")
    #expect(isSeen && lines.first?.hasPrefix("600\(place.path)/darkroom-") == true, "\(lines)")
    let address = "http://127.0.0.1:9/open/\(Samples.token)"
    #expect(text.contains(address))
    #expect(lines.contains { $0.contains("content=\"0;url=\(address)\"") })
    let isRemoved = try await Patience.sees {
      try !FileManager.default.contentsOfDirectory(atPath: place.path).contains {
        $0.hasSuffix(".html")
      }
    }
    #expect(isRemoved && place.bytes(of: "time") == Array("120\n".utf8))
  }
}
