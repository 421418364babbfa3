// SPDX-License-Identifier: Apache-2.0
// Keeps two daemons of one machine out of one folder of prints. The file `.daemon` in the folder names the folder and the
// state folder of its daemon. Another daemon waits while that state folder is locked, and takes the folder of prints
// when the lock is free. Both files are the daemon's own: other users can neither hold the folder nor free it. A mark
// that was copied with its folder counts for nothing. The daemon keeps nothing open in the folder, so the folder can
// be unmounted. If two daemons take the folder at the same moment, one of them sees the mark of the other before it
// accepts its next list. A value; raises nothing.

import Files
import Linux
import Vocabulary

struct PrintsSeat: Sendable {
  private static let name = FileName(literal: ".daemon")
  /// The longest path, and four numbers.
  private static let longest = 4096 + 128

  private let prints: any Folder
  /// The state folder of this daemon, which has its lock.
  private let own: FolderIdentity
  /// The end of the mark.
  private let state: String

  init(_ prints: any Folder, of state: any Folder) throws(SystemError) {
    self.prints = prints
    own = try state.identity()
    self.state = "\(Self.words(own)) \(state.path)"
  }

  private static func words(_ folder: FolderIdentity) -> String {
    "\(folder.device):\(folder.inode)"
  }

  /// Why this daemon must not print into the folder. Nil if the folder is ours now; and on a disk that takes no file, where
  /// neither daemon can print. Each call looks again, because the disk may be another one.
  var trouble: Failure? {
    guard let folder = try? LinuxFolder.open(path: prints.path),
      let identity = try? folder.identity()
    else { return nil }
    let own = Self.words(identity)
    let mark = Array("\(own) \(state)".utf8)
    do throws(SystemError) {
      let found = try folder.contents(of: Self.name, upTo: Self.longest) ?? []
      if found == mark { return nil }
      if let rival = try rival(by: found, of: own) { return taken(by: rival) }
    } catch {
      return unclear(error)
    }
    // The bare folder below a mount point gets no mark.
    if let meant = try? prints.standing(), (try? meant.identity()) == identity {
      try? meant.write(whole: mark, as: Self.name)
    }
    return nil
  }

  /// Raises for a folder that another daemon has. For each folder that comes to the path: the folder of another daemon may
  /// be mounted there while this one works.
  static func check(for state: LinuxFolder) throws(SystemError) -> PathFolder.Check {
    let own = try state.identity()
    return { (folder) throws(SystemError) in
      guard let rival = try owner(of: folder), try StateLock.isHeld(at: rival, besides: own) else {
        return
      }
      throw .taken(folder.path, by: rival)
    }
  }

  /// The state folder of another daemon that has the folder. Nil for the mark of another folder, for one that leads nowhere
  /// from here, because the daemon of another machine or container left it, and for one that leads to the state folder of
  /// this daemon, such as one of before it was restored.
  private func rival(by mark: [UInt8], of folder: String) throws(SystemError) -> String? {
    guard let end = Self.end(of: mark, of: folder), !end.elementsEqual(state.utf8),
      let path = Self.path(at: end)
    else { return nil }
    return try StateLock.isHeld(at: path, besides: own) ? path : nil
  }

  /// The part of a mark that names the state folder; nil for the mark of another folder.
  private static func end(of mark: [UInt8], of folder: String) -> ArraySlice<UInt8>? {
    let parts = mark.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].elementsEqual(folder.utf8) ? parts[1] : nil
  }

  private static func path(at end: ArraySlice<UInt8>) -> String? {
    let parts = end.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : nil
  }

  /// The state folder of the daemon that has marked the folder, at work or not; nil for a folder without such a mark.
  static func owner(of prints: LinuxFolder) throws(SystemError) -> String? {
    guard let mark = try prints.contents(of: name, upTo: longest) else { return nil }
    return end(of: mark, of: words(try prints.identity())).flatMap { path(at: $0) }
  }

  private func unclear(_ error: SystemError) -> Failure {
    Failure(
      .machine, code: "prints.taken",
      reason:
        "it is not known whether another darkroomd uses the folder of prints \(prints.path): \(error)",
      advice: error.name == .denied || error.name == .notPermitted
        ? "Let the daemon's user own the folder and what is in it, and list and write it"
        : "If no other darkroomd uses the folder, remove the file \(Self.name) in it")
  }

  /// The number of its process would mean nothing here if it runs in a container.
  private func taken(by rival: String) -> Failure {
    Failure(
      .machine, code: "prints.taken",
      reason:
        "the darkroomd of the state folder \(rival) uses the same folder of prints \(prints.path)",
      advice: "Stop one of the daemons, or give them different folders of prints")
  }
}
