// SPDX-License-Identifier: Apache-2.0
// Files in the inbox that cannot become lists now: the daemon is not called idle, and the status tells why.

import Linux
import Support
import Testing

@Suite(.enabled("faults are for debug builds") { DaemonBench.isDebugBuild })
struct WaitingFileTests {
  @Test(
    "a daemon with a list that waits is not idle, and monitoring sees what its user cannot mend",
    arguments: [
      (
        "openat secret.txt 13",
        "Could not take 'secret.txt' from the inbox: the daemon may not read it",
        "setfacl -m u:\(Surroundings.ownName):r", false
      ),
      ("openat secret.txt 24", "This machine is in trouble: ", "too many open files", true),
      ("posix_spawn darkroom-worker 11", "This machine is in trouble: ", "darkroom-worker", true),
    ])
  func waits(fault: String, told: String, advice: String, isMachine: Bool) async throws {
    try await DaemonBench.use { bench in
      let service = try NotifyListener(at: "\(bench.folder.path)/notify")
      try await bench.drop(Array("https://a.example/1.jpg\n".utf8), as: "secret.txt")
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        environment: ["DARKROOM_FAULT": fault, "NOTIFY_SOCKET": service.path])
      try await daemon.says(told)
      try await bench.until("the status line tells") {
        service.status.contains("1 file waits in the inbox. A file in the inbox waits for ")
      }
      let status = try await bench.tool("status").output
      #expect(status.contains("waitingFiles\t1\n"), "\(status)")
      let word = isMachine ? "degraded" : "mistake"
      #expect(status.contains("\(word)\tsecret.txt: ") && status.contains(advice), "\(status)")
      let inbox = try await bench.tool("inbox").output
      #expect(isMachine || inbox.contains(advice), "its owner reads the remedy: \(inbox)")
      let check = try await bench.tool("status", "--check")
      #expect(check.output.contains("secret.txt: ") == isMachine, "\(check)")
      if isMachine { #expect(check.code == 1 && check.output.hasPrefix("degraded: secret.txt: ")) }
      try await bench.stop(daemon)
      #expect(try await bench.tool("status", "--check").code == 2)
    }
  }

  @Test func `a daemon without trouble is ok`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      let check = try await bench.tool("status", "--check")
      #expect(check.output.hasPrefix("ok: darkroomd ") || check.output.contains("the inbox is on"))
      try await bench.stop(daemon)
    }
  }
}
