// SPDX-License-Identifier: Apache-2.0
// A dropped list becomes prints, whatever its form and the way it is dropped.

import Foundation
import Support
import Testing

@Suite struct DroppedListTests {
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case cp, mv, ln, slowWriter, presentBeforeStart
    var testDescription: String { rawValue }
  }

  @Test(arguments: Way.allCases)
  func `a list becomes prints, however it is dropped`(way: Way) async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let list = PhotoListText.dictionary([("Hills", urls[0]), ("Lake", urls[1])])
      try bench.folder.write(list, to: "root/mine.plist")
      let mine = "\(bench.root)/mine.plist"
      let target = "\(bench.root)/inbox/summer.plist"
      if way == .presentBeforeStart { try await bench.drop(list, as: "summer.plist") }
      let daemon = try await bench.start()
      switch way {
      case .cp: #expect(await HelperProcess.status(of: ["cp", mine, target]) == 0)
      case .mv: #expect(await HelperProcess.status(of: ["mv", mine, target]) == 0)
      case .ln: #expect(await HelperProcess.status(of: ["ln", mine, target]) == 0)
      case .slowWriter: try await writeSlowly(list, to: target, bench, daemon)
      case .presentBeforeStart: break
      }
      try await daemon.says("Finished list 'summer'")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      #expect(bench.names("prints/summer") == ["Hills.jpg", "Lake.jpg"])
      try await bench.until("the copy in done") { bench.bytes("done/summer.plist") != nil }
      #expect(bench.bytes("done/summer.plist") == list)
      #expect(bench.names("inbox").filter { !$0.hasPrefix(".") }.isEmpty)
      #expect(bench.names("inbox/.claim") == [".lock"])
      #expect(bench.names("failed").isEmpty)
      if way == .ln { #expect(bench.bytes("mine.plist") == list) }
    }
  }

  /// Stops in the middle of the file until the daemon has looked, then writes the rest.
  private func writeSlowly(
    _ list: [UInt8], to path: String, _ bench: DaemonBench, _ daemon: RunningProgram
  ) async throws {
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data(list.prefix(100)))
    // A whole list that is finished meanwhile proves that the daemon has looked.
    try await bench.drop([("Quick", bench.origin.url("/1.jpg"))], as: "quick.plist")
    #expect(try await bench.wait(for: "quick", daemon).code == 0)
    #expect(FileManager.default.fileExists(atPath: path))
    try handle.write(contentsOf: Data(list.dropFirst(100)))
    try handle.close()
  }

  @Test func `the list in done is a fresh copy, not the dropped file`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      try await bench.drop([("One", url)], as: "one.plist")
      let dropped = try FileManager.default.attributesOfItem(
        atPath: "\(bench.root)/inbox/one.plist")
      let list = try #require(bench.bytes("inbox/one.plist"))
      // A second link keeps the inode from being reused.
      try FileManager.default.linkItem(
        atPath: "\(bench.root)/inbox/one.plist", toPath: "\(bench.root)/held")
      #expect(try await bench.runUntilIdle().code == 0)
      let copy = try FileManager.default.attributesOfItem(atPath: "\(bench.root)/done/one.plist")
      #expect(copy[.systemFileNumber] as? Int != dropped[.systemFileNumber] as? Int)
      #expect(bench.bytes("done/one.plist") == list)
      #expect(try bench.mode("done/one.plist") == 0o600)
    }
  }

  @Test func `a print equals the one that darkroomctl develop makes of the same original`()
    async throws
  {
    try await DaemonBench.use { bench in
      let jpeg = try bench.serveSamples(1, kind: "jpg")[0]
      let png = try bench.serveSamples(1, kind: "png")[0]
      try await bench.drop([("1", jpeg), ("One", png)], as: "both.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/both") == ["1.jpg", "One.png"])
      for name in ["prints/both/1.jpg", "prints/both/One.png"] {
        #expect(try bench.mode(name) == 0o640)
      }
      #expect(try bench.mode("prints/both") == 0o750)
      try FileManager.default.createDirectory(
        atPath: "\(bench.root)/own", withIntermediateDirectories: false)
      let end = try await bench.tool(
        "develop", "-o", "\(bench.root)/own", "\(bench.folder.path)/photos/1.jpg",
        "\(bench.folder.path)/photos/1.png")
      #expect(end.code == 0, "\(end)")
      #expect(bench.bytes("prints/both/1.jpg") == bench.bytes("own/1.jpg"))
      #expect(bench.bytes("prints/both/One.png") == bench.bytes("own/1.png"))
      #expect(bench.bytes("prints/both/1.jpg") != bench.folder.bytes(of: "photos/1.jpg"))
    }
  }

  enum Form: String, CaseIterable, CustomTestStringConvertible {
    case dictionary, array, binary
    var testDescription: String { rawValue }
  }

  @Test(arguments: Form.allCases)
  func `both forms of a list are read, as XML and as binary, with their options`(form: Form)
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let photos = [("Zebra", urls[0]), ("Ant", urls[1])]
      let options = [
        ("QualityOfService", "background"), ("Filter", "sepia(60%)"), ("Title", "Holiday"),
      ]
      switch form {
      case .dictionary: try await bench.drop(photos, as: "list.plist")
      case .array:
        try await bench.drop(PhotoListText.array(photos, options: options), as: "list.plist")
      case .binary:
        try await bench.drop(PhotoListText.binary(photos, options: options), as: "list.plist")
      }
      let daemon = try await bench.start()
      #expect(try await bench.wait(for: "list", daemon).code == 0)
      let shown = try await bench.show("list")
      #expect(shown.photos.map(\.name) == ["Zebra", "Ant"], "file order is kept")
      #expect(shown.photos.map(\.print) == ["Zebra.jpg", "Ant.jpg"])
      #expect(shown.title == (form == .dictionary ? "" : "Holiday"))
      #expect(shown.serviceClass == (form == .dictionary ? "default" : "background"))
      let filter = form == .dictionary ? "sepia(0.8)" : "sepia(0.6)"
      let end = try await bench.tool(
        "develop", "--filter", filter, "-o", bench.root, "\(bench.folder.path)/photos/1.jpg")
      #expect(end.code == 0, "\(end)")
      #expect(bench.bytes("prints/list/Zebra.jpg") == bench.bytes("1.jpg"))
      try await bench.stop(daemon)
    }
  }

  @Test func `thirty small lists at once are all finished, each once`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let daemon = try await bench.start()
      for number in 1...30 {
        let photos = urls.enumerated().map { ("Photo \($0 + 1)", $1 + "?list=\(number)") }
        try await bench.drop(photos, as: "list \(number).plist")
      }
      try await daemon.says("Finished list", times: 30)
      let lists = try await bench.lists()
      #expect(lists.count == 30)
      #expect(lists.allSatisfy { $0.state == "finished" && $0.filtered == 3 })
      #expect(bench.names("prints").count == 30)
      #expect(bench.names("prints").allSatisfy { bench.names("prints/\($0)").count == 3 })
      #expect(Set(bench.origin.requests()).count == 90)
      #expect(bench.origin.requests().count == 90)
      try await bench.until("the copies in done") { bench.copies.count == 30 }
      try await bench.stop(daemon)
    }
  }
}
