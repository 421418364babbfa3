// SPDX-License-Identifier: Apache-2.0
// A folder of FileFolders= on a mount that does not answer: its own photos wait, nothing else does.

import Foundation
import Support
import Testing

@Suite struct DeadMountTests {
  @Test(.enabled(if: MountedInboxTests.hasFUSE, MountedInboxTests.noFUSE))
  func `a dead mount delays no reload, no other list and no answer, and the watchdog is content`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(3)
      let (behind, mount) = ("\(bench.root)/behind", "\(bench.root)/mount")
      for folder in [behind, mount] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      try Data(SamplePictures.jpeg(width: 24, height: 16, seed: 9)).write(
        to: URL(filePath: "\(behind)/far.jpg"))
      // A second without a sign of life ends the daemon.
      let daemon = try await bench.startApart(environment: [
        "WATCHDOG_USEC": "1000000", "NOTIFY_SOCKET": "\(bench.folder.path)/notify",
      ])
      let server = try await bench.run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "bindfs", "-f", behind, mount,
      ])
      try await bench.until("it is mounted") {
        FileManager.default.fileExists(atPath: "/proc/\(daemon.pid)/root\(mount)/far.jpg")
      }
      try await server.halt()
      try bench.settings(
        DaemonBench.settings.replacing("[Download]", with: "[Download]\nFileFolders=\(mount)"))
      #expect(try await bench.reload().code == 0)
      try bench.dropSeen([("Far", "file://\(mount)/far.jpg")], as: "far.plist", daemon)
      try await daemon.says("Accepted list 'far'")
      try bench.dropSeen(urls.enumerated().map { ("\($0)", $1) }, as: "near.plist", daemon)
      #expect(try await bench.wait(for: "near", daemon).code == 0)
      #expect(try await bench.reload().code == 0)
      #expect(try await bench.show("far").photos.map(\.state) == ["new"])
      server.send(SIGCONT)
      #expect(try await bench.wait(for: "far", daemon).code == 0)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }
}
