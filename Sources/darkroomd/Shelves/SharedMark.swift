// SPDX-License-Identifier: Apache-2.0
// Tells the folder of Blobs= from the bare folder below its mount point, and from another disk: the folder has the mark
// of the ledger that this node has worked with. A node that has worked with no ledger does not know the mark. Such a
// node makes only the folders `prints` and `lists` before it enters the ledger. Raises `SystemError`.
// Concurrency: immutable; every call waits for a disk.

import Cluster
import Files
import Linux
import Vocabulary

struct SharedMark: Sendable {
  static let name = FileName(literal: "cluster")
  static let longest = 256

  /// Of Blobs=.
  let path: String
  private let state: any Folder

  /// Nil without a shared folder.
  init?(_ settings: Settings.Cluster, in state: any Folder) {
    guard settings.ledger != nil, case .folder(let path) = settings.blobs else { return nil }
    self.init(path: path, in: state)
  }

  init(path: String, in state: any Folder) {
    (self.path, self.state) = (path, state)
  }

  static func text(in root: any Folder) throws(SystemError) -> String? {
    try root.contents(of: name, upTo: longest).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The judgement of the folder that stands at the path now. Nil if this node has worked with no ledger: it knows no mark.
  func verdict(in root: any Folder) throws(SystemError) -> PlaceVerdict? {
    guard let known = try KnownLedger.read(in: state) else { return nil }
    return PlaceVerdict(try Self.text(in: root), for: known.identity)
  }

  /// True for a folder that nodes of any ledger share, and for the folder of prints in it. Of a path that leads to the folder
  /// of prints through another mount, the folder above is another one: it is not recognised.
  static func isShared(_ folder: LinuxFolder) throws(SystemError) -> Bool {
    if try hasMark(folder) { return true }
    do throws(SystemError) {
      let above = try LinuxFolder.open(path: "\(folder.path)/..")
      guard try hasMark(above),
        let prints = try above.folder(ifThere: FileName(literal: FolderShelf.printsName))
      else { return false }
      return try prints.identity() == folder.identity()
    } catch { return try unmarked(error) }
  }

  private static func hasMark(_ root: LinuxFolder) throws(SystemError) -> Bool {
    do throws(SystemError) {
      return try text(in: root).map(PlaceVerdict.isWhole) ?? false
    } catch { return try unmarked(error) }
  }

  /// Only a file that this user may read can be a mark.
  private static func unmarked(_ error: SystemError) throws(SystemError) -> Bool {
    guard error.isMachineTrouble else { return false }
    throw error
  }

  /// For the folder of Blobs= itself, and for the folders in it. Nothing is made in a folder without the mark.
  var check: PathFolder.Check {
    { [self] (_) throws(SystemError) in
      if try verdict(in: LinuxFolder.open(path: path))?.objection != nil { throw .unmarked(path) }
    }
  }
}

extension KnownLedger {
  static let file = FileName(literal: "ledger")
  /// A line for each node that there ever was.
  private static let longest = 1 << 22

  /// The ledger that this machine has worked with; nil without one. The name in a damaged file is empty.
  static func read(in state: any Folder) throws(SystemError) -> KnownLedger? {
    try state.contents(of: file, upTo: longest).map { KnownLedger($0) }
  }
}

extension Settings.Cluster {
  /// For people, at a start and a check: the settings may have been lost, as in a restore of the state alone. Nil unless
  /// this machine has worked with a ledger that the settings do not name.
  func lossNote(state path: String) -> String? {
    guard ledger == nil, let state = try? LinuxFolder.open(path: path),
      (try? state.has(KnownLedger.file)) == true
    else { return nil }
    return
      "this machine was a node of a cluster, as the file \(path)/\(KnownLedger.file) tells, and Ledger= is not set, so it works alone, and lists of the cluster wait or are left to the other nodes; if the settings were lost, set Ledger= and Blobs= as before, and restart darkroomd"
  }
}
