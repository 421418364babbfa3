// SPDX-License-Identifier: Apache-2.0
// `verify` with results files and prints in a real folder: its texts, and files that are not as they should be.

import Digests
import Steer
import Support
import Testing

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
        == #"{"list":"summer","differences":[],"asRecorded":1,"missing":0,"changed":0,"unreadable":0}"#
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
        list\tsummer\t0\t0\t2\t0

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
