// SPDX-License-Identifier: Apache-2.0
// Lists as the inbox leaves them: a folder with the list, its catalog and `about`, and the record that it is
// accepted. A bench has the folders and the record, on a simulated or a real disk.

import Accept
import Catalog
import Digests
import Files
import Linux
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

protocol ListBench: Sendable {
  var clock: SimulatedClock { get }
  var folders: StateFolders { get }
  var recorder: Recorder { get }
  var index: ListIndex { get }
  var lists: OpenLists { get }
}

/// A list before it has a folder.
struct SampleList: Sendable {
  var photos = [("Barn", "https://photos.example.org/barn.jpg")]
  var options: [(String, String)] = []
  var name = "barn.plist"
  var owner: UInt32 = 1000
  var serviceClass = ServiceClass.default
  var terms = FrozenSettings(prints: FileName(literal: "barn"), filter: .standard, title: "")

  var sha256: String {
    var hash = SHA256()
    hash.add(bytes)
    return hash.digest().hex
  }

  init(_ change: (inout SampleList) -> Void = { _ in }) { change(&self) }

  /// The photos are `Photo 1`, `Photo 2` and so on.
  init(count: Int, _ change: (inout SampleList) -> Void = { _ in }) {
    photos = (1...count).map { ("Photo \($0)", "https://photos.example.org/\($0).jpg") }
    change(&self)
  }

  var bytes: [UInt8] { PhotoListText.array(photos, options: options) }

  /// The catalog, in memory.
  func catalog() throws -> MemoryFile {
    let catalog = MemoryFile()
    try ListReader.read(list: MemoryFile(bytes), catalog: catalog, limits: ListLimits())
    return catalog
  }

  func about(_ time: UInt64 = 1) throws -> AboutFile {
    AboutFile(
      name: try #require(FileName(name)),
      status: FileStatus(
        kind: .file, device: 1, inode: 1, size: UInt64(bytes.count), owner: owner, mode: 0o600,
        modified: 0, changed: 0), sha256: sha256, accepted: time,
      terms: ListTerms(
        photos: UInt32(photos.count), serviceClass: serviceClass, settings: terms.text))
  }

  /// Makes the list's folder; its dropped file has left the inbox.
  @discardableResult
  func write(_ list: ListID, in lists: any Folder) throws -> any Folder {
    let folder = try lists.folder(ListFolder.name(list), creating: true)
    try folder.open(ListFolder.list, .create).write(bytes, at: 0)
    try folder.open(ListFolder.catalog, .create).write(catalog().bytes, at: 0)
    _ = try folder.open(OpenList.collisionsName, .create)
    try folder.put(ListFolder.about, about().text)
    try ListMarks.note(.claimed, in: folder)
    return folder
  }
}

extension SampleList {
  static let line = "0123456789abcdef"

  /// Its folder of prints has a mark.
  static func marked(_ change: (inout SampleList) -> Void = { _ in }) -> SampleList {
    SampleList {
      $0.terms.line = line
      change(&$0)
    }
  }
}

extension ListBench {
  /// A list that was accepted.
  @discardableResult
  func add(_ number: UInt64, _ sample: SampleList = SampleList()) async throws -> ListID {
    let list = ListID(number)
    try sample.write(list, in: folders.lists)
    let about = try sample.about()
    try await recorder.record([.accepted(list, about.acceptance)])
    index.add(list, try ListLabel(about))
    return list
  }

  func folder(of list: ListID) throws -> any Folder {
    try folders.lists.folder(ListFolder.name(list), creating: false)
  }

  /// As a list has left its folder of prints that is not known any more: it was accepted after the state folder was copied.
  func leaveStranger(_ line: String = "fedcba9876543210", list: UInt64 = 7) throws {
    let folder = try folders.prints.folder(FileName(literal: "barn"), creating: true)
    let mark = try #require(PrintsMark(line: line, list: ListID(list)))
    try folder.removeIfThere(PrintsMark.file)
    _ = try mark.put(on: folder, for: .group)
  }

  /// The mark in the folder `barn` cannot be read.
  func spoilMark() throws {
    try folders.prints.folder(FileName(literal: "barn"), creating: true).makeFolder(PrintsMark.file)
  }

  /// Nil for a photo whose state the ledger does not have.
  func state(_ photo: PhotoID) -> PhotoState? {
    let found = recorder.ledger { $0.state(of: photo) }
    return if case .known(let state) = found { state } else { nil }
  }
  func state(_ list: ListID) -> ListState? { recorder.ledger { $0[list]?.state } }

  /// Records the photo as filtered; its print, 100 times this letter, is in place.
  func develop(
    _ photo: PhotoID, print: String, in prints: String = "barn", of letter: Character = "p"
  ) async throws {
    let folder = try folders.prints.folder(FileName(made: prints), creating: true)
    let name = FileName(made: print)
    try folder.removeIfThere(name)
    try folder.put(name, String(repeating: letter, count: 100))
    try await recorder.record(
      [.filtered(photo, Contents(size: 100, hash: 1))],
      after: [.row(photo.list, .print(photo.number, of: letter))])
  }
}

extension ResultRow {
  /// A JPEG of 4 × 3 pixels, of 100 times this letter.
  static func print(_ photo: UInt32, of letter: Character = "p") -> ResultRow {
    var hash = SHA256()
    hash.add(Array(String(repeating: letter, count: 100).utf8))
    return ResultRow(
      photo: photo, state: .filtered, format: PictureFormat.jpeg.rawValue, attempts: 1, bytes: 100,
      width: 4, height: 3, sha256: hash.digest().bytes)
  }
}

extension OpenLists {
  /// The list is kept open: two looks give the same one.
  func isKept(_ list: ListID) -> Bool {
    guard let one = try? look(list), let other = try? look(list) else { return false }
    return one === other
  }
}
