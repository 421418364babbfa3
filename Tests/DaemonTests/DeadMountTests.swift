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

  @Test(.enabled(if: MountedInboxTests.hasFUSE, MountedInboxTests.noFUSE))
  func `a start that hangs at a dead mount ends at a signal`() async throws {
    try await DaemonBench.use { bench in
      let (behind, shared) = ("\(bench.root)/behind", "\(bench.root)/shared")
      for folder in [behind, shared] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      // The start comes to the folder before it needs the ledger.
      try bench.settings(
        DaemonBench.settings + "[Cluster]\nLedger=host=/nowhere dbname=x\nBlobs=\(shared)\n")
      // The server ends with the daemon, which takes the place of the shell.
      let script = """
        setpriv --pdeathsig KILL bindfs -f "$1/behind" "$1/shared" >/dev/null 2>&1 & server=$!
        until mountpoint -q "$1/shared"; do kill -0 $server || exit 9; done
        kill -STOP $server; shift; exec "$@"
        """
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        through: [
          "unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", bench.root,
        ])
      try await bench.until("the start hangs in a call") {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/task").contains {
          let call = "/proc/\(daemon.pid)/task/\($0)/wchan"
          return (try? String(contentsOfFile: call, encoding: .utf8)) == "request_wait_answer"
        }
      }
      let end = try await bench.stop(daemon)
      #expect(end.code == 0, "\(end)")
    }
  }
}
