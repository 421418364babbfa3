// SPDX-License-Identifier: Apache-2.0
// The shelf in a store (Blobs=https://…): an object for each file of a list, `lists/ORIGIN/FILE`. The daemon stores
// the object of the list itself last and removes it first: while this object exists, the other objects of the list
// exist. Raises a `Failure`.
// Concurrency: immutable; every function waits for the network, and for a disk.

import Digests
import Files
import Linux
import Vocabulary

struct StoreShelf: ListShelf {
  private static let root = FileName(literal: "lists")
  private static let files = Array(FolderShelf.files.reversed())

  let store: any ObjectStore

  private func key(_ origin: FileName, _ file: FileName) -> ObjectKey {
    ObjectKey(Self.root, origin, file)
  }

  func writeTrouble(through state: any Folder) -> Failure? {
    do throws(Failure) {
      let problem = try StoreProbe(store: store, state: state).run()
      return problem.map {
        .ofWrite(
          Failure(.machine, code: "store.unfit", reason: "the store of Blobs= is unfit: \($0)"))
      }
    } catch { return .ofWrite(error) }
  }

  func put(_ list: any Folder, as origin: FileName) throws(Failure) {
    if try store.size(of: key(origin, ListFolder.list)) != nil { return }
    for name in Self.files { try put(name, of: list, as: origin) }
  }

  private func put(_ name: FileName, of list: any Folder, as origin: FileName) throws(Failure) {
    let found = try asMachine { () throws(SystemError) in
      try list.open(ifThere: name).map { (file) throws(SystemError) in
        let size = try file.status().size
        let digest = try FileCopy.digest(of: file, size: size)
        return (file, ObjectContents(size: size, sha256: digest.bytes))
      }
    }
    guard let (file, contents) = found else {
      throw Failure(.final, code: "list.gone", reason: "a file of list \(origin) is missing")
    }
    // One that is there is of an earlier attempt, and has the same bytes.
    _ = try store.create(key(origin, name), of: file, contents)
  }

  func differs(
    from list: any Folder, as origin: FileName, reading: Bool, through state: any Folder
  ) throws(Failure) -> Bool {
    for name in Self.files {
      let found = try asMachine { () throws(SystemError) in
        try list.open(ifThere: name).map { (file) throws(SystemError) in
          (file, try file.status().size)
        }
      }
      let there = try store.size(of: key(origin, name))
      guard let (own, size) = found else {
        if there == nil { return true }
        continue
      }
      if there != size { return true }
      if !reading { continue }
      let copy = try asMachine { () throws(SystemError) in try state.nameless([]) }
      do throws(Failure) {
        guard try store.fetch(key(origin, name), into: copy, upTo: size) else { return true }
      } catch {
        // The object has other bytes than the store has noted, or more than it said. Any other answer says nothing of it.
        guard error.code == "store.damaged" else { throw error }
        return true
      }
      let isSame = try asMachine { () throws(SystemError) in
        try FileCopy.digest(of: own, size: size) == FileCopy.digest(of: copy, size: size)
      }
      if !isSame { return true }
    }
    return false
  }

  func renew(_ list: any Folder, as origin: FileName) throws(Failure) {
    // One by one: an error in between leaves the others.
    for name in Self.files {
      guard try asMachine({ () throws(SystemError) in try list.has(name) }) else { continue }
      try store.remove(key(origin, name))
      try put(name, of: list, as: origin)
    }
  }

  func fetch(_ origin: FileName, into folder: any Folder) throws(Failure) {
    for name in Self.files {
      let copy = try asMachine { () throws(SystemError) in try folder.openAnew(name) }
      guard try store.fetch(key(origin, name), into: copy, upTo: .max) else {
        throw Self.gone(origin)
      }
      try asMachine { () throws(SystemError) in try copy.sync() }
    }
    try asMachine { () throws(SystemError) in try folder.sync() }
  }

  func size(of origin: FileName) throws(Failure) -> UInt64 {
    if let size = try store.size(of: key(origin, ListFolder.list)) { return size }
    throw Self.gone(origin)
  }

  private static func gone(_ origin: FileName) -> Failure { .missing(origin, from: "the store") }

  func remove(_ origin: FileName) throws(Failure) {
    for name in Self.files.reversed() { try store.remove(key(origin, name)) }
  }

  private static let markKey = ObjectKey(SharedMark.name)

  func mark(through state: any Folder) throws(Failure) -> String? {
    let limit = SharedMark.longest
    let file = try asMachine { () throws(SystemError) in try state.nameless([]) }
    guard try store.fetch(Self.markKey, into: file, upTo: UInt64(limit)) else { return nil }
    return try asMachine { () throws(SystemError) in
      String(decoding: try file.read(at: 0, upTo: limit), as: UTF8.self)
    }
  }

  func mark(with text: String, through state: any Folder) throws(Failure) {
    let bytes = Array(text.utf8)
    let file = try asMachine { () throws(SystemError) in try state.nameless(bytes) }
    _ = try store.create(Self.markKey, of: file, ObjectContents(bytes))
  }

  /// Objects have no drafts.
  func sweep() throws(Failure) {}
}
