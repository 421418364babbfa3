// SPDX-License-Identifier: Apache-2.0
// Pictures and folders of pictures dropped into the inbox: they become prints and come back, whatever program brings
// them and however the daemon ends meanwhile.

import Foundation
import Linux
import Support
import Testing

@Suite struct DroppedPictureTests {
  private static let door = SamplePictures.jpeg(width: 40, height: 30, seed: 1)
  private static let hay = SamplePictures.png(width: 30, height: 20, seed: 2)

  /// A folder of pictures beside the inbox.
  private func prepare(_ bench: DaemonBench) throws {
    try FileManager.default.createDirectory(
      atPath: "\(bench.root)/inbox", withIntermediateDirectories: true)
    try bench.folder.write(Self.door, to: "root/coming/Barn/door.jpg")
    try bench.folder.write(Self.hay, to: "root/coming/Barn/2026/hay.PNG")
    try bench.folder.write(Array("no picture".utf8), to: "root/coming/Barn/2026/torn.jpg")
    try bench.folder.write(Array("notes".utf8), to: "root/coming/Barn/notes.txt")
  }

  private func bring(_ bench: DaemonBench, _ command: String) async throws {
    let end = try await bench.run([
      "sh", "-c", command, "sh", "\(bench.root)/coming", "\(bench.root)/inbox",
    ]).end()
    #expect(end.code == 0, "\(end)")
  }

  private func expectDeveloped(_ bench: DaemonBench) {
    #expect(bench.names("prints/Barn") == ["2026%2Fhay.png", "door.jpg"])
    #expect(bench.bytes("done/Barn/door.jpg") == Self.door)
    #expect(bench.bytes("done/Barn/2026/hay.PNG") == Self.hay)
    #expect(bench.text("failed/Barn/2026/torn.jpg") == "no picture")
    #expect(bench.names("failed") == ["Barn"])
    let result = bench.text("done/Barn.result.plist") ?? ""
    for text in [
      "<string>2026/torn.jpg</string>", "<string>dropped:///Barn/2026/torn.jpg</string>",
      "<key>PhotosFiltered</key>\n\t<integer>2</integer>",
      "<key>PhotosFailed</key>\n\t<integer>1</integer>",
    ] { #expect(result.contains(text), "\(result)") }
    #expect(bench.text("inbox/Barn/notes.txt") == "notes")
  }

  @Test(
    "A folder becomes prints and comes back",
    arguments: [
      "mv $1/Barn $2/", "cp -r $1/Barn $2/", "tar c -C $1 Barn | tar x -C $2",
      "mkdir -p $2/Barn/2026 && cp $1/Barn/*.* $2/Barn/ && cp $1/Barn/2026/* $2/Barn/2026/",
    ])
  func folder(_ command: String) async throws {
    try await DaemonBench.use { bench in
      try prepare(bench)
      try await bring(bench, command)
      let end = try await bench.runUntilIdle()
      #expect(end.code == 3, "\(end)")
      expectDeveloped(bench)
      #expect(bench.names("state/originals").isEmpty)
      #expect(
        end.errors.contains("Barn/notes.txt") && end.errors.contains("does not end in .jpg"),
        "\(end.errors)")
    }
  }

