// SPDX-License-Identifier: Apache-2.0
// `darkroomd run`: processes without a daemon that share a list and a folder of prints, as the tasks of a Slurm array do.

import Foundation
import Support
import Testing

@Suite struct PartRunTests {
  private struct Row: Decodable {
    let photo: Int?
    let state: String?
    let print: String?
    let code: String?
    let list: String?
    let filtered: Int?
    let failed: Int?
  }

  /// The folder of the tasks, beside the root of the daemon.
  private func prints(_ bench: DaemonBench) -> String { "\(bench.folder.path)/shared" }

  private func list(
    _ bench: DaemonBench, _ photos: [(String, String)], as name: String = "summer.plist"
  ) throws -> String {
    try bench.folder.write(PhotoListText.dictionary(photos), to: "lists/\(name)")
    return "\(bench.folder.path)/lists/\(name)"
  }

  private func start(
    _ bench: DaemonBench, _ list: String, _ range: String?, _ more: [String] = []
  ) async throws -> RunningProgram {
    let part = range.map { ["--range", $0] } ?? []
    return try await bench.launch(
      "darkroomd",
      [
        "run", "--list", list, "--prints", prints(bench), "--config",
        "\(bench.root)/darkroomd.conf",
      ]
        + part + more)
  }

  private func run(
    _ bench: DaemonBench, _ list: String, _ range: String?, _ more: [String] = []
  ) async throws -> ProgramEnd {
    try await start(bench, list, range, more).end(seconds: 4 * Patience.seconds)
  }

