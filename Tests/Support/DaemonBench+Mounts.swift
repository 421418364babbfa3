// SPDX-License-Identifier: Apache-2.0
// A daemon with its own mounts, which no other process sees, and which end with it.

import Foundation

extension DaemonBench {
  /// True if this machine lets us make mount namespaces, and mount in them.
  package static let mayMount: Bool = {
    isRoot && ChildProgram.succeeds(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"])
  }()

  package static func has(_ program: String) -> Bool {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/lib/openssh"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  /// Starts the daemon in its own mount namespace; returns once it has looked at its inbox. The commands run there
  /// before it, with the inbox as `$inbox`.
  package func startApart(
    after commands: String = ":", _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> RunningProgram {
    try FileManager.default.createDirectory(
      atPath: "\(root)/inbox", withIntermediateDirectories: true)
    let script = "inbox=$1; shift; \(commands) && exec \"$@\""
    let daemon = try await launch(
      "darkroomd", ["--root", root] + arguments,
      through: [
        "unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", "\(root)/inbox",
      ], environment: environment)
    // It is ready before it looks at the inbox; what is mounted over the inbox comes after that.
    try await daemon.says("The inbox ")
    return daemon
  }

  /// Runs a command in the daemon's mount namespace, with the inbox as `$inbox`, until it succeeds.
  package func apart(_ daemon: RunningProgram, _ command: String) async throws {
    let deadline = ContinuousClock.now + Patience.time
    while true {
      let end = try await run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "sh", "-c", "inbox=$1; \(command)", "sh",
        "\(root)/inbox",
      ]).end()
      if end.code == 0 { return }
      // A mount is busy while the daemon looks into it.
      guard ContinuousClock.now < deadline else {
        throw ProgramProblem("could not do '\(command)': \(end)")
      }
    }
  }

  /// The inbox as the daemon sees it.
  package func seenInbox(_ daemon: RunningProgram) -> String {
    "/proc/\(daemon.pid)/root\(root)/inbox"
  }

  /// Drops a list under its name in one step, where the daemon sees it.
  package func dropSeen(_ photos: [(String, String)], as name: String, _ daemon: RunningProgram)
    throws
  {
    let inbox = seenInbox(daemon)
    let draft = "\(inbox)/.\(name)"
    try Data(PhotoListText.dictionary(photos)).write(to: URL(filePath: draft))
    try FileManager.default.moveItem(atPath: draft, toPath: "\(inbox)/\(name)")
  }
}
