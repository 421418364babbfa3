// SPDX-License-Identifier: Apache-2.0
// `develop` and `check` with scripted workers and real folders.

import Linux
import Steer
import Support
import Testing
import Vocabulary
import darkroomctl

struct DevelopTests {
  private let place: FreshFolder
  private let folder: LinuxFolder

  init() throws {
    place = try FreshFolder()
    folder = place.folder
  }

  private func put(_ name: String, _ text: String) throws -> String {
    let file = try folder.open(#require(FileName(name)), .create)
    try file.write(Array(text.utf8), at: 0)
    return "\(place.path)/\(name)"
  }

  private func text(_ name: String) throws -> String {
    let file = try folder.open(#require(FileName(name)), .read)
    return String(decoding: try file.read(at: 0, upTo: 1000), as: UTF8.self)
  }

  private func names() throws -> [String] { try folder.names().map(\.description).sorted() }

  private func develop(_ task: DevelopTask, json: Bool = false) async -> (ExitCode, SpokenWords) {
    var task = task
    task.folder = place.path
    let words = SpokenWords()
    let run = DevelopRun(
      task: task, workers: ScriptedWorkers(), voice: words.voice(), isJSON: json)
    return (await run.run(), words)
  }

  @Test
  func `a print has the name of its picture and its own extension`() async throws {
    let (code, words) = await develop(DevelopTask(files: [try put("barn.jpeg", "picture")]))
    #expect(code == .done)
    #expect(try names() == ["barn.jpeg", "barn.jpg"])
    #expect(try text("barn.jpg") == "sepia(0.8) picture")
    #expect(words.out == "\(place.path)/barn.jpeg\t\(place.path)/barn.jpg\t18\t4\t3\t\n")
  }

  @Test
  func `quality and metadata reach the worker`() async throws {
    var task = DevelopTask(files: [try put("barn.jpeg", "picture")])
    (task.quality, task.metadata) = (.level(85), .copyright)
    #expect(await develop(task).0 == .done)
    #expect(try text("barn.jpg") == "sepia(0.8) quality 85 metadata copyright picture")
  }

  @Test
  func `the parts that a print lacks are listed, in words and for programs`() async throws {
    var task = DevelopTask(files: [try put("a.jpeg", "camera")])
    task.isReplacing = true
    let plain = await develop(task).1
    #expect(plain.out.hasSuffix("a.jpg\t17\t4\t3\tpreview-removed,profile-dropped\n"))
    let report = try JSONReader.read(Array(await develop(task, json: true).1.out.utf8)).object
    #expect(
      report?["prints"]?.array?.first?.object?["notices"]
        == ["preview-removed", "profile-dropped"])
    let words = SpokenWords()
    task.folder = place.path
    let run = DevelopRun(
      task: task, workers: ScriptedWorkers(), voice: words.voice(isTerminal: true), isJSON: false)
    #expect(await run.run() == .done)
    #expect(
      words.out.hasSuffix(
        "a.jpg, 4×3, 17 B, without its embedded preview and its colour profile\n"))
  }

  @Test
  func `a picture that cannot be developed leaves nothing, and the others are developed`()
    async throws
  {
    let files = [try put("bad.jpeg", "damaged"), try put("good.jpeg", "picture"), "/none.jpg"]
    let (code, words) = await develop(DevelopTask(files: files), json: true)
    #expect(code == .failed)
    #expect(try names() == ["bad.jpeg", "good.jpeg", "good.jpg"])
    let report = try JSONReader.read(Array(words.out.utf8)).object
    #expect(report?["prints"]?.array?.count == 1)
    let codes = report?["failures"]?.array?.map { $0.object?["code"]?.string }
    #expect(codes == ["jpeg.truncated", "system.2"])
    let told = try words.error.split(separator: "\n").map {
      try JSONReader.read(Array($0.utf8)).object
    }
    #expect(told.map { $0?["error"]?.string } == codes)
    #expect(told.first??["message"] == .string("Could not develop \(files[0]): it ends early"))
  }

