// SPDX-License-Identifier: Apache-2.0
// A list's progress into and out of the daemon, kept in two files in STATE/lists/N. Accept writes one,
// Return the others, each as a whole; both stages read them. Raises SystemError.
//
//   state: accepted   by Accept: the list is recorded, its dropped file may still be in the inbox
//   state: claimed    by Accept: the dropped file has left the inbox
//   state: archived   by versions before `returned`: claimed and returned
//   returned          by Return: copy and results are durable in `done` and `failed`; its contents name them
//   expired           by Return: the prints were removed for their age; the time, in milliseconds since 1970

package import Vocabulary

package struct ListMarks: Equatable, Sendable {
  package enum Drop: String, Sendable {
    case accepted  // → claimed
    case claimed
  }

  /// Nil before the list is recorded.
  package let drop: Drop?
  package let isReturned: Bool

  /// An unknown word counts as `accepted`, which costs one more check and loses nothing.
  package init(of folder: any Folder) throws(SystemError) {
    let bytes = try folder.contents(of: ListFolder.state, upTo: 64)
    let word = bytes.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
    if word == "archived" {
      (drop, isReturned) = (.claimed, true)
    } else {
      drop = word.map { Drop(rawValue: $0) ?? .accepted }
      isReturned = try folder.has(ListFolder.returned)
    }
  }

  /// The folder may be removed. Until the list is claimed, it identifies the dropped file in the inbox.
  package var isRemovable: Bool { isReturned && drop == .claimed }

  /// `accepted` is durable on return, `claimed` need not be: a power cut may leave `accepted` or an empty file,
  /// and the next start, which finds no dropped file, notes it again.
  package static func note(_ drop: Drop, in folder: any Folder) throws(SystemError) {
    let word = Array("\(drop.rawValue)\n".utf8)
    switch drop {
    case .accepted: try folder.write(whole: word, as: ListFolder.state)
    case .claimed: try folder.replace(ListFolder.state, with: word)
    }
  }

  /// `receipt` tells Return which files the list has there.
  package static func noteReturn(
    in folder: any Folder, _ receipt: [UInt8] = []
  ) throws(SystemError) {
    try folder.write(whole: receipt, as: ListFolder.returned)
  }

  package static func noteExpiry(in folder: any Folder, at time: UInt64) throws(SystemError) {
    try folder.write(whole: Array("\(time)\n".utf8), as: ListFolder.expired)
  }

  /// Nil if the prints have not expired; 0 if none were there then.
  package static func expiry(in folder: any Folder) throws(SystemError) -> UInt64? {
    let bytes = try folder.contents(of: ListFolder.expired, upTo: 64)
    return bytes.map { UInt64(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) ?? 0 }
  }

  /// The time of the return, in milliseconds since 1970.
  package static func returnTime(in folder: any Folder) throws(SystemError) -> UInt64 {
    let isMarked = try folder.has(ListFolder.returned)
    let status = try folder.status(of: isMarked ? ListFolder.returned : ListFolder.state)
    return UInt64(max(0, status.modified / 1_000_000))
  }
}
