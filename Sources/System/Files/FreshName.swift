// SPDX-License-Identifier: Apache-2.0
// Names for a list's files in `done` and `failed`: the dropped name, or one with the list's number if the
// first is taken or too long for the names derived from it. `NAME~NUMBER` belongs to the list of that number alone: a
// dropped name that has such a mark gets the number of its list as well. Otherwise a user could take all names of
// another user's list before that list ends. Temporary names are `.archive-NUMBER…`.

package import Vocabulary

package enum FreshName {
  private static let limit = 255
  /// The longest addition to a name is `.reason.txt`.
  private static let addition = 11

  /// In the order of preference.
  package static func choices(_ name: FileName, _ list: ListID) -> [FileName] {
    let parts = ListName(name)
    let tails = ["~\(list)"] + (2...9).map { "~\(list)~\($0)" }
    let isOwn = name.bytes.count + addition <= limit && !hasMark(name)
    let own = isOwn ? [name] : []
    return own
      + tails.compactMap { tail in
        let room = limit - addition - parts.ending.count - tail.utf8.count
        return FileName(bytes: shortened(parts.stem, to: room) + Array(tail.utf8) + parts.ending)
      }
  }

  /// `~` and a digit, anywhere: `barn~2.retry.plist` is a name of list 2 as well.
  private static func hasMark(_ name: FileName) -> Bool {
    zip(name.bytes, name.bytes.dropFirst()).contains { $0 == 0x7E && (0x30...0x39).contains($1) }
  }

  /// The ending distinguishes the files of one list.
  package static func temporary(_ list: ListID, _ ending: String = "") -> FileName {
    FileName(made: ".archive-\(list)\(ending)")
  }

  /// Removes the temporary files and folders that a crash has left. No return into the folder may be in progress.
  package static func sweep(_ folder: any Folder) throws(SystemError) {
    for name in try folder.names() where name.bytes.starts(with: ".archive-".utf8) {
      if try folder.status(ifThere: name)?.kind == .folder {
        try folder.removeTree(name)
      } else {
        try folder.removeIfThere(name)
      }
    }
  }

  /// Does not cut inside a UTF-8 character.
  package static func shortened(_ bytes: ArraySlice<UInt8>, to room: Int) -> [UInt8] {
    guard bytes.count > room else { return Array(bytes) }
    var cut = bytes.prefix(room)
    if bytes[cut.endIndex] & 0xC0 == 0x80 {
      while let last = cut.last, last & 0xC0 == 0x80 { cut.removeLast() }
      cut = cut.dropLast()
    }
    return cut.isEmpty ? Array(bytes.prefix(room)) : Array(cut)
  }
}
