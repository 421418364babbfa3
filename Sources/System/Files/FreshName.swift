// SPDX-License-Identifier: Apache-2.0
// Names for a list's files in `done` and `failed`: the dropped name, or one with the list's number if the
// first is taken or too long for the names derived from it. Temporary names are `.archive-NUMBER…`.

package import Vocabulary

package enum FreshName {
  private static let limit = 255
  /// The longest addition to a name is `.reason.txt`.
  private static let addition = 11

  /// In the order of preference.
  package static func choices(_ name: FileName, _ list: ListID) -> [FileName] {
    let parts = ListName(name)
    let tails = ["~\(list)"] + (2...9).map { "~\(list)~\($0)" }
    let own = name.bytes.count + addition <= limit ? [name] : []
    return own
      + tails.compactMap { tail in
        let room = limit - addition - parts.ending.count - tail.utf8.count
        return FileName(bytes: shortened(parts.stem, to: room) + Array(tail.utf8) + parts.ending)
      }
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
