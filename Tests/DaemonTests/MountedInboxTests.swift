// SPDX-License-Identifier: Apache-2.0
// The inbox on mounts, limits and rights of a real machine: what an operator does to it, what the daemon
// says of it, and that it works again by itself. Mounts are made in a namespace of the daemon's own.

import Foundation
import Support
import Testing

@Suite struct MountedInboxTests {
  static let noMounts: Comment = "only root may mount, and some machines do not let it"

  struct Mishap: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var before = ":"
    let act: String
    let words: String
    /// One after the other; what each but the last leads to is told in words of its own.
    var mend: [(command: String, words: String)]
    var leavesBare = false
  }

  static let mishaps = [
    Mishap(
      testDescription: "something is mounted over it, and unmounted",
      act: "mount -t tmpfs none $inbox", words: "there is no .claim of ours in it",
      mend: [("umount $inbox", "is well again")]),
    Mishap(
      testDescription: "another folder is bound over it, and unmounted",
      act: "mkdir -p $inbox/../other && mount --bind $inbox/../other $inbox",
      words: "there is no .claim of ours in it", mend: [("umount $inbox", "is well again")]),
    Mishap(
      testDescription: "it is unmounted, mounted anew without its mark, and gets the mark",
      before: "mount -t tmpfs none $inbox", act: "umount $inbox", words: "the inbox is not mounted",
      mend: [
        ("mount -t tmpfs none $inbox", "there is no .claim of ours in it"),
        ("mkdir -m 700 $inbox/.claim", "is well again"),
      ], leavesBare: true),
    Mishap(
      testDescription: "it is mounted read-only, and writable again",
      before: "mount -t tmpfs none $inbox", act: "mount -o remount,ro $inbox",
      words: "the inbox is on a read-only file system",
      mend: [("mount -o remount,rw $inbox", "is well again")]),
  ]

  @Test(.enabled(if: DaemonBench.mayMount, noMounts), arguments: mishaps)
  func `whatever is mounted, it is said, work goes on, and it is well again by itself`(
    _ mishap: Mishap
  ) async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let daemon = try await bench.startApart(after: mishap.before)
      try bench.dropSeen([("One", urls[0])], as: "first.plist", daemon)
      #expect(try await bench.wait(for: "first", daemon).code == 0)
      try await bench.apart(daemon, mishap.act)
      try await daemon.says(mishap.words)
      let status = try await bench.tool("status")
      #expect(status.output.contains(mishap.words), "\(status)")
      let account = try await bench.tool("inbox")
      #expect(account.output.contains(mishap.words), "\(account)")
      #expect(status.output.contains("Inbox in trouble") == false)
      // Where it is unmounted, what can be seen is the folder below.
      if mishap.leavesBare { #expect(bench.names("inbox").isEmpty) }
      for step in mishap.mend {
        try await bench.apart(daemon, step.command)
        try await daemon.says(step.words)
      }
      try bench.dropSeen([("Two", urls[0])], as: "second.plist", daemon)
      #expect(try await bench.wait(for: "second", daemon).code == 0)
      let troubles = daemon.errors.components(separatedBy: "The inbox is in trouble").count - 1
      #expect(troubles == mishap.mend.count, "\(daemon.errors)")
    }
  }

  @Test(.enabled(if: DaemonBench.mayMount, noMounts))
  func `lists at work are finished while their inbox is away`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(40)
      let daemon = try await bench.start()
      try await bench.drop(urls.enumerated().map { ("Photo \($0)", $1) }, as: "long.plist")
      try await daemon.says("Accepted list 'long'")
      try FileManager.default.moveItem(
        atPath: "\(bench.root)/inbox", toPath: "\(bench.root)/away")
      try await daemon.says("the inbox cannot be opened")
      #expect(try await bench.tool("wait", "--timeout", "\(Patience.seconds)s", "1").code == 0)
      try FileManager.default.moveItem(
        atPath: "\(bench.root)/away", toPath: "\(bench.root)/inbox")
      try await daemon.says("is well again")
    }
  }

  @Test(
    .enabled(if: DaemonBench.isRoot, "only root can act for two users"),
    arguments: [
      ("000", "the inbox cannot be opened"), ("555", "we may take nothing out of the inbox"),
    ])
  func `a mode that keeps us out is told, and once it is right all is well`(
    _ mode: String, _ words: String
  ) async throws {
    try await DaemonBench.use { bench in
      try await bench.give(bench.root, to: DaemonBench.stranger)
      let daemon = try await bench.start(as: DaemonBench.stranger)
      #expect(await HelperProcess.status(of: ["chmod", mode, "\(bench.root)/inbox"]) == 0)
      try await daemon.says(words)
      try await bench.dropForeign([("One", "file:///nowhere/1.jpg")], as: "list.plist")
      #expect(try await bench.tool("inbox", as: DaemonBench.stranger).output.contains(words))
      #expect(!daemon.errors.contains("Accepted list"))
      #expect(await HelperProcess.status(of: ["chmod", "755", "\(bench.root)/inbox"]) == 0)
      try await daemon.says("is well again")
      try await daemon.says("Accepted list 'list'")
    }
  }

  private static let noUserSpaces: Comment =
    "user namespaces are needed to have limits of one's own"
  private static let maySplit = ChildProgram.succeeds(["unshare", "-U", "-r", "true"])

  @Test(.enabled(if: maySplit, noUserSpaces), arguments: ["watches", "instances"])
  func `without room for a watch it looks every few seconds and says so; a reload tries again`(
    _ limit: String
  ) async throws {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nRescanInterval=1s")
    try await DaemonBench.use(settings: settings) { bench in
      let file = "/proc/sys/user/max_inotify_\(limit)"
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        through: ["unshare", "-U", "-r", "sh", "-c", "echo 0 > \(file) && exec \"$@\"", "sh"])
      try await daemon.says("the inbox cannot be watched")
      #expect(daemon.errors.contains("fs.inotify.max_user_\(limit)"))
      try await bench.drop([("One", "file:///nowhere/1.jpg")], as: "polled.plist")
      try await daemon.says("Accepted list 'polled'")
      #expect(try await bench.tool("status").output.contains("the inbox cannot be watched"))
      let raised = await HelperProcess.status(of: [
        "nsenter", "-t", "\(daemon.pid)", "-U", "--preserve-credentials", "sh", "-c",
        "echo 100 > \(file)",
      ])
      #expect(raised == 0)
      #expect(try await bench.reload().code == 0)
      try await daemon.says("is well again")
    }
  }

  private static let noFUSE: Comment = "bindfs and /dev/fuse are needed, and root"
  private static let hasFUSE =
    DaemonBench.mayMount && DaemonBench.has("bindfs")
    && FileManager.default.fileExists(atPath: "/dev/fuse")

  @Test(.enabled(if: hasFUSE, noFUSE))
  func `on FUSE it is polled, waits for quiet, and a file system that hangs stops nothing else`()
    async throws
  {
    // Long enough that half a list is seen, and made whole, before it is turned away.
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nRescanInterval=1s")
      .replacing("QuietTime=250ms", with: "QuietTime=3s")
    try await DaemonBench.use(settings: settings) { bench in
      let files = FileManager.default
      let behind = "\(bench.root)/behind"
      try files.createDirectory(atPath: behind, withIntermediateDirectories: true)
      // Somewhere else first: bindfs must live beside the daemon, with its mounts.
      let daemon = try await bench.startApart()
      let server = try await bench.run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "bindfs", "-f", "-o", "nonempty", behind,
        "\(bench.root)/inbox",
      ])
      try await daemon.says("there is no .claim of ours in it")
      try files.createDirectory(
        atPath: "\(behind)/.claim", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      try await daemon.says("on FUSE, which others may change unseen")
      #expect(try await bench.tool("status").output.contains("on FUSE, which others may change"))
      // By another machine, as it were: no event, no lease.
      let list = PhotoListText.dictionary([("One", "file:///nowhere/1.jpg")])
      try Data(list.prefix(list.count / 2)).write(to: URL(filePath: "\(behind)/.half"))
      try files.moveItem(atPath: "\(behind)/.half", toPath: "\(behind)/slow.plist")
      try await bench.untilAccount(of: "slow.plist") { $0.fate == "waiting" }
      let handle = try FileHandle(forWritingTo: URL(filePath: "\(behind)/slow.plist"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(list.suffix(list.count - list.count / 2)))
      try handle.close()
      try await daemon.says("Accepted list 'slow'")
      // It hangs: who asks for something else gets an answer.
      try await server.halt()
      let end = try await bench.tool("list")
      #expect(end.code == 0 && end.output.contains("slow"))
      server.send(SIGCONT)
      try Data(list).write(to: URL(filePath: "\(behind)/.next"))
      try files.moveItem(atPath: "\(behind)/.next", toPath: "\(behind)/next.plist")
      try await daemon.says("Accepted list 'next'")
      try await bench.stop(daemon)
    }
  }
}

extension DaemonBench {
  /// Asks until the file is told of in that way.
  func untilAccount(of name: String, _ holds: (ShownFile) -> Bool) async throws {
    try await until("\(name) is told of so") {
      try await inbox().contains { $0.name == name && holds($0) }
    }
  }
}
