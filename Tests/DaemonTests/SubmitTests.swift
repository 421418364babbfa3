// SPDX-License-Identifier: Apache-2.0
// `darkroomctl submit`: lists from a file, a pipe and the command line.

import Foundation
import Support
import Testing

@Suite struct SubmitTests {
  private struct Answer: Decodable { let list: ShownList }

  private func list(_ end: ProgramEnd) throws -> ShownList {
    try #require(end.code == 0, "\(end)")
    return try JSONDecoder().decode(Answer.self, from: Data(end.output.utf8)).list
  }

  @Test func `a submitted file is accepted as it is, and its number is shown`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let text = Array("\(urls[0])\tHills\n\(urls[1])\tLake\n".utf8)
      try bench.folder.write(text, to: "root/summer.txt")
      let daemon = try await bench.start()
      let end = try await bench.tool("--json", "submit", "\(bench.root)/summer.txt")
      let new = try list(end)
      #expect(new.id == 1 && new.name == "summer" && new.total == 2)
      try await daemon.says("Finished list 'summer'")
      #expect(bench.names("prints/summer") == ["Hills.jpg", "Lake.jpg"])
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0, "the copy is made after the end")
      #expect(bench.bytes("done/summer.txt") == text)
    }
  }

  @Test func `a list is not waited for in an inbox that the daemon does not know`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await daemon.says("/inbox is on ")
      let inbox = "\(bench.root)/inbox"
      try FileManager.default.removeItem(atPath: inbox)
      try FileManager.default.createDirectory(
        atPath: inbox, withIntermediateDirectories: false)
      let end = try await bench.tool("submit", bench.origin.url("/1.jpg"))
      #expect(end.code == 1 && end.errors.contains(" is in the inbox, but: "), "\(end)")
      #expect(end.errors.contains("is not the known inbox"), "\(end)")
      try await bench.stop(daemon)
    }
  }

  @Test func `URLs become a list with the options given, and --wait waits for it`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      let end = try await bench.tool(
        "submit", "--name", "Two", "--filter", "sepia(20%)", "--quality-of-service", "utility",
        "--wait", urls[0], urls[1])
      #expect(end.code == 0, "\(end)")
      let shown = try await bench.show("two")
      #expect(shown.serviceClass == "utility" && shown.state == "finished")
      #expect(shown.photos.map(\.name) == ["1.jpg", "2.jpg"])
      #expect(shown.photos.map(\.print) == ["1.jpg", "2.jpg"])
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 0)
      let copy = String(decoding: bench.bytes("done/Two.json") ?? [], as: UTF8.self)
      #expect(copy.contains(#""Filter":"sepia(0.2)""#))
    }
  }

  @Test func `a folder and single pictures are submitted as a folder, and stay where they were`()
    async throws
  {
    try await DaemonBench.use { bench in
      let picture = SamplePictures.jpeg(width: 40, height: 30)
      for path in ["Barn/door.jpg", "Barn/2026/hay.jpg", "Barn/notes.txt", "one.jpg", "two.jpeg"] {
        try bench.folder.write(picture, to: "root/own/\(path)")
      }
      let own = "\(bench.root)/own"
      let daemon = try await bench.start()
      let barn = try await bench.tool("--json", "submit", "--wait", "\(own)/Barn/")
      #expect(barn.code == 0 && barn.errors.contains("1 file is not a picture"), "\(barn)")
      #expect(bench.names("prints/Barn") == ["2026%2Fhay.jpg", "door.jpg"])
      let one = try await bench.tool("submit", "--wait", "\(own)/one.jpg")
      #expect(one.code == 0 && bench.names("prints/one") == ["one.jpg"], "\(one)")
      let two = try await bench.tool(
        "submit", "--name", "Two", "--wait", "\(own)/one.jpg", "\(own)/two.jpeg")
      #expect(two.code == 0 && bench.names("prints/Two") == ["one.jpg", "two.jpg"], "\(two)")
      #expect(bench.names("own") == ["Barn", "one.jpg", "two.jpeg"])
      // The second folder of a name is another list, whatever became of the first.
      try bench.folder.write(Array("no picture".utf8), to: "root/own/Barn/door.jpg")
      let again = try await bench.tool("--json", "submit", "--wait", "\(own)/Barn")
      #expect(again.code == 1 && again.output.contains(#""id":4"#), "\(again)")
      #expect(bench.names("inbox") == [".claim"])
      for (words, why) in [
        (["\(own)/one.jpg", "\(own)/Barn/../one.jpg"], "two of the pictures are called 'one.jpg'"),
        (["--filter", "sepia(1)", "\(own)/Barn"], "pictures have no options of their own"),
        (["\(bench.root)/state"], "there is no picture in it"),
      ] {
        let end = try await bench.tool(["submit"] + words)
        #expect(end.code == 1 && end.errors.contains(why), "\(end)")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `a list from a pipe has a name of its own, so that it takes over from none`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try bench.folder.write(Array("\(urls[0])\n".utf8), to: "root/a")
      let tool = "darkroomctl --root \(bench.root) --json submit -"
      for _ in 0..<2 {
        let end = try await bench.launch(
          tool, [], through: ["/bin/sh", "-c", "cat \(bench.root)/a | $0"]
        ).end()
        let new = try list(end)
        #expect(new.name.hasPrefix("submitted-") && new.total == 1)
      }
      #expect(Set(try await bench.lists().map(\.name)).count == 2)
      try await bench.stop(daemon)
    }
  }

  @Test func `a pipe of the shell is read to its end, however slowly it is written`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      let fifo = "\(bench.root)/fifo"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      let closings = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      defer { close(closings) }
      try #require(
        unsafe inotify_add_watch(closings, fifo, UInt32(IN_OPEN | IN_CLOSE_NOWRITE)) >= 0)
      // The writer opens the FIFO only when the tool has been started.
      let end = try await bench.launch(
        "darkroomctl --root \(bench.root) --json submit \(fifo)", [],
        through: [
          "/bin/sh", "-c",
          "(echo \(urls[0]); echo \(urls[1])) > \(fifo) & $0",
        ]
      ).end()
      let new = try list(end)
      #expect(new.name.hasPrefix("submitted-") && new.total == 2)
      // What a writer wrote before a second opening would be lost.
      var events = [inotify_event](repeating: inotify_event(), count: 100)
      let size = unsafe read(closings, &events, events.count * MemoryLayout<inotify_event>.stride)
      let found = events.prefix(max(size, 0) / MemoryLayout<inotify_event>.stride)
      #expect(found.count { $0.mask & UInt32(IN_CLOSE_NOWRITE) != 0 } == 1)
      try await bench.stop(daemon)
    }
  }

  @Test func `a name with a backslash is found, and is not that of another list`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.start()
      for name in [#"c\d"#, "5", "a*"] {
        let new = try list(try await bench.tool("--json", "submit", "--name", name, urls[0]))
        #expect(new.name == name)
      }
      #expect(try await bench.lists().count == 3)
      try await bench.stop(daemon)
      #expect(!daemon.errors.contains(".darkroom-"))
    }
  }

  @Test func `a file that cannot be read as a list is refused before it is in the inbox`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try bench.folder.write(Array("<plist><dict>".utf8), to: "root/bad.plist")
      let end = try await bench.tool("submit", "\(bench.root)/bad.plist")
      #expect(end.code == 1 && end.output.isEmpty)
      #expect(
        end.errors.hasPrefix("darkroomctl: Could not submit \(bench.root)/bad.plist: line 1: "))
      let missing = try await bench.tool("submit", "\(bench.root)/none.plist")
      #expect(missing.code == 1)
      let hidden = try await bench.tool("submit", "--name", ".x", "https://a.example/1.jpg")
      #expect(
        hidden.errors
          == "darkroomctl: Could not submit the URL: '.x.txt' cannot be the name of a list. "
          + "Choose another with --name\n")
      #expect(try await bench.inbox().isEmpty)
      try await bench.stop(daemon)
    }
    try await DaemonBench.use { bench in
      let end = try await bench.tool("submit", "https://a.example/1.jpg")
      #expect(end.code == 7, "no daemon runs")
    }
  }

  @Test func `photos that cannot be processed are counted, and options need a sound list`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let text = Array("\(urls[0])\nftp://a.example/b.jpg\n".utf8)
      try bench.folder.write(text, to: "root/mixed.txt")
      let daemon = try await bench.start()
      let refused = try await bench.tool(
        "submit", "--quality", "50", "\(bench.root)/mixed.txt")
      #expect(
        refused.errors
          == "darkroomctl: Could not submit \(bench.root)/mixed.txt: 1 of 2 photos cannot be "
          + "processed. Correct the list, or submit it without options\n")
      let taken = try await bench.tool("submit", "--wait", "\(bench.root)/mixed.txt")
      #expect(taken.code == 1)
      #expect(
        taken.errors
          == "darkroomctl: 1 of 2 photos cannot be processed; 'darkroomctl check' says why\n")
      try await bench.stop(daemon)
    }
  }
}
