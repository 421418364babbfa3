// SPDX-License-Identifier: Apache-2.0
// One list with everything that its photos need: its terms, its catalog, its folders. Raises a `Failure`:
// `final` if the list's own files are gone or damaged, otherwise `machine`, or `cancelled`.
// Concurrency: immutable; opening a list waits for a disk.

import Accept
import Catalog
import Cluster
import Files
import Output
import Return
import Vocabulary

final class OpenList: Sendable {
  enum Purpose {
    /// To read it, without its work folders.
    case look
    /// For the stages; `begin` has made its folders.
    case use
    /// Makes missing folders, and removes unfinished files of an earlier run among the prints.
    case begin
  }

  /// The folders that receive a list's originals and prints.
  struct WorkFolders: Sendable {
    let originals: any Folder
    /// With the drafts alone, if the prints are in a store.
    let prints: PrintFolder
    var stored: StoredPrints?
    /// The path of the folder of prints if it was made for this opening.
    var made: String?
  }

  let id: ListID
  let about: AboutFile
  let terms: FrozenSettings
  let catalog: CatalogPart
  /// Nil for a list that was opened to `look`.
  private let folders: WorkFolders?
  /// Photos whose print name an earlier photo has taken.
  private let collisions: Set<UInt32>

  static let limits = ListLimits(size: 16 << 30, photos: 50_000_000)
  static let collisionsName = FileName(literal: "collisions")

  init(_ id: ListID, in folders: StateFolders, to purpose: Purpose) throws(Failure) {
    self.id = id
    let folder: any Folder
    do throws(SystemError) {
      folder = try folders.lists.folder(ListFolder.name(id), creating: false)
    } catch { throw Self.failure(error) }
    about = try AboutFile.read(from: folder)
    terms = try FrozenSettings(text: about.terms.settings)
    let files = try Self.files(of: terms, folder, folders)
    catalog = CatalogPart(
      try CatalogFile(try Self.open(ListFolder.catalog, in: files), limits: Self.limits),
      part: terms.part)
    collisions = try Self.collisions(in: files)
    self.folders = try Self.workFolders(id, about.owner, terms, folders, purpose)
  }

  /// All shares of a list have one catalog.
  private static func files(
    of terms: FrozenSettings, _ own: any Folder, _ folders: StateFolders
  ) throws(Failure) -> any Folder {
    guard let copy = terms.copy else { return own }
    do throws(SystemError) {
      return try folders.copies().folder(copy, creating: false)
    } catch { throw failure(error) }
  }

  private static func workFolders(
    _ id: ListID, _ owner: UInt32, _ terms: FrozenSettings, _ folders: StateFolders,
    _ purpose: Purpose
  ) throws(Failure) -> WorkFolders? {
    if purpose == .look { return nil }
    do throws(SystemError) {
      if let work = try workFolders(id, owner, terms, folders, creating: purpose == .begin) {
        return work
      }
    } catch { throw PrintsStanding.failure(of: error, at: terms.prints, in: folders.prints) }
    throw PrintsStanding.foreign.failure(of: terms.prints, in: folders.prints)
  }

  /// Nil if another list has its prints there.
  private static func workFolders(
    _ id: ListID, _ owner: UInt32, _ terms: FrozenSettings, _ folders: StateFolders, creating: Bool
  ) throws(SystemError) -> WorkFolders? {
    let originals = try folders.originals.folder(FileName(number: id.number), creating: creating)
    if terms.share != nil, let stored = folders.stored(terms.prints) {
      return WorkFolders(
        originals: originals, prints: PrintFolder(try folders.drafts()), stored: stored)
    }
    let home = try folders.prints.standing()
    let isThere = try home.has(terms.prints)
    let prints = try home.folder(terms.prints, creating: creating)
    let isClosed = creating && terms.isPrivate
    if !isThere, !isClosed { try home.setReaders(.group, of: terms.prints) }
    let label = terms.mark(of: id)
    if let label, try !label.claim(on: prints).mayPrint { return nil }
    if isClosed { try close(prints, terms.prints, in: home, to: owner) }
    // Its name is synced with the first print: a sync here would delay the first download.
    let work = WorkFolders(
      originals: originals,
      prints: try PrintFolder(
        prints, in: folders.prints, as: terms.prints,
        for: terms.readers(owner),
        mark: folders.mark, way: folders.ways.way(in: home), label: label),
      made: isThere ? nil : prints.path)
    // Other shares have their drafts in the same folder.
    if creating, isThere {
      try terms.share == nil ? work.prints.sweep() : work.prints.sweep(id)
    }
    return work
  }

