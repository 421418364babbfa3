// SPDX-License-Identifier: Apache-2.0
// The inbox under the mounts, limits and modes of a real machine: the acts of an operator, the reports
// of the daemon, and the recovery. Mounts are made in the daemon's own namespace.

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
    /// Commands to run in order, each with the words that the daemon says after it.
    var mend: [(command: String, words: String)]
    var leavesBare = false
  }

  static let mishaps = [
    Mishap(
      testDescription: "something is mounted over it, and unmounted",
      act: "mount -t tmpfs none $inbox", words: "it has no .claim folder owned by the daemon",
      mend: [("umount $inbox", "is working again")]),
    Mishap(
      testDescription: "another folder is bound over it, and unmounted",
      act: "mkdir -p $inbox/../other && mount --bind $inbox/../other $inbox",
      words: "it has no .claim folder owned by the daemon",
      mend: [("umount $inbox", "is working again")]),
    Mishap(
      testDescription: "it is unmounted, mounted anew without its mark, and gets the mark",
      before: "mount -t tmpfs none $inbox", act: "umount $inbox", words: "the inbox is not mounted",
      mend: [
        ("mount -t tmpfs none $inbox", "it has no .claim folder owned by the daemon"),
        ("mkdir -m 700 $inbox/.claim", "is working again"),
      ], leavesBare: true),
    Mishap(
      testDescription: "it is mounted read-only, and writable again",
      before: "mount -t tmpfs none $inbox", act: "mount -o remount,ro $inbox",
      words: "the inbox is on a read-only file system",
      mend: [("mount -o remount,rw $inbox", "is working again")]),
  ]

  @Test(.enabled(if: DaemonBench.mayMount, noMounts), arguments: mishaps)
  func `each mishap with a mount is reported, and the inbox recovers by itself`(
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
      // The folder below the mount point, which this process sees, stays bare.
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
  func `lists at work are finished while the inbox is gone`() async throws {
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
      try await daemon.says("is working again")
    }
  }

  @Test(
    .enabled(if: DaemonBench.isRoot, "only root can act for two users"),
    arguments: [
      ("000", "the inbox cannot be opened"), ("555", "no file may leave the inbox"),
    ])
  func `a mode that keeps us out is reported, and the inbox recovers with the mode`(
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
      try await daemon.says("is working again")
      try await daemon.says("Accepted list 'list'")
    }
  }

  private static let noUserSpaces: Comment =
    "user namespaces are needed to have limits of one's own"
  private static let maySplit = ChildProgram.succeeds(["unshare", "-U", "-r", "true"])

  @Test(.enabled(if: maySplit, noUserSpaces), arguments: ["watches", "instances"])
  func `an inbox that cannot be watched is polled and reported; a reload tries again`(
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
      try await daemon.says("is working again")
    }
  }

  static let noFUSE: Comment = "bindfs and /dev/fuse are needed, and root"
  static let hasFUSE =
    DaemonBench.mayMount && DaemonBench.has("bindfs")
    && FileManager.default.fileExists(atPath: "/dev/fuse")

  @Test(.enabled(if: hasFUSE, noFUSE))
  func `an inbox on FUSE is polled, and nothing else waits when its file system hangs`()
    async throws
  {
    // Long enough to see half a list, and to complete it, before it is rejected.
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nRescanInterval=1s")
      .replacing("QuietTime=250ms", with: "QuietTime=20s")
    try await DaemonBench.use(settings: settings) { bench in
      let files = FileManager.default
      let behind = "\(bench.root)/behind"
      try files.createDirectory(atPath: behind, withIntermediateDirectories: true)
      // The daemon starts first: bindfs must run in its mount namespace.
      let daemon = try await bench.startApart()
      let server = try await bench.run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "bindfs", "-f", "-o", "nonempty", behind,
        "\(bench.root)/inbox",
      ])
      try await daemon.says("it has no .claim folder owned by the daemon")
      try files.createDirectory(
        atPath: "\(behind)/.claim", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      try await daemon.says("on FUSE, where files may change unseen")
      #expect(try await bench.tool("status").output.contains("on FUSE, where files may change"))
      // Written behind FUSE, as by another machine: no event, no lease.
      let list = PhotoListText.dictionary([("One", "file:///nowhere/1.jpg")])
      try Data(list.prefix(list.count / 2)).write(to: URL(filePath: "\(behind)/.half"))
      try files.moveItem(atPath: "\(behind)/.half", toPath: "\(behind)/slow.plist")
      try await bench.untilAccount(of: "slow.plist") { $0.fate == "waiting" }
      let handle = try FileHandle(forWritingTo: URL(filePath: "\(behind)/slow.plist"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(list.suffix(list.count - list.count / 2)))
      try handle.close()
      try await daemon.says("Accepted list 'slow'")
      // The file system hangs, and other requests are still answered.
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

@Suite struct HungMountTests {
  private static let settings = DaemonBench.settings.replacing(
    "[Inbox]", with: "[Inbox]\nRescanInterval=1s")

  @Test(
    .enabled(if: MountedInboxTests.hasFUSE, MountedInboxTests.noFUSE),
    arguments: ["Holiday", "a.plist", "Holiday/Inner"])
  func `a mount in the inbox that hangs holds up no drop of other names`(
    name: String
  ) async throws {
    try await DaemonBench.use(settings: Self.settings) { bench in
      let files = FileManager.default
      let (behind, place) = ("\(bench.root)/behind", "\(bench.root)/inbox/\(name)")
      let daemon = try await bench.startApart()
      for folder in [behind, place] {
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      let server = try await bench.run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "bindfs", "-f", behind, place,
      ])
      let seen = "\(bench.seenInbox(daemon))/\(name)"
      try await bench.until("it is mounted") {
        try bench.device(seen) != bench.device("\(bench.root)/inbox")
      }
      try await server.halt()
      try bench.dropSeen([("One", "file:///nowhere/1.jpg")], as: "barn.plist", daemon)
      try await daemon.says("Accepted list 'barn'")
      // Other looks follow.
      try bench.dropSeen([("One", "file:///nowhere/1.jpg")], as: "cow.plist", daemon)
      try await daemon.says("Accepted list 'cow'")
      let top = name.split(separator: "/").first.map(String.init)
      let file = try await bench.inbox().first { $0.name == top }
      #expect(
        name.contains("/") || file?.why.contains("another file system is mounted there") == true,
        "\(file as Any)")
      server.send(SIGCONT)
      try await bench.stop(daemon)
    }
  }
}

extension DaemonBench {
  func device(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return (facts[.systemNumber] as? NSNumber)?.intValue ?? 0
  }

  /// Asks for the account of the inbox until the file is shown this way.
  func untilAccount(of name: String, _ holds: (ShownFile) -> Bool) async throws {
    try await until("\(name) is shown this way") {
      try await inbox().contains { $0.name == name && holds($0) }
    }
  }
}