  /// Without the folder of thumbnails, which only a task with the whole list has.
  private func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
      .filter { $0 != ".sheet" }
  }

  private func rows(_ bench: DaemonBench, _ range: String) throws -> [Row] {
    let text = try #require(
      bench.folder.bytes(of: "shared/.darkroom/summer/\(range)/results.jsonl"))
    return try text.split(separator: 0x0A).map {
      try JSONDecoder().decode(Row.self, from: Data($0))
    }
  }

  @Test func `a task does not print into the folder of a daemon, which runs or not`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.start()
      let list = try list(bench, [("One", urls[0])])
      func end() async throws -> ProgramEnd {
        try await bench.launch(
          "darkroomd",
          [
            "run", "--list", list, "--prints", "\(bench.root)/prints", "--config",
            "\(bench.root)/darkroomd.conf",
          ]
        ).end(seconds: 4 * Patience.seconds)
      }
      for isRunning in [true, false] {
        let refused = try await end()
        #expect(refused.code == 64, "\(refused)")
        #expect(
          refused.errors.contains(
            "is the folder of prints of the darkroomd that has the state folder \(bench.root)/state: choose another --prints"
          ))
        #expect(bench.all("prints") == [".daemon"])
        if isRunning { #expect(try await bench.stop(daemon).code == 0) }
      }
      try FileManager.default.removeItem(atPath: "\(bench.root)/prints/.daemon")
      #expect(try await end().code == 0)
      #expect(bench.names("prints/summer") == ["One.jpg"])
    }
  }

  @Test(arguments: ["", "/prints"])
  func `a task does not print into a folder that the nodes of a cluster share`(part: String)
    async throws
  {
    try await DaemonBench.use { bench in
      let list = try list(bench, [("One", try bench.serveSamples(1)[0])])
      try bench.folder.write(Array("0a 0b".utf8), to: "blobs/cluster")
      for name in ["prints", "lists"] {
        try FileManager.default.createDirectory(
          atPath: "\(bench.folder.path)/blobs/\(name)", withIntermediateDirectories: false)
      }
      let end = try await bench.launch(
        "darkroomd", ["run", "--list", list, "--prints", "\(bench.folder.path)/blobs\(part)"]
      ).end(seconds: 4 * Patience.seconds)
      #expect(end.code == 64 && end.errors.contains("the nodes of a cluster share"), "\(end)")
      let left = try FileManager.default.contentsOfDirectory(
        atPath: "\(bench.folder.path)/blobs/prints")
      #expect(left.isEmpty)
    }
  }

  @Test
  func `tasks side by side, one of them killed and started again, make the prints of one daemon`()
    async throws
  {
    try await DaemonBench.use { bench in
      // The names of the second half collide with those of the first.
      let urls = try bench.serveSamples(40)
      let photos = urls.enumerated().map { place, url in
        (
          place < 20 ? "Photo \(place)" : "photo \(place - 20)",
          url + (place == 14 ? "?gate=g" : "")
        )
      }
      let list = try list(bench, photos)
      // A draft of a process that is not there.
      try bench.folder.write([], to: "shared/summer/.0123.1-1.print")
      let ranges = ["1-10", "11-20", "21-30", "31-40"]
      var tasks: [RunningProgram] = []
      for range in ranges { tasks.append(try await start(bench, list, range)) }
      await bench.origin.arrivals(at: "g")
      let own = Set((10...19).map { "Photo \($0).jpg" })
      try await bench.until("nine prints of the second task") {
        own.intersection(names("\(prints(bench))/summer")).count == 9
      }
      await tasks[1].cut()
      let again = try await start(bench, list, ranges[1])
      await bench.origin.arrivals(at: "g", 2)
      await bench.origin.release("g")
      for task in [tasks[0], again, tasks[2], tasks[3]] {
        let end = try await task.end()
        #expect(end.code == 0, "\(end)")
      }
      let requests = bench.origin.requests()
      for (place, url) in urls.enumerated() {
        let path = "/\(place + 1).jpg"
        let count = requests.count { $0.contains("\(path) ") || $0.contains("\(path)?") }
        #expect(count == (place == 14 ? 2 : 1), "\(url)")
      }
      try await bench.drop(PhotoListText.dictionary(photos), as: "summer.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let whole = bench.names("prints/summer")
      #expect(whole.count == 40 && whole.contains("photo 19~40.jpg"))
      #expect(names("\(prints(bench))/summer") == [".0123.1-1.print"] + whole)
      for name in whole {
        #expect(
          bench.folder.bytes(of: "shared/summer/\(name)") == bench.bytes("prints/summer/\(name)"))
      }
      for (place, range) in ranges.enumerated() {
        let rows = try rows(bench, range)
        #expect(rows[0].list == "summer" && rows[0].filtered == 10 && rows[0].failed == 0)
        #expect(rows.dropFirst().map(\.photo) == (1...10).map { 10 * place + $0 })
        #expect(rows.dropFirst().allSatisfy { $0.state == "filtered" })
        #expect(Set(rows.compactMap(\.print)).isSubset(of: whole))
      }
    }
  }

  @Test func `a failed photo makes the exit code 3, and only it is tried again`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let photos = [("One", urls[0]), ("Two", bench.origin.url("/late.jpg")), ("Three", urls[2])]
      let list = try list(bench, photos)
      #expect(try await run(bench, list, "2-9").code == 3)
      let rows = try rows(bench, "2-9")
      #expect(rows[0].filtered == 1 && rows[0].failed == 1)
      #expect(rows.map(\.photo) == [nil, 2, 3] && rows[1].code == "http.404")
      #expect(names("\(prints(bench))/summer") == ["Three.jpg"])
      #expect(try await run(bench, list, "2-9").code == 3)
      try bench.serve(SamplePictures.jpeg(width: 8, height: 8), as: "late.jpg")
      #expect(try await run(bench, list, "2-9").code == 0)
      #expect(names("\(prints(bench))/summer") == ["Three.jpg", "Two.jpg"])
      let before = bench.origin.requests()
      #expect(before.count { $0.contains("/3.jpg") } == 1)
      // Nothing is left to do.
      #expect(try await run(bench, list, "2-9").code == 0)
      #expect(bench.origin.requests() == before)
      #expect(before.allSatisfy { !$0.contains("/1.jpg") })
      // The print of a success stands.
      for lost in 1...2 {
        if lost == 1 {
          try bench.folder.write([], to: "shared/summer/Two.jpg")
        } else {
          try FileManager.default.removeItem(atPath: "\(prints(bench))/summer/Three.jpg")
        }
        let end = try await run(bench, list, "2-9")
        #expect(end.code == 4)
        #expect(end.errors.contains("another size: \(lost), the first is Two.jpg"), "\(end)")
      }
      // A removed print is made again, by a task without its state.
      for gone in ["summer/Two.jpg", "summer"] {
        for path in [gone, ".darkroom/summer/2-9"] {
          try FileManager.default.removeItem(atPath: "\(prints(bench))/\(path)")
        }
        #expect(try await run(bench, list, "2-9").code == 0)
        #expect(names("\(prints(bench))/summer") == ["Three.jpg", "Two.jpg"], "\(gone)")
      }
    }
  }

  @Test func `SIGTERM makes the exit code 75, and the next run continues`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let list = try list(bench, [("One", urls[0]), ("Two", urls[1] + "?gate=g")])
      let task = try await start(bench, list, nil)
      await bench.origin.arrivals(at: "g")
      try await bench.until("the first print") {
        names("\(prints(bench))/summer").contains("One.jpg")
      }
      let second = try await run(bench, list, nil)
      #expect(second.code == 75 && second.errors.contains("another darkroomd"), "\(second)")
      #expect(try await bench.stop(task).code == 75)
      #expect(names("\(prints(bench))/summer") == ["One.jpg"])
      await bench.origin.release("g")
      #expect(try await run(bench, list, nil).code == 0)
      #expect(names("\(prints(bench))/summer") == ["One.jpg", "Two.jpg"])
      #expect(bench.origin.requests().count { $0.contains("/1.jpg") } == 1)
    }
  }

  @Test func `what cannot be run is refused with its own exit code`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let list = try list(bench, [("One", url)])
      func code(_ list: String, _ range: String?, _ more: [String] = []) async throws -> Int32 {
        try await run(bench, list, range, more).code
      }
      let state = "\(bench.folder.path)/own"
      #expect(try await code(list, "2-3") == 65)
      #expect(try await code("\(bench.folder.path)/none.plist", "1") == 66)
      #expect(try await code(list, "1", ["--state", state]) == 0)
      #expect(try await code(list, "1-2", ["--state", state]) == 64)
      #expect(try await code(list, "1", ["--config", "\(bench.folder.path)/none.conf"]) == 78)
      #expect(try await code(list, "1", ["--results", "\(bench.folder.path)/no/r"]) == 74)
      let other = try self.list(bench, [("Two", url)], as: "summer.json")
      let end = try await run(bench, other, nil)
      #expect(end.code == 65 && end.errors.contains("another list has printed"), "\(end)")
      try bench.folder.write(Array("[1".utf8), to: "lists/bad.json")
      #expect(try await code("\(bench.folder.path)/lists/bad.json", nil) == 65)
      #expect(names("\(prints(bench))/summer") == ["One.jpg"])
    }
  }

  @Test
  func `of two tasks with overlapping ranges the first makes a print, and both results tell it`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let list = try list(bench, zip(["One", "Two", "Three"], urls).map { ($0, $1) })
      #expect(try await run(bench, list, "1-2").code == 0)
      let first = try #require(bench.folder.bytes(of: "shared/summer/Two.jpg"))
      // The origin has another picture now.
      try bench.serve(SamplePictures.jpeg(width: 32, height: 20, seed: 9), as: "2.jpg")
      let end = try await run(bench, list, "2-3")
      #expect(end.code == 0 && end.errors.contains("Kept the print of 'Two'"), "\(end)")
      #expect(bench.folder.bytes(of: "shared/summer/Two.jpg") == first)
      #expect(names("\(prints(bench))/summer") == ["One.jpg", "Three.jpg", "Two.jpg"])
      for range in ["1-2", "2-3"] {
        let results = "\(prints(bench))/.darkroom/summer/\(range)/results.jsonl"
        let verified = try await bench.tool("verify", results)
        #expect(verified.code == 0, "\(verified)")
      }
    }
  }

  @Test func `verify finds each print that is not as recorded, with a daemon or without`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let photos = zip(["One", "Two", "Three"], urls).map { ($0, $1) }
      let list = try list(bench, photos)
      #expect(try await run(bench, list, nil).code == 0)
      let daemon = try await bench.start()
      try await bench.drop(PhotoListText.dictionary(photos), as: "summer.plist")
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      let results = "\(prints(bench))/.darkroom/summer/all/results.jsonl"
      for (record, folder) in [("summer", "root/prints"), (results, "shared")] {
        let good = try await bench.tool("verify", record)
        #expect(good.code == 0 && good.output == "list\tsummer\t3\t0\t0\t0\t0\n", "\(good)")
        var bytes = try #require(bench.folder.bytes(of: "\(folder)/summer/Two.jpg"))
        bytes[bytes.count / 2] ^= 1
        try bench.folder.write(bytes, to: "\(folder)/summer/Two.jpg")
        try FileManager.default.removeItem(
          atPath: "\(bench.folder.path)/\(folder)/summer/Three.jpg")
        let bad = try await bench.tool("verify", record)
        #expect(bad.code == 1)
        #expect(
          bad.output == """
            changed\t2\tTwo\tTwo.jpg\tits contents differ
            missing\t3\tThree\tThree.jpg\tit does not exist
            list\tsummer\t1\t1\t1\t0\t0

            """)
      }
      // Its folder of prints has the name as it is, not as it is shown.
      let turned = "spri\u{202E}ng"
      try await bench.drop(PhotoListText.dictionary(photos), as: "\(turned).plist")
      try await daemon.says(#"Accepted list 'spri\u{202e}ng'"#)
      #expect(try await bench.tool("wait", turned).code == 0)
      #expect(try await bench.tool("verify", turned).code == 0)
      #expect(try await bench.tool("verify", "winter").code == 4)
      try await bench.stop(daemon)
      #expect(try await bench.tool("verify", "summer").code == 7)
      #expect(try await bench.tool("verify", results).code == 1)
    }
  }
}
