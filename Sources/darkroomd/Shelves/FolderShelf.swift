// SPDX-License-Identifier: Apache-2.0
// The shelf in the folder that all nodes mount (Blobs=): `prints`, `lists` with a folder for each submitted list, and
// `cluster`, the mark. A list's folder appears by one rename. Raises a `Failure` of kind `machine`; `folders` and `copy` raise `SystemError`.
// Concurrency: immutable; every function waits for a disk.

import Files
import Linux
import Vocabulary

struct FolderShelf: ListShelf {
  let root: any Folder
  let lists: any Folder
  /// Begins the names of this node's drafts.
  private let mark: String

  private static let listsName: StaticString = "lists"
  static let printsName: StaticString = "prints"
  static let markName = FileName(literal: "cluster")
  static let longestMark = 256
  static let files = [ListFolder.list, ListFolder.catalog, OpenList.collisionsName]

  static func open(path: String, mark: String) throws(SystemError) -> FolderShelf {
    let (root, lists) = try folders(at: path)
    return FolderShelf(root: root, lists: lists, mark: mark)
  }

  /// Makes the missing folders, and returns the folder itself and the folder of the lists. The folder itself must be
  /// there: without it, its disk is not mounted.
  @discardableResult
  static func folders(
    at path: String
  ) throws(SystemError) -> (root: any Folder, lists: any Folder) {
    let folder = try LinuxFolder.open(path: path)
    let prints = FileName(literal: printsName)
    if try !folder.has(prints) {
      _ = try folder.openFolder(prints, creating: true)
      try folder.setReaders(.group, of: prints)
    }
    let lists = try folder.openFolder(FileName(literal: listsName), creating: true)
    try folder.sync()
    return (folder, lists)
  }

  /// Makes the folders in Blobs=, which must be mounted.
  static func check(_ settings: Settings.Cluster) throws(StartFailure) {
    guard settings.ledger != nil, case .folder(let path) = settings.blobs else { return }
    do throws(SystemError) { try folders(at: path) } catch {
      throw StartFailure(
        ExitCode.io, "the folder of Blobs= cannot be used: \(error)", trouble: "folder.lost",
        advice:
          "Mount it on this node, let the daemon's user write to it, or add it to ReadWritePaths= of the unit"
      )
    }
  }

  func put(_ list: any Folder, as origin: FileName) throws(Failure) {
    try asMachine { () throws(SystemError) in
      if try lists.has(origin) { return }
      // Random: an order for a list may submit it while its life does.
      let draft = FileName(made: ".\(mark)\(String(hex: try ThisProcess.randomBytes(8)))")
      try Self.copy(from: list, to: lists.folder(draft, creating: true))
      do throws(SystemError) {
        try lists.rename(draft, to: lists, as: origin, replacing: false)
      } catch {
        guard error.exists else { throw error }
        try lists.removeFlat(draft)
      }
      try lists.sync()
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
    let list = try asMachine { () throws(SystemError) in try lists.folder(ifThere: origin) }
    if let list { return list }
    throw Failure(
      .machine, scope: .one, code: Failure.listIsMissing,
      reason: "the folder of Blobs= does not have list \(origin)")
  }

  /// The files of a list into an empty folder; durable on return.
  static func copy(from source: any Folder, to target: any Folder) throws(SystemError) {
    for name in files {
      guard let file = try source.open(ifThere: name) else { continue }
      let copy = try target.openAnew(name)
      _ = try FileCopy.copy(file, to: copy, upTo: file.status().size)
      try copy.sync()
    }
    try target.sync()
  }

  func remove(_ origin: FileName) throws(Failure) {
    try asMachine { () throws(SystemError) in try lists.removeFlat(origin) }
  }

  func mark(through state: any Folder) throws(Failure) -> String? {
    try asMachine { () throws(SystemError) in
      try root.contents(of: Self.markName, upTo: Self.longestMark)
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  func mark(with text: String, through state: any Folder) throws(Failure) {
    try asMachine { () throws(SystemError) in
      // One that is left over is made again.
      let draft = FileName(made: ".\(mark)\(Self.markName)")
      let file = try root.openAnew(draft)
      try file.write(Array(text.utf8), at: 0)
      try file.sync()
      do throws(SystemError) {
        try root.rename(draft, to: root, as: Self.markName, replacing: false)
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
