// SPDX-License-Identifier: Apache-2.0
// Reports mounts and unmounts: inotify does not report a mount over a watched folder. Tells whether a mount can be
// written, and whether it shows another folder than the one below it. Raises `SystemError`.

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

  /// The mount that the folder is on; nil if the kernel does not tell.
  package init?(of folder: LinuxFolder) {
    guard let (mount, table) = MountLine.text(of: folder) else { return nil }
    self.init(mount: mount, in: table)
  }

  package init?(mount: String, in table: String) {
    guard let line = MountLine(mount[...], in: table) else { return nil }
    self.init(
      isMountReadOnly: Self.isReadOnly(line.options),
      isFileSystemReadOnly: Self.isReadOnly(line.fileSystemOptions))
  }

  private static func isReadOnly(_ options: Substring) -> Bool {
    options.split(separator: ",").contains("ro")
  }
}

/// The folder that a mount shows at its place.
package enum MountView {
  /// False only for a mount that shows the folder that is there without it. A service manager makes such mounts for the
  /// sandbox of a unit (`ReadWritePaths=`, `ReadOnlyPaths=`), and such mounts come and go with the settings of the
  /// unit. There is no disk behind such a mount. Several mounts may lie on one another.
  package static func isOther(_ mount: String, in table: String) -> Bool {
    guard var line = MountLine(mount[...], in: table) else { return true }
    while let parent = MountLine(line.parent, in: table) {
      let below = parent.place == "/" ? line.place : line.place.dropFirst(parent.place.count)
      let root = below.isEmpty ? "\(parent.root)" : (parent.root == "/" ? "" : parent.root) + below
      guard line.device == parent.device, line.root == root else { return true }
      if line.place != parent.place { return false }
      line = parent
    }
    return true
  }

  static func isOther(at folder: LinuxFolder) -> Bool {
    MountLine.text(of: folder).map { isOther($0.mount, in: $0.table) } ?? true
  }
}

/// The places where something is mounted.
package enum MountPlaces {
  /// As this process sees them now; empty if the kernel does not tell.
  package static var all: [String] { MountLine.table.map { paths(in: $0) } ?? [] }

  package static func paths(in table: String) -> [String] {
    table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 5)
      return words.count > 5 ? plain(words[4]) : nil
    }
  }

  /// The kernel writes spaces, tabs, line ends and backslashes as octal numbers.
  private static func plain(_ place: Substring) -> String {
    // The backslash comes last: its number may be followed by digits.
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
      .reduce(String(place)) { $0.replacing($1.0, with: $1.1) }
  }
}

/// A line of the table, `ID PARENT DEVICE ROOT PLACE OPTIONS [TAG …] - TYPE SOURCE OPTIONS`; the last options are of
/// the file system. Root is the folder of the file system that the mount shows.
private struct MountLine {
  let parent: Substring
  let device: Substring
  let root: Substring
  let place: Substring
  let options: Substring
  let fileSystemOptions: Substring

  init?(_ mount: Substring, in table: String) {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.first == mount, words.count > 6,
        let end = words[6...].firstIndex(of: "-"), words.count > end + 3
      else { continue }
      (parent, device, root) = (words[1], words[2], words[3])
      (place, options, fileSystemOptions) = (words[4], words[5], words[end + 3])
      return
    }
    return nil
  }

  /// The mount that the folder is on, and the table; nil if the kernel does not tell.
  static func text(of folder: LinuxFolder) -> (mount: String, table: String)? {
    let number = FileName(made: "\(folder.descriptor)")
    guard let facts = KernelText.read(number, in: "/proc/self/fdinfo"),
      let line = facts.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") }),
      let mount = line.split(whereSeparator: \.isWhitespace).last,
      let table
    else { return nil }
    return (String(mount), table)
  }

  static var table: String? {
    KernelText.read(FileName(literal: "mountinfo"), in: "/proc/self", upTo: longest)
  }

  /// A machine with containers has thousands of mounts.
  private static let longest = 16 << 20
}
