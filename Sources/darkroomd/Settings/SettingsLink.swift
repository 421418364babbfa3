// SPDX-License-Identifier: Apache-2.0
// A symbolic link in the place of a settings file. As with the drop-ins of units, a link to /dev/null stands for a file
// without settings, and a link to a regular file is followed. The rights of the folder of settings do not cover a file
// elsewhere: only root, or the user that runs this program, may be able to change it. Raises `Failure`.

import Linux
import Vocabulary

struct SettingsLink {
  private static let nothing = "/dev/null"

  /// Of the link.
  let path: String

  /// Nil for a link to /dev/null.
  func read(upTo count: Int) throws(Failure) -> [UInt8]? {
    let problem: String
    do throws(SystemError) {
      let file = try Surroundings.openNamed(path)
      let (status, null) = (try file.status(), try Surroundings.openNamed(Self.nothing).status())
      if status.inode == null.inode, status.device == null.device { return nil }
      guard let found = Self.problem(with: status, keepers: ThisProcess.keepers) else {
        return try file.read(at: 0, upTo: count)
      }
      problem = found
    } catch {
      guard error.isMissing else { throw ConfigurationFile.unreadable(path, error) }
      problem = "and the file to which it leads is missing"
    }
    throw ConfigurationFile.wrong(
      path, "could not read it: it is a symbolic link, \(problem)")
  }

  /// Why the file to which the link leads is not read; nil if it is.
  static func problem(with status: FileStatus, keepers: Set<UInt32>) -> String? {
    guard status.kind == .file else { return "and does not lead to a regular file" }
    let isSafe = keepers.contains(status.owner) && status.mode & 0o022 == 0
    return isSafe
      ? nil
      : "and users other than root may change the file to which it leads; let the file belong to root, "
        + "and its owner alone write to it"
  }
}
