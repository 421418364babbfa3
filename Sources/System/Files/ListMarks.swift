// SPDX-License-Identifier: Apache-2.0
// A list's progress into and out of the daemon, kept in two files in STATE/lists/N. Accept writes one in place,
// Return the others, each as a whole; both stages read them. Raises SystemError.
//
//   state, empty      by Accept: the list is in preparation, or its record has not been made
//   state: accepted   by Accept: the list is recorded, its dropped file may still be in the inbox
//   state: claimed    by Accept: the dropped file has left the inbox
//   returned          by Return: copy and results are durable in `done` and `failed`; its contents name them
//   resulted          by Return: the results and the dropped pictures are there, or will never be, and the copy waits,
//                     because list.plist is lost; its contents name the results
//   expired           by Return: the prints were removed because of their age; the time, in milliseconds since 1970

package import Vocabulary

package struct ListMarks: Equatable, Sendable {
  package enum Drop: String, Sendable {
    case accepted  // → claimed
    case claimed
  }

  /// The length of the longest word with its newline. Shorter words get more newlines, so that the file is never cut.
  private static let length = 9

  /// Nil before the list is recorded.
  package let drop: Drop?
  package let isReturned: Bool

  /// An unknown word counts as `accepted`, which costs one more check and loses nothing.
  package init(of folder: any Folder) throws(SystemError) {
    let bytes = try folder.contents(of: ListFolder.state, upTo: 64) ?? []
    let word = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    drop = bytes.isEmpty ? nil : Drop(rawValue: word) ?? .accepted
    isReturned = try folder.has(ListFolder.returned)
  }

  /// The folder may be removed. Until the list is claimed, it identifies the dropped file in the inbox.
  package var isRemovable: Bool { isReturned && drop == .claimed }

  /// The file `state` of a list in preparation, in a new folder. Sync the folder alone: the file is empty.
  package static func prepare(in folder: any Folder) throws(SystemError) {
    _ = try folder.open(ListFolder.state, .create)
  }

  /// `accepted` is durable on return, `claimed` need not be.
  package static func note(_ drop: Drop, in folder: any Folder) throws(SystemError) {
    let steps = try write(drop, in: folder)
    if drop == .accepted { try steps.run() }
  }

  /// Returns the steps that make the mark durable. The word is overwritten in place: it takes no new file and no
  /// change of names. A power cut leaves the old word, the new one, or one that counts as `accepted`; all come after
  /// the record. If `claimed` is lost, the next start, which finds no dropped file, notes it again.
  package static func write(
    _ drop: Drop, in folder: any Folder
  ) throws(SystemError) -> [SyncStep] {
    var word = Array(drop.rawValue.utf8)
    word += [UInt8](repeating: 0x0A, count: length - word.count)
    // Its name is durable: the list was prepared with it.
    let file = try folder.open(ListFolder.state, .ensure)
    try file.write(word, at: 0)
    return [.file(file)]
  }

  /// Returns the steps that make the mark durable. `receipt` tells Return which files the list has there; it need not be
  /// durable: a power cut may leave the mark without it.
  package static func writeReturn(
    in folder: any Folder, _ receipt: [UInt8]
  ) throws(SystemError) -> [SyncStep] {
    try folder.replace(ListFolder.returned, with: receipt)
    return [.folder(folder)]
  }

  /// The mark without a receipt, durable on return.
  package static func noteReturn(in folder: any Folder) throws(SystemError) {
    try writeReturn(in: folder, []).run()
  }

  package static func noteExpiry(in folder: any Folder, at time: UInt64) throws(SystemError) {
    try folder.write(whole: Array("\(time)\n".utf8), as: ListFolder.expired)
  }

  /// Nil if the prints have not expired; 0 if none were there then.
  package static func expiry(in folder: any Folder) throws(SystemError) -> UInt64? {
    let bytes = try folder.contents(of: ListFolder.expired, upTo: 64)
    return bytes.map { UInt64(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) ?? 0 }
  }

  /// The time of the return, in milliseconds since 1970; for a list without a copy, the time of its results.
  package static func returnTime(in folder: any Folder) throws(SystemError) -> UInt64 {
    let mark = try folder.has(ListFolder.returned) ? ListFolder.returned : ListFolder.resulted
    return UInt64(max(0, try folder.status(of: mark).modified / 1_000_000))
  }
}
