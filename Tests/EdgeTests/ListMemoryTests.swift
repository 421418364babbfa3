// SPDX-License-Identifier: Apache-2.0
// Lists that crash other readers or exhaust their memory: a real worker refuses each in words and
// stays small. Memory is promised, so it is tested here; speed is for Benchmarks/lists.py.

import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

struct ListMemoryTests {
  /// The peak memory that a worker may take for any list.
  private static let most = 64 << 20

  struct Trap: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: @Sendable () throws -> [UInt8]
    let code: String
    let reason: String
  }

  /// Kept in the corpus, so that fuzzing begins with them, too.
  private static func kept(_ name: String, _ code: String, _ reason: String) -> Trap {
    Trap(
      testDescription: name,
      bytes: {
        let folder = try LinuxFolder.open(path: Repository.path("Tests/Fuzz/corpus/binary"))
        let file = try folder.open(try #require(FileName("crash-\(name).plist")), .read)
        return try ScratchFile.bytes(of: file)
      }, code: code, reason: reason)
  }

  private static func made(
    _ name: String, _ code: String, _ reason: String, _ text: @escaping @Sendable () -> String
  ) -> Trap {
    Trap(testDescription: name, bytes: { Array(text().utf8) }, code: code, reason: reason)
  }

  /// Repeated in blocks: one by one, millions take seconds.
  private static func long(_ unit: String, _ count: Int) -> String {
    String(repeating: String(repeating: unit, count: 1024), count: count / 1024)
  }

  private static let setReason =
    "byte 8: it contains a set; a list has dictionaries, arrays and strings"
  private static let ownReason = ": the DOCTYPE contains declarations"

  static let traps = [
    kept("array-count", "list.syntax", "byte 8: an object is longer than the file"),
    kept("dictionary-count", "list.syntax", "byte 8: an object is longer than the file"),
    kept(
      "arrays-unfolding", "list.limit",
      "byte 656: its shared objects expand it to more than four times its size"),
    kept(
      "dictionaries-unfolding", "list.limit", "byte 1064: it is nested more than 32 levels deep"),
    kept("set", "list.syntax", setReason),
    kept("number-set", "list.syntax", setReason),
    kept(
      "set-in-dictionary", "list.syntax",
      "byte 13: it contains a set; a list has dictionaries, arrays and strings"),
    Trap(
      testDescription: "a megabyte used ten thousand times", bytes: { unfolding() },
      code: "list.limit",
      reason: "its shared objects expand it to more than four times its size"),
    made("laughs", "list.syntax", ownReason) {
      let levels = (1...9).map { level in
        "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
      }
      return "<!DOCTYPE plist [<!ENTITY l0 \"ha\">\(levels.joined())]><plist><dict><key>a</key>"
        + "<string>&l9;</string></dict></plist>"
    },
    made("a long entity used often", "list.syntax", ownReason) {
      "<!DOCTYPE plist [<!ENTITY e \"\(String(repeating: "x", count: 100_000))\">]><plist><dict>"
        + "<key>a</key><string>\(String(repeating: "&e;", count: 100_000))</string></dict></plist>"
    },
    made("a file as an entity", "list.syntax", ownReason) {
      "<!DOCTYPE plist [<!ENTITY e SYSTEM \"file:///dev/zero\">]><plist><dict><key>a</key>"
        + "<string>&e;</string></dict></plist>"
    },
    made("a million arrays", "list.limit", "line 1: it is nested more than 32 levels deep") {
      "<plist><dict><key>a</key>" + String(repeating: "<array>", count: 1_000_000)
    },
    made("a comment of 70 MiB", "list.limit", "line 1: a tag or comment is longer than 1 MiB") {
      "<plist><!--" + long("x", 70 << 20)
    },
    made("a list that ends in a text of 70 MiB", "list.truncated", "the file ends in the middle") {
      "<plist><dict><key>a</key><string>" + long("x", 70 << 20)
    },
    made("a key of 70 MiB", "list.truncated", "the file ends in the middle") {
      "<plist><dict><key>" + long("x", 70 << 20)
    },
    made(
      "a million arrays in JSON", "list.limit", "column 33: it is nested more than 32 levels deep"
    ) {
      String(repeating: "[", count: 1_000_000)
    },
    made("JSON that ends in a string of 70 MiB", "list.truncated", "the file ends in the middle") {
      "[\"" + long("x", 70 << 20)
    },
    made("a number of 70 MiB", "list.syntax", "it is not valid JSON (the number is not valid)") {
      "[" + long("1", 70 << 20)
    },
    made(
      "CSV that ends in a cell of 70 MiB", "list.truncated", "the quotation mark here has no end"
    ) {
      "url\n\"" + long("x\n", 35 << 20)
    },
    made("a comment of 70 MiB in a text", "list.empty", "it names no photos") {
      "#" + long("\t", 70 << 20)
    },
  ]

  /// Ten thousand photos with one URL of a megabyte.
  private static func unfolding() -> [UInt8] {
    let count = 10_000
    var out = Array("bplist00".utf8)
    var offsets: [Int] = []
    func add(_ bytes: [UInt8]) {
      offsets.append(out.count)
      out += bytes
    }
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    let references =
      (1...count).flatMap { number($0, 2) }
      + (1...count).flatMap { _ in
        number(count + 1, 2)
      }
    add([0xDF, 0x12] + number(count, 4) + references)
    for name in 0..<count { add([0x55] + Array(String(10_000 + name).utf8)) }
    add([0x5F, 0x12] + number(1 << 20, 4) + [UInt8](repeating: 0x61, count: 1 << 20))
    let table = out.count
    for offset in offsets { out += number(offset, 4) }
    return out + [0, 0, 0, 0, 0, 0, 4, 2] + number(offsets.count, 8) + number(0, 8)
      + number(table, 8)
  }

  @Test(arguments: traps) func `a list that kills other readers is refused in words`(_ trap: Trap)
    throws
  {
    let worker = try LoneWorker(owner: nil, memory: 256 << 20)
    let answer = try worker.readList(try trap.bytes())
    guard case .failed(let failure) = answer else {
      Issue.record("it was read: \(answer)")
      return
    }
    #expect(failure.kind == .final && failure.code == trap.code, "\(failure)")
    #expect(failure.reason.hasSuffix(trap.reason), "\(failure.reason)")
    let peak = try worker.peak()
    #expect(peak > 1 << 20 && peak < Self.most, "\(peak >> 10) KiB")
  }

  static let honest: [(start: String, end: String, photo: @Sendable (Int) -> String)] = [
    (
      "<plist><dict>", "</dict></plist>",
      { "<key>Photo \($0)</key><dict><key>URL</key><string>http://x/\($0)</string></dict>\n" }
    ),
    ("", "", { "http://x/\($0)\tPhoto \($0)\n" }),
    ("{", "\"last\": \"http://x/\"}", { "\"Photo \($0)\": \"http://x/\($0)\"," }),
    ("name,url\n", "", { "\"Photo \($0)\",http://x/\($0)\n" }),
  ]

  @Test(arguments: honest.indices)
  func `an honest list of many photos takes as little memory`(form: Int) throws {
    let (start, end, photo) = Self.honest[form]
    let worker = try LoneWorker(owner: nil, memory: 256 << 20)
    let list = Array((start + (1...50_000).map(photo).joined() + end).utf8)
    #expect(try worker.readList(list) == .listRead)
    let peak = try worker.peak()
    #expect(peak < Self.most, "\(peak >> 10) KiB")
  }
}
