// SPDX-License-Identifier: Apache-2.0
// `verify` with results files and prints in a real folder: its texts, and files that are not as they should be.

import Digests
import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomctl

struct VerifyTests {
  private let place: FreshFolder

  init() throws { place = try FreshFolder() }

  private static func line(_ number: Int, _ name: String, _ print: String, _ text: String) -> String
  {
    let digest = SHA256.digest(of: Array(text.utf8)).hex
    return #"{"photo":\#(number),"name":"\#(name)","state":"filtered","print":"\#(print)","#
      + #""bytes":\#(text.utf8.count),"sha256":"\#(digest)","width":4,"height":3}"# + "\n"
  }

  private func results(_ lines: [String], prints: String? = nil) throws -> String {
    let prints = prints ?? "\(place.path)/summer"
    let head = #"{"list":"summer","sha256":"","prints":"\#(prints)","total":4}"# + "\n"
    try place.write(Array((head + lines.joined()).utf8), to: "results.jsonl")
    return "\(place.path)/results.jsonl"
  }

  private func verify(
    _ path: String, _ screen: ToolScreen = ToolScreen(isTerminal: false), json: Bool = false
  ) throws -> (code: ExitCode?, words: SpokenWords) {
    let words = SpokenWords()
    let line = ["--socket", "/nowhere", "verify", path] + (json ? ["--json"] : [])
    let order = try ToolArguments.read(line)
    let talk = DaemonTalk(
      order: order, voice: words.voice(screen), clock: FixedTime(), users: { _ in nil }, caller: 0)
    return (talk.run(), words)
  }

  /// One good print, one of another size, one with other contents, one missing, and a photo that failed.
  private func sample() throws -> String {
    try place.write(Array("barn".utf8), to: "summer/Barn.jpg")
    try place.write(Array("cows".utf8), to: "summer/Cow.jpg")
    try place.write(Array("lake".utf8), to: "summer/Lake.jpg")
    try place.write(Array("more".utf8), to: "summer/More.jpg")
    return try results([
      Self.line(1, "Barn", "Barn.jpg", "barn"), Self.line(2, "Cow", "Cow.jpg", "cow"),
      #"{"photo":3,"name":"Gate","state":"failed","code":"http.404","reason":"gone"}"# + "\n",
      Self.line(4, "Lake", "Lake.jpg", "like"), Self.line(5, "Mill", "Mill.jpg", "mill"),
    ])
  }

  @Test func `each print that differs is named, in words and in columns`() throws {
    let path = try sample()
    for (name, screen) in [
      ("80", ToolScreen(isTerminal: true)), ("pipe", ToolScreen(isTerminal: false)),
      ("plain", .plain),
    ] {
      let (code, words) = try verify(path, screen)
      #expect(code == .failed && words.error.isEmpty)
      try ScreenTests.expect(words.out, as: "verify.\(name)")
    }
    let (code, words) = try verify(path, json: true)
    #expect(code == .failed)
    try ScreenTests.expect(words.out, as: "verify.json")
  }

