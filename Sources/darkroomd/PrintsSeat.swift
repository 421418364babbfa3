// SPDX-License-Identifier: Apache-2.0
// Keeps two daemons of one machine out of one folder of prints. The file `.daemon` in the folder has the path of the state
// folder of its daemon. Another daemon waits while that state folder is locked, and takes the folder when it is
// not. Both files are the daemon's own: other users can neither hold the folder nor free it. Nothing stays open in
// the folder, which can be unmounted. A value; raises nothing.

import Files
import Linux
import Vocabulary

struct PrintsSeat: Sendable {
  private static let name = FileName(literal: ".daemon")
  /// The longest path, and two numbers.
  private static let longest = 4096 + 64

  private let prints: any Folder
  private let state: FolderIdentity
  private let mark: [UInt8]

  /// - Parameter state: of this daemon, which has its lock.
  init(_ prints: any Folder, of state: any Folder) throws(SystemError) {
    self.prints = prints
    self.state = try state.identity()
    mark = Array("\(self.state.device):\(self.state.inode) \(state.path)".utf8)
  }

  /// Why this daemon must not print into the folder. Nil if the folder is ours now; and on a disk that takes no file, where
  /// neither daemon can print. Each call looks again, because the disk may be another one.
  var trouble: Failure? {
    guard let folder = (try? prints.standing()) as? LinuxFolder else { return nil }
    // After a slip with chown, as in the inbox.
    if let status = try? folder.status(ifThere: Self.name), status.owner != ThisProcess.user {
      try? folder.removeIfThere(Self.name)
    }
    guard
      let file = (try? folder.openFile(Self.name, .ensure))
        ?? (try? folder.openFile(Self.name, .read))
    else { return nil }
    // Held for this look alone. Not every file system has locks.
    do throws(SystemError) { try file.lockPatiently() } catch {
      if error.name == .again { return taken(by: StateLock.Holder(process: 0)) }
    }
    defer { file.unlock() }
    let found = (try? file.read(at: 0, upTo: Self.longest)) ?? []
    if found == mark { return nil }
    if let rival = holder(by: found) { return taken(by: rival) }
    try? file.truncate(to: 0)
    try? file.write(mark, at: 0)
    return nil
  }

  /// Nil for a mark that leads nowhere from here: the daemon of another machine or container left it.
  private func holder(by mark: [UInt8]) -> StateLock.Holder? {
    guard let space = mark.firstIndex(of: 0x20) else { return nil }
    let path = String(decoding: mark[(space + 1)...], as: UTF8.self)
    guard let identity = try? LinuxFolder.open(path: path).identity(), identity != state
    else { return nil }
    return StateLock.holder(of: path)
  }

  private func taken(by holder: StateLock.Holder) -> Failure {
    Failure(
      .machine, code: "prints.taken",
      reason: "another darkroomd\(holder.words) uses the same folder of prints \(prints.path)",
      advice: "Stop one of them, or give each its own folder of prints")
  }
}
