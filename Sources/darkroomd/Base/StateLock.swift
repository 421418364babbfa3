// SPDX-License-Identifier: Apache-2.0
// The lock of the one daemon that uses a state folder. The kernel releases it when the process ends. The file contains the
// process number, for people. Raises `SystemError`.

import Files
import Linux
import Vocabulary

enum StateLock {
  private static let name = FileName(literal: "lock")

  /// A process has the state folder. 0 if its number is not known.
  struct Holder: Error {
    let process: Int32

    /// ` (pid 42)`
    var words: String { process == 0 ? "" : " (pid \(process))" }
  }

  /// The file of the lock, which is held as long as it is open.
  static func take(_ state: LinuxFolder) throws(SystemError) -> Result<LinuxFile, Holder> {
    let file = try state.openFile(name, .ensure)
    do throws(SystemError) { try file.lockPatiently() } catch {
      guard error.name == .again else { throw error }
      return .failure(holder(by: file))
    }
    // Only for people; a full disk must not prevent the start.
    try? file.truncate(to: 0)
    try? file.write(Array("pid=\(ThisProcess.identifier)\n".utf8), at: 0)
    return .success(file)
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
  private static func holder(by file: LinuxFile) -> Holder {
    let bytes = (try? file.read(at: 0, upTo: 32)) ?? []
    guard bytes.starts(with: "pid=".utf8) else { return Holder(process: 0) }
    let digits = bytes.dropFirst(4).prefix { $0 >= 0x30 && $0 <= 0x39 }
    return Holder(process: Int32(String(decoding: digits, as: UTF8.self)) ?? 0)
  }
}
