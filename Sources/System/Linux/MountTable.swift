// SPDX-License-Identifier: Apache-2.0
// Reports mounts and unmounts: inotify does not report a mount over a watched folder. Raises `SystemError`.

package import Vocabulary

package final class MountTable: Sendable {
  private let file: LinuxFile

  package init() throws(SystemError) {
    let process = try LinuxFolder.open(path: "/proc/self")
    file = try process.openFile(FileName(literal: "mountinfo"), .read)
  }

  /// Has priority data (`wantsPriority`) once after each change; a poll consumes it.
  package var descriptor: Int32 { file.descriptor }
}