  @Test func `prints as recorded exit with 0, whatever else lies there`() throws {
    try place.write(Array("barn".utf8), to: "summer/Barn.jpg")
    try place.write([], to: "summer/Extra.jpg")
    let path = try results([Self.line(1, "Barn", "Barn.jpg", "barn")])
    let (code, words) = try verify(path, ToolScreen(isTerminal: true))
    #expect(code == .done && words.out == "summer: 1 print, as recorded.\n")
    let (none, empty) = try verify(path, json: true)
    #expect(none == .done)
    #expect(
      empty.out
        == #"{"list":"summer","differences":[],"asRecorded":1,"missing":0,"changed":0,"unreadable":0,"lost":0}"#
        + "\n")
  }

  @Test func `a folder that is gone misses every print, and no path leads out of it`() throws {
    try place.write(Array("barn".utf8), to: "Barn.jpg")
    try place.write([], to: "summer/empty")
    try place.link("summer/Link.jpg", to: "\(place.path)/Barn.jpg")
    let out = try results([
      Self.line(1, "Barn", "../Barn.jpg", "barn"), Self.line(2, "Link", "Link.jpg", "barn"),
    ])
    let (code, words) = try verify(out)
    #expect(code == .failed)
    #expect(
      words.out == """
        changed\t1\tBarn\t../Barn.jpg\tits name is not one of a print
        changed\t2\tLink\tLink.jpg\tit is not a file
        list\tsummer\t0\t0\t2\t0\t0

        """)
    let gone = try results([Self.line(1, "Barn", "Barn.jpg", "barn")], prints: "/nowhere/summer")
    let (missing, told) = try verify(gone)
    #expect(missing == .failed)
    #expect(told.out.hasPrefix("missing\t1\tBarn\tBarn.jpg\tits folder does not exist\n"))
  }

  @Test func `a folder that cannot be opened exits with 2, and names its prints`() throws {
    try place.write([], to: "file")
    let path = try results([Self.line(1, "Barn", "Barn.jpg", "barn")], prints: "\(place.path)/file")
    let (code, words) = try verify(path)
    #expect(code == .usage && words.out.hasPrefix("unreadable\t1\tBarn\tBarn.jpg\t"))
  }

  /// `verify` of a list of a daemon, on a terminal and in columns.
  private func verify(
    _ daemon: RecordedPrints, json: Bool = false, terminal: Bool = false
  ) async throws -> (code: ExitCode?, words: SpokenWords) {
    let (home, clock) = (try FreshFolder.forSockets(), try SystemClock())
    let server = try RunningServer(path: "\(home.path)/control", handler: daemon, clock: clock)
    let words = SpokenWords()
    let voice = words.voice(ToolScreen(isTerminal: terminal))
    let line = ["--socket", "\(home.path)/control", "verify", "summer"]
    let order = try ToolArguments.read(line + (json ? ["--json"] : []))
    let code = try await onOwnThread {
      DaemonTalk(order: order, voice: voice, clock: clock, users: { _ in nil }, caller: 0).run()
    }
    server.stop()
    await server.stopped()
    // The folder goes with its last use.
    withExtendedLifetime(home) {}
    return (code, words)
  }

  private func recorded(
    _ states: [SeenState], filtered: UInt32, failed: UInt32 = 0
  ) throws -> RecordedPrints {
    var photos: [PhotoSummary] = []
    for (place, state) in states.enumerated() {
      let name = "Barn \(place + 1)"
      var photo = PhotoSummary(
        number: UInt32(place + 1), name: name, url: "", state: state, bytes: 4,
        print: state == .filtered ? "\(name).jpg" : "")
      if state == .filtered {
        try writePrint(name)
        photo.sha256 = SHA256.digest(of: Array("barn".utf8)).hex
      } else if state == .unknown {
        (photo.code, photo.reason) = (
          "results.lost", "the result of photo 17/\(place + 1) is missing"
        )
      }
      photos.append(photo)
    }
    var list = Samples.list
    (list.total, list.filtered, list.failed) = (UInt32(states.count), filtered, failed)
    return RecordedPrints(list: list, photos: photos, prints: "\(place.path)/summer")
  }

  private func writePrint(_ name: String) throws {
    try place.write(Array("barn".utf8), to: "summer/\(name).jpg")
  }

  @Test func `a print whose result is lost is named, and is not as recorded`() async throws {
    let daemon = try recorded([.filtered, .unknown, .unknown], filtered: 3)
    let (code, words) = try await verify(daemon)
    #expect(code == .usage)
    #expect(
      words.out == """
        lost\t2\tBarn 2\t\tthe result of photo 17/2 is missing
        lost\t3\tBarn 3\t\tthe result of photo 17/3 is missing
        list\t\(daemon.list.name)\t1\t0\t0\t0\t2

        """)
    let (again, json) = try await verify(daemon, json: true)
    #expect(again == .usage && json.out.hasSuffix("\"unreadable\":0,\"lost\":2}\n"))
    let (third, told) = try await verify(daemon, terminal: true)
    #expect(third == .usage && told.out.hasSuffix(": 2 of 3 prints not as recorded.\n"))
  }

  @Test func `prints that the record counts and no photo is left for are lost, too`() async throws {
    // As in a cancelled list, where photos without a row are new.
    let daemon = try recorded([.filtered, .new, .new], filtered: 3)
    let (code, words) = try await verify(daemon, terminal: true)
    #expect(code == .usage)
    #expect(
      words.out.hasPrefix("lost: 2 prints: no result is left that names the photo\n"),
      "\(words.out)")
    #expect(try await verify(daemon).words.out == "list\t\(daemon.list.name)\t1\t0\t0\t0\t2\n")
  }

  @Test func `of lost results only those of prints are counted`() async throws {
    let daemon = try recorded([.unknown, .unknown, .unknown], filtered: 1, failed: 2)
    let (code, words) = try await verify(daemon)
    #expect(code == .usage)
    let why = "is missing; the photo may have failed"
    #expect(
      words.out == """
        lost\t1\tBarn 1\t\tthe result of photo 17/1 \(why)
        lost\t2\tBarn 2\t\tthe result of photo 17/2 \(why)
        lost\t3\tBarn 3\t\tthe result of photo 17/3 \(why)
        list\t\(daemon.list.name)\t0\t0\t0\t0\t1

        """)
    let json = try await verify(daemon, json: true).words.out
    #expect(json.split(separator: "},{").count == 3 && json.hasSuffix("\"lost\":1}\n"), "\(json)")
    let told = try await verify(daemon, terminal: true).words.out
    #expect(
      told.hasSuffix(
        "1 of the 3 photos without a result had a print\n"
          + "\(daemon.list.name): 1 of 1 print not as recorded.\n"), "\(told)")
  }

  @Test func `prints that are lost beside photos that are named are counted with them`()
    async throws
  {
    let daemon = try recorded([.filtered, .unknown, .new], filtered: 3)
    let told = try await verify(daemon, terminal: true).words.out
    #expect(told.contains("lost: 1 print: no result is left that names the photo\n"), "\(told)")
    #expect(told.hasSuffix(": 2 of 3 prints not as recorded.\n"), "\(told)")
  }

  @Test func `a filtered photo of a list at work without its result is lost`() async throws {
    var daemon = try recorded([.filtered, .filtered], filtered: 2)
    daemon.photos[1].sha256 = nil
    daemon.photos[1].reason = "the result of photo 17/2 is missing"
    #expect(try await verify(daemon).code == .usage)
  }

  @Test func `results of failures that are lost are no matter of the prints`() async throws {
    let daemon = try recorded([.filtered, .unknown], filtered: 1, failed: 1)
    #expect(try await verify(daemon).code == .done)
  }

  private static let head = #"{"list":"a","prints":"/p"}"#
  private static let damages: [(String, Int)] = [
    ("", 1), ("{}\n", 1), ("barn\n", 1),
    ("\(head)\n{\"state\":\"filtered\",\"photo\":1}\n", 2),
    ("\(head)\n{\"state\":", 2),
    ("\(head)\n\(String(repeating: " ", count: 200_000))\n", 2),
  ]

  @Test("a file without results is refused with the line", arguments: damages)
  func damaged(text: String, line: Int) throws {
    try place.write(Array(text.utf8), to: "results.jsonl")
    let (code, words) = try verify("\(place.path)/results.jsonl")
    #expect(code == .usage)
    #expect(words.error.contains("line \(line) is not one of darkroomd run"), "\(words.error)")
  }

  @Test func `a results file that is missing exits with 2`() throws {
    #expect(try verify("\(place.path)/none.jsonl").code == .usage)
  }
}

/// A daemon with one list, whose photos are asked for by their state.
private struct RecordedPrints: ControlService {
  let list: ListSummary
  var photos: [PhotoSummary]
  let prints: String

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    guard let order = call as? ShowOrder else { return .failed(.methodNotFound("")) }
    let wanted = photos.filter { order.state == nil || order.state?.name == $0.state }
    var report = ShowReport(list: list, photos: Array(wanted.prefix(Int(order.limit))))
    report.prints = prints
    return .answer(report)
  }
}
