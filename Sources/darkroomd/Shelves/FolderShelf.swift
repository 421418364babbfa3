// SPDX-License-Identifier: Apache-2.0
// The shelf in the folder that all nodes mount (Blobs=): `prints`, `lists` with a folder for each submitted list, and
// `cluster`, the mark. A list's folder appears by one rename. Each call follows the path, so that the folder can be
// unmounted and mounted while the daemon runs; what stands there must have the mark. Raises a `Failure` of kind
// `machine`; `make` and `copy` raise `SystemError`. Concurrency: immutable; every function waits for a disk.

import Cluster
import Files
import Linux
import Vocabulary

struct FolderShelf: ListShelf {
  private let shared: SharedMark
  private let lists: PathFolder
  /// Begins the names of this node's drafts.
  private let mark: String

  private static let listsName: StaticString = "lists"
  static let printsName: StaticString = "prints"
  static let files = [ListFolder.list, ListFolder.catalog, OpenList.collisionsName]

  init(_ shared: SharedMark, mark: String) {
    (self.shared, self.mark) = (shared, mark)
    lists = PathFolder(path: "\(shared.path)/\(Self.listsName)", check: shared.check)
  }

  /// Makes the missing folders.
  static func make(in folder: LinuxFolder) throws(SystemError) {
    let prints = FileName(literal: printsName)
    if try !folder.has(prints) {
      _ = try folder.openFolder(prints, creating: true)
      try folder.setReaders(.group, of: prints)
    }
    _ = try folder.openFolder(FileName(literal: listsName), creating: true)
    try folder.sync()
  }

  /// Makes the folders in Blobs=, which must be there: without it, its disk is not mounted. Makes nothing in a folder
  /// that has them and not the mark of the ledger, and returns false: it is a bare folder in which an earlier start has
  /// made them, or the ledger is to have a new mark, or it is the folder of another ledger, as the entry finds out.
  static func check(_ shared: SharedMark) throws(StartFailure) -> Bool {
    let verdict: PlaceVerdict
    do throws(SystemError) {
      let root = try LinuxFolder.open(path: shared.path)
      guard let found = try shared.verdict(in: root), found.objection != nil else {
        try make(in: root)
        return true
      }
      let (prints, lists) = (FileName(literal: printsName), FileName(literal: listsName))
      if try root.has(prints), try root.has(lists) { return false }
      verdict = found
    } catch {
      throw StartFailure(
        ExitCode.io, "the folder of Blobs= cannot be used: \(error)", trouble: lost,
        advice: remedy)
    }
    throw refusal(shared.path, verdict)
  }

  private static func refusal(_ path: String, _ verdict: PlaceVerdict) -> StartFailure {
    let isForeign = verdict == .foreign
    let failure = verdict.objection ?? .otherBlobs
    return StartFailure(
      ExitCode.io,
      "\(failure.reason): \(path) \(isForeign ? "has the mark of that ledger" : "has no mark")",
      trouble: failure.code,
      advice: isForeign
        ? failure.advice
        : "\(failure.advice). If this is the right folder, make the folders \(printsName) and "
          + "\(listsName) in it, as the user of darkroomd")
  }

  private static let lost = "folder.lost"
  private static let remedy =
    "Mount it on this node, let the daemon's user write to it, or add it to ReadWritePaths= of the unit"

  var trouble: Failure? {
    do throws(SystemError) { _ = try lists.here() } catch {
      return error.isUnmounted
        ? objection
        : Failure(
          .machine, code: Self.lost, reason: "the folder of Blobs= cannot be used: \(error)",
          advice: Self.remedy)
    }
    return nil
  }

  /// Of a folder that lacks the mark.
  private var objection: Failure {
    (try? shared.verdict(in: LinuxFolder.open(path: shared.path)))?.objection ?? .otherBlobs
  }

  /// About as large as a print.
  private static let sample = [UInt8](repeating: 0, count: 1 << 20)

  func writeTrouble(through state: any Folder) -> Failure? {
    let draft = FileName(made: ".\(mark)sample")
    defer { try? lists.removeFlat(draft) }
    do throws(SystemError) {
      let file = try lists.folder(draft, creating: true).openAnew(ListFolder.list)
      try file.write(Self.sample, at: 0)
      try file.sync()
      return nil
    } catch { return .ofWrite(error.machineFailure) }
  }

