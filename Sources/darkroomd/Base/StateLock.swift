// SPDX-License-Identifier: Apache-2.0
// The lock of the one daemon that uses a state folder. The kernel releases it when the process ends. The file contains the
// process number, for people. Raises `SystemError`.

import Files
import Linux
import Vocabulary

enum StateLock {
  private static let name = FileName(literal: "lock")

  enum Taken {
    /// The lock is held as long as the file is open.
    case file(LinuxFile)
    /// By another process; nil if its number is not known.
    case isHeld(by: Int32?)
  }

  static func take(_ state: LinuxFolder) throws(SystemError) -> Taken {
    let file = try state.openFile(name, .ensure)
    do throws(SystemError) { try file.lockPatiently() } catch {
      guard error.name == .again else { throw error }
      return .isHeld(by: holder(by: file))
    }
    // Only for people; a full disk must not prevent the start.
    try? file.truncate(to: 0)
    try? file.write(Array("pid=\(ThisProcess.identifier)\n".utf8), at: 0)
    return .file(file)
  }

  /// A process other than this one, which has the state folder `own`, has the state folder at the path. The folder may be
  /// missing, or one that this process may only read.
  static func isHeld(at path: String, besides own: FolderIdentity) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let folder = try LinuxFolder.open(path: path)
      guard try folder.identity() != own else { return false }
      return try folder.openFile(name, .read).isLocked()
    } catch {
      guard [.missing, .notFolder, .isLink].contains(error.name) else { throw error }
      return false
    }
  }

  /// The lock itself does not name its holder.
  private static func holder(by file: LinuxFile) -> Int32? {
    let bytes = (try? file.read(at: 0, upTo: 32)) ?? []
    guard bytes.starts(with: "pid=".utf8) else { return nil }
    let digits = bytes.dropFirst(4).prefix { $0 >= 0x30 && $0 <= 0x39 }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}