  /// Makes a folder of prints private: first the prints of an earlier list, then the folder.
  private static func close(
    _ folder: any Folder, _ name: FileName, in parent: any Folder, to owner: UInt32
  ) throws(SystemError) {
    if try parent.hasReaders(owner, name) { return }
    for print in try folder.names() { try folder.setReaders(.user(owner), of: print) }
    if let sheet = try folder.folder(ifThere: Thumbnail.folder) {
      for small in try sheet.names() { try sheet.setReaders(.user(owner), of: small) }
    }
    try parent.setReaders(.user(owner), of: name)
  }

  /// Raises `list.damaged` if the copy of the list is not as it was accepted.
  func checkCopy(in folders: StateFolders) throws(Failure) {
    let sum: FileCopy.Sum
    do throws(SystemError) {
      let file = try folders.lists.folder(ListFolder.name(id), creating: false)
        .open(ListFolder.list, .read)
      sum = try FileCopy.sum(file, upTo: try file.status().size)
    } catch { throw Self.failure(error) }
    guard sum == FileCopy.Sum(size: about.size, sha256: about.sha256) else {
      throw Failure(
        .final, code: "list.damaged",
        reason: "the copy of list \(id) in the state folder is damaged")
    }
  }

  /// For people: the dropped file's name without its suffix.
  var name: String { ListName(about.name).text }

  static let over = Failure(
    .final, code: "list.over", reason: "the list is over; there is nothing left to change")

  func workFolders() throws(Failure) -> WorkFolders {
    guard let folders else { throw Self.over }
    return folders
  }

  /// The number of a photo in the whole list.
  func place(of number: UInt32) -> UInt32 { catalog.place(of: number) }

  func printName(_ number: UInt32, _ name: String, _ format: PictureFormat) -> FileName {
    let place = place(of: number)
    return PrintName.file(
      stem: PrintName.stem(of: name), number: collisions.contains(place) ? place : nil,
      format: format)
  }

  /// Finds the names that collide, once, before the list is accepted, and writes them; durable on return. The file is
  /// empty if there are none, and its name becomes durable with the folder: a file that is lost is missed.
  static func settleNames(_ catalog: CatalogFile, in folder: any Folder) throws(Failure) {
    var names = NameCollisions()
    for number in 1...catalog.count {
      let entry = try catalog.entry(number)
      if entry.problem == nil { names.add(entry.name, number: number) }
      if number % 4096 == 0, Task.isCancelled { throw .cancelled }
    }
    let numbers = names.numbers()
    let text = numbers.map { "\($0)\n" }.joined()
    do throws(SystemError) {
      if numbers.isEmpty, try !folder.has(collisionsName) {
        _ = try folder.open(collisionsName, .create)
        return
      }
      try folder.write(whole: Array(text.utf8), as: collisionsName)
    } catch { throw error.machineFailure }
  }

  private static func collisions(in folder: any Folder) throws(Failure) -> Set<UInt32> {
    do throws(SystemError) {
      let file = try folder.open(collisionsName, .read)
      let bytes = try file.read(at: 0, upTo: Int(min(try file.status().size, 1 << 30)))
      return Set(
        bytes.split(separator: 0x0A).compactMap { UInt32(String(decoding: $0, as: UTF8.self)) })
    } catch { throw failure(error) }
  }

  private static func open(_ name: FileName, in folder: any Folder) throws(Failure) -> any OpenFile
  {
    do throws(SystemError) { return try folder.open(name, .read) } catch { throw failure(error) }
  }

  /// A missing file is `final`: waiting does not bring it back.
  private static func failure(_ error: SystemError) -> Failure {
    guard error.isMissing else { return error.machineFailure }
    return Failure(
      .final, code: "list.gone", reason: "\(error)",
      advice: "Restore the file and restart darkroomd, or cancel the list")
  }
}
