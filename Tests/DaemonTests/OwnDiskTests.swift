// SPDX-License-Identifier: Apache-2.0
// Folders of prints, done and failed on disks of their own: a link to one, and a disk that is not mounted at the
// start, or goes away under the daemon. Mounts are made in the daemon's own namespace.

import Foundation
import Support
import Testing

@Suite struct OwnDiskTests {
  @Test func `links in the place of folders lead to other disks`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      for name in ["inbox", "done", "failed", "prints", "state"] {
        try FileManager.default.createDirectory(
          atPath: "\(bench.folder.path)/disk/\(name)", withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: "\(bench.root)/\(name)")
        try FileManager.default.createSymbolicLink(
          atPath: "\(bench.root)/\(name)", withDestinationPath: "\(bench.folder.path)/disk/\(name)")
      }
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0])], as: "one.plist")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      #expect(bench.folder.bytes(of: "disk/prints/one/One.jpg") != nil)
      #expect(bench.folder.bytes(of: "disk/done/one.plist") != nil)
      #expect(try await bench.stop(daemon).code == 0)
      try FileManager.default.removeItem(atPath: "\(bench.folder.path)/disk/prints")
      let second = try await bench.launch("darkroomd", ["--root", bench.root])
      try await second.says("the folder of prints cannot be opened")
      let status = try await bench.tool("status")
      #expect(status.output.contains("Mount its disk, or make the folder again"), "\(status)")
      try FileManager.default.createDirectory(
        atPath: "\(bench.folder.path)/disk/prints", withIntermediateDirectories: true)
      #expect(try await bench.reload().code == 0)
      try await second.says(" is ready: ")
    }
  }

  @Test(
    .enabled(if: DaemonBench.mayMount, MountedInboxTests.noMounts),
    arguments: [("prints", "the folder of prints"), ("done", "the folder done")])
  func `a disk that is not mounted at the start is no empty folder`(
    _ name: String, _ title: String
  ) async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let folder = "$inbox/../\(name)"
      let daemon = try await bench.startApart(
        after: "mkdir -p \(folder) && mount -t tmpfs none \(folder)")
      try bench.dropSeen([("One", urls[0])], as: "one.plist", daemon)
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      #expect(bench.names(name).isEmpty)
      #expect(try await bench.stop(daemon).code == 0)
      // Its mounts have ended with it.
      try await bench.drop([("Two", urls[0])], as: "two.plist")
      let second = try await bench.launch(
        "darkroomd", ["--root", bench.root], through: ["unshare", "-m", "--propagation", "private"])
      try await second.says("\(title) is not mounted")
      #expect(try await bench.tool("status").output.contains("Mount it. To use the plain folder"))
      try await bench.apart(second, "mount -t tmpfs none \(folder)")
      #expect(try await bench.reload().code == 0)
      #expect(try await bench.wait(for: "two", second).code == 0)
      #expect(bench.names(name).isEmpty)
      #expect(try await bench.stop(second).code == 0)
      try FileManager.default.removeItem(atPath: "\(bench.root)/state/mounts")
      #expect(try await bench.runUntilIdle().code == 0)
    }
  }

  @Test(
    .enabled(if: DaemonBench.mayMount, MountedInboxTests.noMounts),
    arguments: ["prints", "done", "inbox"])
  func `a mount that the sandbox of the unit made is no disk that must come back`(
    _ name: String
  ) async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let folder = "$inbox/../\(name)"
      let daemon = try await bench.startApart(
        after: "mkdir -p \(folder) && mount --bind \(folder) \(folder)")
      try bench.dropSeen([("One", urls[0])], as: "one.plist", daemon)
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      #expect(try await bench.stop(daemon).code == 0)
      // Its mounts have ended with it.
      try await bench.drop([("Two", urls[0])], as: "two.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/two").contains("Two.jpg"))
    }
  }

  @Test func `a daemon that would print into the folder of another one waits for its end`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      let root = "\(bench.folder.path)/other"
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(root)/prints", withDestinationPath: "\(bench.root)/prints")
      let second = try await bench.launch("darkroomd", ["--root", root])
      try await second.says(
        "the darkroomd of the state folder \(bench.root)/state uses the same folder of prints "
          + "\(root)/prints")
      #expect(try await bench.stop(daemon).code == 0)
      try await second.says(" is ready: ")
      #expect(try await bench.stop(second).code == 0)
    }
  }

  @Test(.enabled(if: DaemonBench.mayMount, MountedInboxTests.noMounts))
  func `prints that are unmounted under the daemon are waited for`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(1)
      let prints = "$inbox/../prints"
      let disk = "mount -t tmpfs none $inbox/../disk && mount --bind $inbox/../disk \(prints)"
      let daemon = try await bench.startApart(
        after: "mkdir -p \(prints) $inbox/../disk && \(disk)")
      try await bench.apart(daemon, "umount \(prints)")
      try bench.dropSeen([("One", urls[0])], as: "one.plist", daemon)
      try await daemon.says("prints, whose disk is not mounted")
      #expect(try await bench.tool("status").output.contains("whose disk is not mounted"))
      #expect(bench.names("prints").isEmpty)
      try await bench.apart(daemon, "mount --bind $inbox/../disk \(prints)")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      #expect(try await bench.show("one").photos.map(\.state) == ["filtered"])
    }
  }
}
