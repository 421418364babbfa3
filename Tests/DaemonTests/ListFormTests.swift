// SPDX-License-Identifier: Apache-2.0
// Lists in the forms that people have: texts of URLs, JSON, CSV, UTF-16. Each becomes prints, and returns under
// its own name.

import Foundation
import Support
import Testing

@Suite struct ListFormTests {
  enum Form: String, CaseIterable, CustomTestStringConvertible {
    case lines, aria, json, objects, csv, array, wide
    var testDescription: String { rawValue }

    var file: String {
      switch self {
      case .lines, .aria: "summer.txt"
      case .json, .objects: "summer.JSON"
      case .csv, .wide: "summer.csv"
      case .array: "summer.plist"
      }
    }

    func list(_ hills: String, _ lake: String) -> [UInt8] {
      switch self {
      case .lines: Array("# 2025\r\n\(hills)\tHills\r\n\(lake)\tThe Lake".utf8)
      case .aria: Array("\(hills)\n  out=Hills.jpg\n  dir=/tmp\n\(lake)\n  out=The Lake\n".utf8)
      case .json: Array("{\"Hills\": \"\(hills)\", \"The Lake\": \"\(lake)\"}".utf8)
      case .objects:
        Array(
          "[{\"title\": \"Hills\", \"href\": \"\(hills)\"}, {\"url\": \"\(lake)\", \"name\": \"The Lake\"}]"
            .utf8)
      case .csv: Array("name;url\r\nHills;\(hills)\r\n\"The Lake\";\(lake)\r\n".utf8)
      case .array:
        Array(
          """
          <plist><array><dict><key>URL</key><string>\(hills)</string><key>Name</key>
          <string>Hills</string></dict><dict><key>Name</key><string>The Lake</string><key>URL</key>
          <string>\(lake)</string></dict></array></plist>
          """.utf8)
      case .wide:
        "\u{FEFF}url,name\r\n\(hills),Hills\r\n\(lake),The Lake\r\n".utf16
          .flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      }
    }
  }

  @Test(arguments: Form.allCases)
  func `a list in each form becomes prints and returns as it was dropped`(form: Form)
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let list = form.list(urls[0], urls[1])
      try bench.folder.write(list, to: "root/\(form.file)")
      let checked = try await bench.tool("check", "\(bench.root)/\(form.file)")
      #expect(checked.code == 0, "\(checked)")
      #expect(checked.output.contains("1\tHills") && checked.output.contains("2\tThe Lake"))
      try await bench.drop(list, as: form.file)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/summer") == ["Hills.jpg", "The Lake.jpg"])
      #expect(bench.bytes("done/\(form.file)") == list)
      #expect(bench.names("done").sorted() == [form.file, "summer.result.plist"].sorted())
    }
  }

  @Test func `a list of the same name in another form is a revision, and replaces no file`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      try await bench.drop([("Hills", urls[0])], as: "a.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      try await bench.drop(Array("\(urls[0])\tHills\n\(urls[1])\tLake\n".utf8), as: "a.txt")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints") == ["a"])
      #expect(bench.names("prints/a") == ["Hills.jpg", "Lake.jpg"])
      #expect(
        bench.names("done").sorted()
          == ["a.plist", "a.result.plist", "a~2.result.plist", "a~2.txt"])
    }
  }

  @Test func `URLs that end alike become numbered prints`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let lines = (1...30).map { "\(url)?photo=\($0)\n" }.joined()
      try await bench.drop(Array(lines.utf8), as: "many.txt")
      #expect(try await bench.runUntilIdle().code == 0)
      let prints = ["1.jpg"] + (2...30).map { "1~\($0).jpg" }
      #expect(Set(bench.names("prints/many")) == Set(prints))
    }
  }

  @Test func `a text that is not UTF-8 is rejected with its place and the way out`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop(Array("\(url)\tcaf".utf8) + [0xE9, 0x0A], as: "old.txt")
      #expect(try await bench.runUntilIdle().code == 3)
      let reason = try #require(bench.text("failed/old.txt.reason.txt"))
      let column = url.utf8.count + 5
      #expect(reason.contains("line 1, column \(column): the text is not valid UTF-8"))
      #expect(reason.contains("Save the file as UTF-8"))
    }
  }
}
