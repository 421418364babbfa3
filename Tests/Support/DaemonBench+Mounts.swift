// SPDX-License-Identifier: Apache-2.0
// A daemon with mounts of its own: what is mounted for it, nobody else sees, and it goes with it.

import Foundation

extension DaemonBench {
  /// Whether this machine lets us make mount namespaces, and mount in them.
  package static let mayMount: Bool = {
    isRoot && ChildProgram.succeeds(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"])
  }()

  package static func has(_ program: String) -> Bool {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/lib/openssh"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }

  /// The daemon in a mount namespace of its own, once it answers; the commands run there before it,
  /// with the inbox as `$1`.
  package func startApart(after commands: String = ":") async throws -> RunningProgram {
    try FileManager.default.createDirectory(
      atPath: "\(root)/inbox", withIntermediateDirectories: true)
    let script = "inbox=$1; shift; \(commands) && exec \"$@\""
    let daemon = try await launch(
      "darkroomd", ["--root", root],
      through: [
        "unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", "\(root)/inbox",
      ])
    try await daemon.says(" is ready: ")
    return daemon
  }

  /// A command where the daemon is, with the inbox as `$1`; it must succeed.
  package func apart(_ daemon: RunningProgram, _ command: String) async throws {
    let deadline = ContinuousClock.now + Patience.time
    while true {
      let end = try await run([
        "nsenter", "-t", "\(daemon.pid)", "-m", "sh", "-c", "inbox=$1; \(command)", "sh",
        "\(root)/inbox",
      ]).end()
      if end.code == 0 { return }
      // While the daemon looks into it, it is busy.
      guard ContinuousClock.now < deadline else {
        throw ProgramProblem("could not do '\(command)': \(end)")
      }
    }
  }

  /// The inbox as the daemon sees it.
  package func seenInbox(_ daemon: RunningProgram) -> String {
    "/proc/\(daemon.pid)/root\(root)/inbox"
  }

  /// Whole under its name at once, where the daemon sees it.
  package func dropSeen(_ photos: [(String, String)], as name: String, _ daemon: RunningProgram)
    throws
  {
    let inbox = seenInbox(daemon)
    let draft = "\(inbox)/.\(name)"
    try Data(PhotoListText.dictionary(photos)).write(to: URL(filePath: draft))
    try FileManager.default.moveItem(atPath: draft, toPath: "\(inbox)/\(name)")
  }
}
