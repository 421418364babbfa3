// SPDX-License-Identifier: Apache-2.0
// `make cluster`, as a newcomer runs it.

import Foundation
import Support
import Testing

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct ClusterTrialTests {
  @Test func `three nodes develop a list with one of them killed, and the standby promoted`()
    async throws
  {
    // PostgreSQL has a user of its own, who must reach the folder.
    let folder = "/tmp/darkroom-trial-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await DaemonBench.use { bench in
      let trial = try await bench.launch(
        "try", [DaemonBench.programFolder, "96"], from: Repository.path("etc/cluster"),
        environment: ["TMPDIR": folder])
      let end = try await trial.end(seconds: Patience.seconds + 240)
      #expect(end.code == 0, "\(end)")
      #expect(end.output.contains("Done: 96 prints in \(folder)"), "\(end)")
      #expect(end.output.contains("the standby is promoted"))
    }
  }
}
