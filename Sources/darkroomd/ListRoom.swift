// SPDX-License-Identifier: Apache-2.0
// One list with everything that its photos need: its terms, its catalog, its folders. Opened when the
// list is accepted or found at start. Raises `Failure`.
// Concurrency: immutable.

import Accept
import Catalog
import Output
import Vocabulary

final class ListRoom: Sendable {
  let id: ListID
  let about: AboutFile
  let terms: FrozenSettings
  let catalog: CatalogFile
  let originals: any Folder
  /// Nil where the list is over and only looked at.
  private let prints: PrintFolder?
  /// Photos whose print's name is taken by an earlier one.
  private let collisions: Set<UInt32>

  static let limits = ListLimits(size: 16 << 30, photos: 50_000_000)
  private static let collisionsName = FileName(literal: "collisions")

  /// A list that is over is only looked at: its downloads' folder is not made anew.
  init(_ id: ListID, in folders: StateFolders, isOver: Bool = false) throws(Failure) {
    self.id = id
    let folder: any Folder
    do throws(SystemError) {
      folder = try folders.lists.folder(ListFolder.name(id), creating: false)
    } catch { throw Self.failure(error) }
    about = try AboutFile.read(from: folder)
    terms = try FrozenSettings(text: about.terms.settings)
    catalog = try CatalogFile(try Self.open(ListFolder.catalog, in: folder), limits: Self.limits)
    collisions = try Self.collisions(in: folder)
    do throws(SystemError) {
      if isOver {
        originals = folders.originals
        prints = nil
      } else {
        originals = try folders.originals.folder(FileName(number: id.number), creating: true)
        let isThere = try folders.prints.has(terms.prints)
        prints = PrintFolder(try folders.prints.folder(terms.prints, creating: true))
        if !isThere {
          try folders.prints.setMode(0o750, of: terms.prints)
          try folders.prints.sync()
        }
      }
    } catch { throw error.machineFailure }
  }

  /// For people: the dropped file's name without its ending.
  var name: String { Self.name(of: about.name) }

  static func name(of file: FileName) -> String { String(decoding: stem(of: file), as: UTF8.self) }

  /// Without `.plist`, in any case.
  static func stem(of file: FileName) -> [UInt8] {
    let end = String(decoding: file.bytes.suffix(6), as: UTF8.self).lowercased()
    let isList = end == ".plist" && file.bytes.count > 6
    return Array(isList ? file.bytes.dropLast(6) : file.bytes[...])
  }

  func printFolder() throws(Failure) -> PrintFolder {
    guard let prints else {
      throw Failure(.final, code: "list.over", reason: "the list is over")
    }
    return prints
  }

  func printName(_ number: UInt32, _ name: String, _ format: PictureFormat) -> FileName {
    PrintName.file(
      stem: PrintName.stem(of: name), number: collisions.contains(number) ? number : nil,
      format: format)
  }

  /// Works out which names collide, once, when the list is accepted; durable on return.
  static func settleNames(_ catalog: CatalogFile, in folder: any Folder) async throws(Failure) {
    var names = NameCollisions()
    for number in 1...catalog.count {
      let entry = try catalog.entry(number)
      if entry.problem == nil { names.add(entry.name, number: number) }
      // Long lists leave the thread to others now and then.
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    let numbers = names.numbers()
    if numbers.isEmpty { return }
    do throws(SystemError) {
      let file = try folder.open(collisionsName, .ensure)
      try file.truncate(to: 0)
      try file.write(Array((numbers.map { "\($0)\n" }).joined().utf8), at: 0)
      try file.sync()
    } catch { throw error.machineFailure }
  }

  private static func collisions(in folder: any Folder) throws(Failure) -> Set<UInt32> {
    do throws(SystemError) {
      guard try folder.has(collisionsName) else { return [] }
      let file = try folder.open(collisionsName, .read)
      let bytes = try file.read(at: 0, upTo: Int(min(try file.status().size, 1 << 30)))
      return Set(
        bytes.split(separator: 0x0A).compactMap { UInt32(String(decoding: $0, as: UTF8.self)) })
    } catch { throw error.machineFailure }
  }

  private static func open(_ name: FileName, in folder: any Folder) throws(Failure) -> any OpenFile
  {
    do throws(SystemError) { return try folder.open(name, .read) } catch { throw failure(error) }
  }

  /// What is gone does not come back by waiting.
  private static func failure(_ error: SystemError) -> Failure {
    guard error.isMissing else { return error.machineFailure }
    return Failure(
      .final, code: "list.gone", reason: "\(error)",
      advice: "Bring the file back and restart darkroomd, or cancel the list")
  }
}

/// The folders below the state folder, and the prints.
struct StateFolders: Sendable {
  let state: any Folder
  let lists: any Folder
  let originals: any Folder
  /// Downloads that are not whole yet, by their URL.
  let incoming: any Folder
  let cache: any Folder
  let prints: any Folder
  let quarantine: any Folder

  init(state: any Folder, prints: any Folder) throws(SystemError) {
    self.state = state
    self.prints = prints
    lists = try state.folder(FileName(literal: "lists"), creating: true)
    originals = try state.folder(FileName(literal: "originals"), creating: true)
    incoming = try state.folder(FileName(literal: "incoming"), creating: true)
    cache = try state.folder(FileName(literal: "cache"), creating: true)
    quarantine = try state.folder(FileName(literal: "quarantine"), creating: true)
  }

  /// What is no longer needed of a list's downloads.
  func removeOriginals(of list: ListID) throws(SystemError) {
    let name = FileName(number: list.number)
    guard try originals.has(name) else { return }
    let folder = try originals.folder(name, creating: false)
    for file in try folder.names() { try folder.removeIfThere(file) }
    try originals.removeFolder(name)
  }
}
