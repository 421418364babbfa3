// SPDX-License-Identifier: Apache-2.0
// Reports mounts and unmounts: inotify does not report a mount over a watched folder. Tells whether a mount can be
// written. Raises `SystemError`.

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

/// The rights to write of a mount, and of the file system behind it. Each mount namespace has its own mount of a file
/// system: `mount -o remount,rw` changes the file system and one mount.
package struct MountRights: Equatable, Sendable {
  package let isMountReadOnly: Bool
  package let isFileSystemReadOnly: Bool

  package init(isMountReadOnly: Bool, isFileSystemReadOnly: Bool) {
    self.isMountReadOnly = isMountReadOnly
    self.isFileSystemReadOnly = isFileSystemReadOnly
  }

  /// Of the mount that the folder is on; nil if the kernel does not tell.
  package init?(of folder: LinuxFolder) {
    let number = FileName(made: "\(folder.descriptor)")
    guard let facts = KernelText.read(number, in: "/proc/self/fdinfo"),
      let line = facts.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") }),
      let mount = line.split(whereSeparator: \.isWhitespace).last,
      let table = KernelText.read(
        FileName(literal: "mountinfo"), in: "/proc/self", upTo: Self.longest)
    else { return nil }
    self.init(mount: String(mount), in: table)
  }

  /// A line is `ID PARENT DEVICE ROOT PLACE OPTIONS [TAG …] - TYPE SOURCE OPTIONS`; the last ones are of the file
  /// system.
  package init?(mount: String, in table: String) {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.first.map({ $0 == mount }) == true, words.count > 6,
        let end = words[6...].firstIndex(of: "-"), words.count > end + 3
      else { continue }
      self.init(
        isMountReadOnly: Self.isReadOnly(words[5]),
        isFileSystemReadOnly: Self.isReadOnly(words[end + 3]))
      return
    }
    return nil
  }

  private static func isReadOnly(_ options: Substring) -> Bool {
    options.split(separator: ",").contains("ro")
  }

  /// A machine with containers has thousands of mounts.
  private static let longest = 16 << 20
}