  @Test func `wait knows a single picture that is still in the inbox`() async throws {
    // Long enough to be seen there.
    let settings = DaemonBench.settings.replacing("QuietTime=250ms", with: "QuietTime=10s")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      try bench.folder.write(Self.door, to: "root/inbox/door.jpg")
      try await bench.until("it waits until it is quiet") {
        try await bench.inbox().contains { $0.name == "pictures" }
      }
      #expect(try await bench.tool("wait", "--timeout", "\(Patience.seconds)s", "door").code == 0)
      #expect(bench.names("prints/door") == ["door.jpg"])
      let missing = try await bench.tool("wait", "hay")
      #expect(missing.code == 4 && missing.errors.contains("inbox' files that wait"), "\(missing)")
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a folder that arrives while the daemon runs is taken, and what comes later as well`()
    async throws
  {
    // Longer than `cp` pauses between two pictures.
    let settings = DaemonBench.settings.replacing("QuietTime=250ms", with: "QuietTime=3s")
    try await DaemonBench.use(settings: settings) { bench in
      try prepare(bench)
      let daemon = try await bench.start()
      try await bring(bench, "mkdir $2/Barn")
      try await bench.until("the empty folder is looked at") {
        try await bench.inbox().contains { $0.name == "Barn" }
      }
      try await bring(bench, "cp -r $1/Barn/* $2/Barn/")
      #expect(try await bench.wait(for: "Barn", daemon).code == 1)
      expectDeveloped(bench)
      try bench.folder.write(Self.hay, to: "root/inbox/Barn/late.png")
      try await bench.until("the late picture is a print") {
        bench.names("prints").contains { bench.names("prints/\($0)") == ["late.png"] }
      }
      // It replaces nothing.
      #expect(bench.names("prints/Barn") == ["2026%2Fhay.png", "door.jpg"])
      #expect(try await bench.stop(daemon).code == 0)
      // The second list may not be over yet.
      #expect(!bench.names("state/originals").contains("1"))
    }
  }

  @Test func `pictures in the inbox itself become one list`() async throws {
    try await DaemonBench.use { bench in
      try bench.folder.write(Self.door, to: "root/inbox/a.jpg")
      try bench.folder.write(Self.hay, to: "root/inbox/b.png")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/pictures") == ["a.jpg", "b.png"])
      #expect(bench.names("done/pictures") == ["a.jpg", "b.png"])
      #expect(bench.names("inbox") == [".claim"])
    }
  }

  @Test func `a failed picture is tried again by retry, and by dropping it again`() async throws {
    try await DaemonBench.use { bench in
      try prepare(bench)
      try await bring(bench, "mv $1/Barn $2/")
      #expect(try await bench.runUntilIdle().code == 3)
      let daemon = try await bench.start()
      #expect(try await bench.tool("retry", "Barn").code == 0)
      #expect(try await bench.tool("wait", "2").code == 1)
      let prints = bench.names("prints/Barn")
      #expect(prints == ["2026%2Fhay.png", "door.jpg"])
      #expect(bench.origin.requests().isEmpty)
      try bench.folder.write(Self.hay, to: "root/failed/Barn/2026/torn.jpg")
      try await bring(bench, "mv $2/../failed/Barn $2/Mended")
      #expect(try await bench.wait(for: "Mended", daemon).code == 0)
      #expect(bench.names("prints/Mended") == ["2026%2Ftorn.png"])
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a cancelled list gives its pictures back`() async throws {
    try await DaemonBench.use { bench in
      try prepare(bench)
      for number in 1...40 {
        // Large ones: the list must be at work when the tool has started.
        let picture = SamplePictures.jpeg(width: 1600, height: 1200, seed: UInt32(number))
        try bench.folder.write(picture, to: "root/coming/Many/\(number).jpg")
      }
      let daemon = try await bench.start()
      try await bring(bench, "mv $1/Many $2/")
      try await daemon.says("Accepted list 'Many'")
      #expect(try await bench.tool("cancel", "Many").code == 0)
      try await bench.until("it is given back") { bench.names("done").contains("Many.plist") }
      let (done, failed) = (bench.names("done/Many"), bench.names("failed/Many"))
      #expect(Set(done + failed) == Set((1...40).map { "\($0).jpg" }))
      #expect(done.count + failed.count == 40)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a daemon that is killed again and again loses no picture and takes none twice`()
    async throws
  {
    try await DaemonBench.use { bench in
      try prepare(bench)
      for number in 1...60 {
        let picture = SamplePictures.jpeg(width: 60, height: 40, seed: UInt32(number))
        try bench.folder.write(picture, to: "root/coming/Many/\(number % 4)/\(number).jpg")
      }
      try await bring(bench, "mv $1/Many $2/")
      for round in 0..<6 {
        let daemon = try await bench.start()
        let before = bench.journal.count
        // Some time after the start, by what is recorded.
        try await bench.until("round \(round)") {
          bench.journal.count > before + round * 4 || bench.names("done").contains("Many.plist")
        }
        await daemon.cut()
      }
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("state/lists") == ["1"])
      let result = bench.text("done/Many.result.plist") ?? ""
      #expect(result.contains("<key>PhotosFiltered</key>\n\t<integer>60</integer>"))
      #expect(bench.names("prints/Many").count == 60)
      #expect((0..<4).flatMap { bench.names("done/Many/\($0)") }.count == 60)
      #expect(bench.names("inbox") == [".claim"])
    }
  }

  @Test func `a list cannot name the pictures of another`() async throws {
    try await DaemonBench.use { bench in
      try prepare(bench)
      try await bring(bench, "mv $1/Barn $2/")
      try await bench.drop([("One", "dropped:///Barn/door.jpg")], as: "mine.plist")
      #expect(try await bench.runUntilIdle().code == 3)
      #expect(bench.names("prints/mine").isEmpty)
      let result = bench.text("done/mine.result.plist") ?? ""
      #expect(result.contains("picture.gone"), "\(result)")
    }
  }

  @Test func `a folder out of which the daemon may not take pictures waits`() async throws {
    guard ThisProcess.user == 0 else { return }
    try await DaemonBench.use { bench in
      try prepare(bench)
      try await bench.give(bench.root, to: DaemonBench.stranger)
      try await bring(bench, "mv $1/Barn $2/ && chown -R 0:0 $2/Barn && chmod 755 $2/Barn")
      let daemon = try await bench.start(as: DaemonBench.stranger)
      try await bench.until("it is told") {
        try await bench.inbox().contains { $0.name == "Barn" && $0.why.contains("may not take") }
      }
      try await bring(bench, "chown -R \(DaemonBench.stranger) $2/Barn")
      try await bench.until("it is taken") { bench.names("done").contains("Barn.plist") }
      #expect(try await bench.stop(daemon).code == 0)
    }
  }
}
