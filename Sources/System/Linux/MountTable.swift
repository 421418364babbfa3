// SPDX-License-Identifier: Apache-2.0
// Tells that something was mounted or unmounted: a mount over a watched folder rings no doorbell.

package import Vocabulary

package final class MountTable: Sendable {
  private let file: LinuxFile

  package init() throws(SystemError) {
    let process = try LinuxFolder.open(path: "/proc/self")
    file = try process.openFile(FileName(literal: "mountinfo"), .read)
  }

  /// Has priority data (`wantsPriority`) once after each change; polling it takes the news.
  package var descriptor: Int32 { file.descriptor }
}