  func put(_ list: any Folder, as origin: FileName) throws(Failure) {
    try asMachine { () throws(SystemError) in
      if try lists.has(origin) { return }
      let draft = try self.draft(of: list)
      do throws(SystemError) {
        try lists.rename(draft, to: lists, as: origin, replacing: false)
      } catch {
        guard error.exists else { throw error }
        try lists.removeFlat(draft)
      }
      try lists.sync()
    }
  }

  private func draft(of list: any Folder) throws(SystemError) -> FileName {
    // Random: an order for a list may submit it while its life does.
    let draft = FileName(made: ".\(mark)\(String(hex: try ThisProcess.randomBytes(8)))")
    do throws(SystemError) {
      try Self.copy(from: list, to: lists.folder(draft, creating: true))
      return draft
    } catch {
      try? lists.removeFlat(draft)
      throw error
    }
  }

  func differs(
    from list: any Folder, as origin: FileName, reading: Bool, through state: any Folder
  ) throws(Failure) -> Bool {
    try asMachine { () throws(SystemError) in
      guard let there = try lists.folder(ifThere: origin) else { return true }
      for name in Self.files {
        let file = try there.open(ifThere: name)
        guard let own = try list.open(ifThere: name) else {
          if file == nil { return true }
          continue
        }
        guard let file else { return true }
        let size = try own.status().size
        if try file.status().size != size { return true }
        if !reading { continue }
        let digest = try FileCopy.digest(of: file, size: size)
        if try FileCopy.digest(of: own, size: size) != digest { return true }
      }
      return false
    }
  }

  /// A node that fetches the list meanwhile has some files from before.
  func renew(_ list: any Folder, as origin: FileName) throws(Failure) {
    try asMachine { () throws(SystemError) in
      let there = try lists.folder(origin, creating: true)
      let draft = try self.draft(of: list)
      let files = try lists.folder(draft, creating: false)
      for name in Self.files where try files.has(name) {
        try files.rename(name, to: there, as: name, replacing: true)
      }
      try there.sync()
      try lists.sync()
      try lists.removeFlat(draft)
    }
  }

  func fetch(_ origin: FileName, into folder: any Folder) throws(Failure) {
    let list = try self.folder(of: origin)
    try asMachine { () throws(SystemError) in try Self.copy(from: list, to: folder) }
  }

  func size(of origin: FileName) throws(Failure) -> UInt64 {
    let list = try folder(of: origin)
    return try asMachine { () throws(SystemError) in try list.status(of: ListFolder.list).size }
  }

  private func folder(of origin: FileName) throws(Failure) -> any Folder {
    let list = try asMachine { () throws(SystemError) -> (any Folder)? in
      guard let list = try lists.folder(ifThere: origin) else { return nil }
      for name in Self.files where try !list.has(name) { return nil }
      return list
    }
    if let list { return list }
    throw .missing(origin, from: "the folder of Blobs=")
  }

  /// The files of a list into an empty folder; durable on return.
  static func copy(from source: any Folder, to target: any Folder) throws(SystemError) {
    for name in files {
      let file = try source.open(name, .read)
      let copy = try target.openAnew(name)
      try FileCopy.copy(file, to: copy, upTo: file.status().size)
      try copy.sync()
    }
    try target.sync()
  }

  func remove(_ origin: FileName) throws(Failure) {
    try asMachine { () throws(SystemError) in try lists.here().removeFlat(origin) }
  }

  func mark(through state: any Folder) throws(Failure) -> String? {
    try asMachine { () throws(SystemError) in
      try SharedMark.text(in: LinuxFolder.open(path: shared.path))
    }
  }

  func mark(with text: String, through state: any Folder) throws(Failure) {
    try asMachine { () throws(SystemError) in
      let root = try LinuxFolder.open(path: shared.path)
      // One that is left over is made again.
      let draft = FileName(made: ".\(mark)\(SharedMark.name)")
      let file = try root.openAnew(draft)
      try file.write(Array(text.utf8), at: 0)
      try file.sync()
      do throws(SystemError) {
        try root.rename(draft, to: root, as: SharedMark.name, replacing: false)
      } catch {
        guard error.exists else { throw error }
        try root.removeIfThere(draft)
      }
      try root.sync()
    }
  }

  func sweep() throws(Failure) {
    try asMachine { () throws(SystemError) in
      for name in try lists.names() where name.bytes.starts(with: ".\(mark)".utf8) {
        try lists.removeFlat(name)
      }
    }
  }
}