  @Test
  func `an existing print is kept, or replaced with --force`() async throws {
    let file = try put("barn.jpeg", "picture")
    _ = try put("barn.jpg", "old")
    let (refused, words) = await develop(DevelopTask(files: [file]))
    #expect(refused == .failed)
    #expect(try text("barn.jpg") == "old")
    #expect(
      words.error.hasSuffix(
        ": \(place.path)/barn.jpg exists. Choose another folder with -o, or use --force\n"))
    var task = DevelopTask(files: [file])
    task.isReplacing = true
    #expect(await develop(task).0 == .done)
    #expect(try text("barn.jpg") == "sepia(0.8) picture")
    #expect(try names() == ["barn.jpeg", "barn.jpg"])
  }

  @Test
  func `an input is never replaced, not even with --force`() async throws {
    var task = DevelopTask(files: [try put("barn.jpg", "picture")])
    for isReplacing in [false, true] {
      task.isReplacing = isReplacing
      let (code, words) = await develop(task)
      #expect(code == .failed)
      #expect(try text("barn.jpg") == "picture")
      #expect(
        words.error.hasSuffix(
          ": its print would replace the input \(place.path)/barn.jpg. "
            + "Choose another folder with -o\n"))
      #expect(try names() == ["barn.jpg"])
    }
  }

  @Test
  func `prints are listed in the order of the pictures, whichever is done first`() async throws {
    let files = try ["c.jpeg", "a.jpeg", "b.jpeg", "c.jpe"].map { try put($0, $0) }
    var task = DevelopTask(files: files)
    task.folder = place.path
    let words = SpokenWords()
    let run = DevelopRun(
      task: task, workers: BackwardWorkers(files.count), width: 2, voice: words.voice(),
      isJSON: false)
    #expect(await run.run() == .failed)
    let prints = words.out.split(separator: "\n").map { $0.split(separator: "\t")[1] }
    #expect(prints == ["c.jpg", "a.jpg", "b.jpg"].map { "\(place.path)/\($0)" })
    #expect(try text("c.jpg") == "c.jpeg")
    #expect(try names().filter { $0.hasSuffix(".jpg") } == ["a.jpg", "b.jpg", "c.jpg"])
    #expect(try names().count == 7)
  }

  @Test
  func `two pictures cannot share one print`() async throws {
    var task = DevelopTask(files: [try put("a.jpeg", "one"), try put("a.jpe", "two")])
    task.isReplacing = true
    #expect(await develop(task).0 == .failed)
    #expect(try text("a.jpg") == "sepia(0.8) one")
  }

  @Test(
    "the name of a print is made from that of its picture",
    arguments: [
      ("a.jpeg", "a.jpg"), ("/x/y/a.b.png", "a.b.jpg"), ("noext", "noext.jpg"),
      (".hidden", ".hidden.jpg"), ("dir/", "dir.jpg"),
    ])
  func printName(file: String, name: String) throws {
    #expect(try DevelopRun.printName(file, .jpeg).description == name)
  }

  // MARK: check

  private func check(_ list: String, json: Bool = false) async throws -> (ExitCode, SpokenWords) {
    let words = SpokenWords()
    let run = CheckRun(
      file: try put("list.plist", list), workers: ScriptedWorkers(), voice: words.voice(),
      isJSON: json)
    return (await run.run(), words)
  }

  @Test
  func `a list is read by a worker and shown photo by photo`() async throws {
    let (code, words) = try await check(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>Barn</key><string>https://example.org/b.jpg</string>
      <key>Lake</key><string></string>
      </dict></plist>
      """)
    #expect(code == .failed)
    #expect(
      words.out
        == "1\tBarn\thttps://example.org/b.jpg\t\n2\tLake\t\tits URL is empty (line 4)\n")
    #expect(words.error.hasSuffix("list.plist: 1 photo of 2 cannot be processed\n"))
  }

  @Test
  func `a good list ends with 0, and with --json is one object`() async throws {
    let (code, words) = try await check(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>Title</key><string>Summer</string>
      <key>Quality</key><integer>85</integer><key>Metadata</key><string>strip</string>
      <key>Photos</key><dict><key>a</key><string>https://example.org/a.jpg</string></dict>
      </dict></plist>
      """, json: true)
    #expect(code == .done)
    let value = try JSONReader.read(Array(words.out.utf8)).object
    #expect(value?["title"] == "Summer")
    #expect(value?["quality"] == "85" && value?["metadata"] == "strip")
    #expect(
      value?["photos"] == [["number": 1, "name": "a", "url": "https://example.org/a.jpg"]])
  }

  @Test
  func `a list that cannot be accepted is reported with the reason`() async throws {
    let (code, words) = try await check("damaged", json: true)
    #expect(code == .failed)
    let value = try JSONReader.read(Array(words.out.utf8)).object
    #expect(value?["accepted"] == false && value?["code"] == "list.syntax")
    let told = try JSONReader.read(Array(words.error.utf8)).object
    #expect(told?["error"] == "list.syntax")
    #expect(
      told?["message"]?.string?.hasSuffix("list.plist: line 2: it is wrong. Correct it") == true)
  }
}
