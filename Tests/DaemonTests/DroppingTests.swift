// SPDX-License-Identifier: Apache-2.0
// Lists brought in by the programs that people really use, while users, operators and full disks
// interfere. No list is lost, and none is taken twice.

import Foundation
import Linux
import Support
import Testing

@Suite struct DroppingTests {
  struct Tool: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let program: String
    /// Gets the whole list as `$1` and the inbox as `$2`, and leaves list.plist there.
    let command: String
  }

  static let tools = [
    Tool(testDescription: "cp", program: "cp", command: "cp $1 $2/list.plist"),
    Tool(testDescription: "cp -p", program: "cp", command: "cp -p $1 $2/list.plist"),
    Tool(testDescription: "mv", program: "mv", command: "mv $1 $2/list.plist"),
    Tool(
      testDescription: "mv from another file system", program: "mv",
      command: "cp $1 /dev/shm/darkroom-$$ && mv /dev/shm/darkroom-$$ $2/list.plist"),
    Tool(testDescription: "ln", program: "ln", command: "ln $1 $2/list.plist"),
    Tool(
      testDescription: "install", program: "install", command: "install -m 644 $1 $2/list.plist"),
    Tool(testDescription: "tee", program: "tee", command: "tee $2/list.plist < $1 > /dev/null"),
    Tool(
      testDescription: "dd, a block at a time", program: "dd",
      command: "dd if=$1 of=$2/list.plist bs=16 2> /dev/null"),
    Tool(
      testDescription: "tar", program: "tar",
      command: "cd ${1%/*} && tar c list.plist | tar x -C $2"),
    Tool(testDescription: "rsync", program: "rsync", command: "rsync $1 $2/list.plist"),
    Tool(
      testDescription: "rsync --inplace", program: "rsync",
      command: "rsync --inplace $1 $2/list.plist"),
    Tool(
      testDescription: "rsync killed half-way, and again", program: "rsync",
      command: "head -c 100 $1 > $2/.list.plist.Ab12Cd; rsync $1 $2/list.plist"),
    Tool(
      testDescription: "sed -i of half a list", program: "sed",
      command: "sed 's/dict>/sict>/g' $1 > $2/list.plist; sed -i 's/sict>/dict>/g' $2/list.plist"),
    Tool(
      testDescription: "vim", program: "vim",
      command: "vim -u NONE -es -c 'read '$1 -c '1delete' -c 'wq '$2/list.plist; true"),
    Tool(
      testDescription: "sftp", program: "sftp-server",
      command: "echo put $1 $2/list.plist | sftp -q -D /usr/lib/openssh/sftp-server > /dev/null"),
    Tool(
      testDescription: "chattr +i, and -i a while later", program: "chattr",
      command: "cp $1 $2/list.plist && chattr +i $2/list.plist && lsattr $2 > /dev/null; "
        + "chattr -i $2/list.plist"),
  ]

  @Test func `whichever program brings a list in, it is one list, and the inbox is empty`()
    async throws
  {
    // Long enough that no half-written list is rejected. A list that a lease proves whole does not wait
    // for it.
    let settings = DaemonBench.settings.replacing("QuietTime=250ms", with: "QuietTime=10s")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      let attributes = "touch $1 && chattr +i $1 && chattr -i $1 && rm $1"
      let mayFix = ChildProgram.succeeds(["sh", "-c", attributes, "sh", "\(bench.root)/fixed"])
      for (number, tool) in Self.tools.enumerated() where DaemonBench.has(tool.program) {
        if tool.program == "chattr", !mayFix { continue }
        let text = PhotoListText.dictionary([("One", "file:///nowhere/\(number).jpg")])
        try bench.folder.write(text, to: "root/arriving/list.plist")
        let end = try await bench.run([
          "sh", "-c", tool.command, "sh", "\(bench.root)/arriving/list.plist",
          "\(bench.root)/inbox",
        ]).end()
        #expect(end.code == 0, "\(tool.testDescription): \(end)")
        try await bench.until("\(tool.testDescription) has its list") {
          !FileManager.default.fileExists(atPath: "\(bench.root)/inbox/list.plist")
        }
        let mark = "/nowhere/\(number).jpg"
        let lists = bench.names("state/lists").filter {
          bench.text("state/lists/\($0)/list.plist")?.contains(mark) == true
        }
        #expect(lists.count == 1, "\(tool.testDescription): \(lists)")
      }
      #expect(!daemon.errors.contains("Could not accept"), "\(daemon.errors)")
    }
  }

  @Test func `a hundred lists are accepted, each once, while the settings are reloaded`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      for number in 1...100 {
        try bench.folder.write(
          PhotoListText.dictionary([("One", "file:///nowhere/\(number).jpg")]),
          to: "root/inbox/.\(number)")
        try FileManager.default.moveItem(
          atPath: "\(bench.root)/inbox/.\(number)", toPath: "\(bench.root)/inbox/\(number).plist")
        if number.isMultiple(of: 25) { #expect(try await bench.reload().code == 0) }
      }
      try await daemon.says("Accepted list", times: 100)
      #expect(daemon.errors.components(separatedBy: "Accepted list").count == 101)
      try await bench.until("all have left the inbox") { bench.names("inbox") == [".claim"] }
    }
  }

  @Test func `writers that open lists while they are read neither end the daemon nor lose a list`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      let inbox = "\(bench.root)/inbox"
      let names = (1...60).map { "\($0).plist" }
      for name in names {
        try bench.folder.write(
          PhotoListText.dictionary([("One", "file:///nowhere/\(name).jpg")]), to: "root/inbox/.n")
        try FileManager.default.moveItem(atPath: "\(inbox)/.n", toPath: "\(inbox)/\(name)")
      }
      // Each open breaks a lease that is held at that moment, and changes nothing. The writers stop at last:
      // they may be faster than the claims.
      var rounds = 0
      try await bench.until("all of them are out of the inbox") {
        rounds += 1
        for name in names where rounds < 200 {
          let file = unsafe open("\(inbox)/\(name)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
          if file >= 0 { close(file) }
        }
        return bench.names("inbox") == [".claim"]
      }
      try await daemon.says("Accepted list", times: 60)
      #expect(daemon.isRunning)
      #expect(bench.names("state/lists").count { Int($0) != nil } == 60)
    }
  }

  @Test(arguments: ["done", "failed"])
  func `a removed done or failed folder is reported, and used again once it exists`(
    _ folder: String
  ) async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try FileManager.default.removeItem(atPath: "\(bench.root)/\(folder)")
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "good.plist")
      try await bench.drop(Array("no list".utf8), as: "bad.plist")
      try await daemon.says("This machine is in trouble")
      try await daemon.says("Accepted list 'good'")
      if folder == "failed" {
        #expect(bench.text("inbox/bad.plist") == "no list")
      }
      try FileManager.default.createDirectory(
        atPath: "\(bench.root)/\(folder)", withIntermediateDirectories: false)
      try await bench.until("both are where they belong") {
        bench.copies == ["good.plist"] && bench.text("failed/bad.plist") == "no list"
          && bench.names("inbox") == [".claim"]
      }
    }
  }

  @Test func `with MaximumLists= lists at work, the next one waits until one is over`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nMaximumLists=2")
    try await DaemonBench.use(settings: settings) { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      // The origin never answers, so these lists stay at work.
      for name in ["a", "b"] {
        try await bench.drop([("One", bench.origin.url("/hang?gate=never"))], as: "\(name).plist")
        try await daemon.says("Accepted list '\(name)'")
      }
      try await bench.drop([("One", url)], as: "c.plist")
      try await daemon.says("queue full: 2 lists are at work already")
      let waiting = try await bench.inbox().first { $0.name == "c.plist" }
      #expect(waiting?.fate == "waiting" && waiting?.why.hasPrefix("queue full") == true)
      #expect(try await bench.tool("status").output.contains("queue full"))
      #expect(try await bench.tool("cancel", "a").code == 0)
      try await daemon.says("Accepted list 'c'")
      try await daemon.says("is working again")
    }
  }

  @Test(.enabled(if: DaemonBench.mayMount, MountedInboxTests.noMounts))
  func `a disk that fills up at any step is waited out, and no photo fails`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Filter]", with: "FreeSpace=0\n[Filter]")
    try await DaemonBench.use(settings: settings) { bench in
      let urls = try bench.serveSamples(6)
      let text = PhotoListText.dictionary(urls.enumerated().map { ("Photo \($0)", $1) })
      // The daemon's root is one small disk, settings included.
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        through: [
          "unshare", "-m", "--propagation", "private", "sh", "-c",
          """
          cp $1/darkroomd.conf /dev/shm/conf-$$ && mount -t tmpfs -o size=40M none $1 \
          && mv /dev/shm/conf-$$ $1/darkroomd.conf && shift && exec "$@"
          """, "sh", bench.root,
        ])
      try await daemon.says(" is ready: ")
      let root = "/proc/\(daemon.pid)/root\(bench.root)"
      for round in 1...6 {
        // The list is written first, then little room is left: each round runs out at another step.
        let name = "round\(round)"
        try Data(text).write(to: URL(filePath: "\(root)/\(name).plist"))
        let filler = "\(root)/filler"
        _ = await HelperProcess.status(of: [
          "sh", "-c",
          "cat /dev/zero > \(filler) 2> /dev/null; truncate -s -\(round * 6)K \(filler)",
        ])
        try FileManager.default.moveItem(
          atPath: "\(root)/\(name).plist", toPath: "\(root)/inbox/\(name).plist")
        try await daemon.says("no space left on device", times: round)
        try FileManager.default.removeItem(atPath: filler)
        try await daemon.says("Finished list '\(name)': 6 of 6 photos filtered.")
      }
      #expect(!daemon.errors.contains("giving up"))
      daemon.send(SIGTERM)
      #expect(try await daemon.end().code == 0)
    }
  }
}
