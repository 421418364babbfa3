// SPDX-License-Identifier: Apache-2.0
// Pictures and lists in the inbox: other members of its group neither read, rename nor remove what `submit` puts there,
// and the daemon takes it. Three users: the daemon, the owner of the pictures, another member.

import Foundation
import Support
import Testing

@Suite(.enabled(if: DaemonBench.isRoot, "only root can play three users"))
struct OthersPicturesTests {
  private static let (daemon, owner, member): (UInt32, UInt32, UInt32) = (54_321, 54_322, 54_323)
  /// Of the inbox and all three.
  private static let group: UInt32 = 54_330

  private static func become(_ user: UInt32) -> [String] {
    ["setpriv", "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"]
  }

  private static func acts(on folder: String, _ picture: String) -> [String] {
    [
      "ls '\(folder)'", "cat '\(folder)/\(picture)'", "rm -f '\(folder)/\(picture)'",
      "mv '\(folder)/\(picture)' '\(folder)/x.jpg'", "mv '\(folder)' '\(folder).mine'",
      "touch '\(folder)/new.jpg'", "chmod 777 '\(folder)'",
    ]
  }

  /// The folders as systemd-tmpfiles makes them.
  private static func open(_ bench: DaemonBench) async throws {
    let script = """
      set -e; cd \(bench.root); mkdir -p inbox/.claim; chown -R \(daemon):\(group) .; chmod 755 .
      chmod 3772 inbox; chmod 700 inbox/.claim
      """
    #expect(await HelperProcess.status(of: ["/bin/sh", "-c", script]) == 0)
  }

  @Test func `what submit puts into the inbox is for its owner and the daemon`() async throws {
    // It lies there until the daemon starts again.
    let settings = DaemonBench.settings.replacing("QuietTime=250ms", with: "QuietTime=1h")
    try await DaemonBench.use(settings: settings) { bench in
      for path in ["Barn/door.jpg", "Barn/2026/hay.jpg"] {
        try bench.folder.write(SamplePictures.jpeg(width: 40, height: 30), to: "own/\(path)")
      }
      try await bench.give("\(bench.folder.path)/own", to: Self.owner)
      try await Self.open(bench)
      let first = try await bench.start(as: Self.daemon)
      let socket = "\(bench.root)/control"
      #expect(await HelperProcess.status(of: ["chgrp", "\(Self.group)", socket]) == 0)
      _ = try await bench.launch(
        "darkroomctl", ["--root", bench.root, "submit", "\(bench.folder.path)/own/Barn"],
        from: "\(bench.folder.path)/programs", through: Self.become(Self.owner))
      try await bench.until("the folder is there") { bench.names("inbox").contains("Barn") }
      let barn = "\(bench.root)/inbox/Barn"
      for act in Self.acts(on: barn, "door.jpg") + Self.acts(on: "\(barn)/2026", "hay.jpg") {
        let words = Self.become(Self.member) + ["/bin/sh", "-c", act]
        #expect(await HelperProcess.status(of: words) != 0, "\(act)")
      }
      #expect(try bench.mode("inbox/Barn") & 0o7 == 0)
      try await bench.stop(first)
      try bench.settings(DaemonBench.settings)
      let second = try await bench.start(as: Self.daemon)
      try await second.says("Finished list 'Barn'")
      #expect(bench.names("prints/Barn") == ["2026%2Fhay.jpg", "door.jpg"])
      #expect(!bench.names("inbox").contains("Barn"))
      try await bench.stop(second)
    }
  }

  private static let protectsLinks =
    (try? String(contentsOfFile: "/proc/sys/fs/protected_symlinks", encoding: .utf8)) == "1\n"

  /// As `cp holiday.txt INBOX/` does it.
  @Test(.enabled(if: protectsLinks, "fs.protected_symlinks is off"))
  func `a link in the inbox leads no other member to write through it`() async throws {
    try await DaemonBench.use { bench in
      try await Self.open(bench)
      try bench.folder.write(Array("new".utf8), to: "own/holiday.txt")
      try bench.folder.write(Array("kept".utf8), to: "own/.bashrc")
      let own = "\(bench.folder.path)/own"
      try await bench.give(own, to: Self.owner)
      let inbox = "\(bench.root)/inbox"
      for (name, target) in [("holiday.txt", "\(own)/.bashrc"), ("folder", own)] {
        let link = ["ln", "-s", target, "\(inbox)/\(name)"]
        #expect(await HelperProcess.status(of: Self.become(Self.member) + link) == 0)
        let copy = ["cp", "\(own)/holiday.txt", "\(inbox)/\(name)"]
        #expect(await HelperProcess.status(of: Self.become(Self.owner) + copy) != 0, "\(name)")
      }
      #expect(try String(contentsOfFile: "\(own)/.bashrc", encoding: .utf8) == "kept")
      // Users who are not in the group have no access.
      let stranger = [
        "setpriv", "--reuid", "54324", "--regid", "54324", "--clear-groups", "sh", "-c",
      ]
      for act in ["ls \(inbox)", "touch \(inbox)/a.plist", "cat \(inbox)/holiday.txt"] {
        #expect(await HelperProcess.status(of: stranger + [act]) != 0, "\(act)")
      }
    }
  }

  @Test func `submit and wait end with the reason when the daemon ignores the folder`() async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nPictures=no")
    try await DaemonBench.use(settings: settings) { bench in
      try bench.folder.write(SamplePictures.jpeg(width: 40, height: 30), to: "own/Barn/door.jpg")
      let daemon = try await bench.start()
      let submit = try await bench.tool("submit", "--wait", "\(bench.folder.path)/own/Barn")
      #expect(submit.code == 1 && submit.errors.contains("Pictures=no"), "\(submit)")
      let picture = SamplePictures.jpeg(width: 40, height: 30)
      try bench.folder.write(picture, to: "root/inbox/Barn/door.jpg")
      try await daemon.says("Ignored 'Barn' in the inbox")
      let wait = try await bench.tool("wait", "Barn")
      #expect(wait.code == 1 && wait.errors.contains("'Barn' in the inbox is ignored: "), "\(wait)")
      try await bench.stop(daemon)
    }
  }
}
