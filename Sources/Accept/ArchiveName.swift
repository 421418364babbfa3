// SPDX-License-Identifier: Apache-2.0
// The names a file may get in `done` and `failed`: its own, or with the list's number where that one is
// taken or too long for what is written beside it.

package import Vocabulary

package enum ArchiveName {
  /// Room for the longest companion, `.reason.txt`.
  private static let companion = Array(".reason.txt".utf8)
  private static let limit = 255

  /// In the order in which they are tried.
  package static func choices(_ name: FileName, _ list: ListID) -> [FileName] {
    let suffix = name.bytes.suffix(6)
    let stem = name.bytes.dropLast(6)
    let tails = ["~\(list)"] + (2...9).map { "~\(list)~\($0)" }
    let own = name.bytes.count + companion.count <= limit ? [name] : []
    return own
      + tails.compactMap { tail in
        let room = limit - companion.count - suffix.count - tail.utf8.count
        return FileName(bytes: shortened(stem, to: room) + Array(tail.utf8) + suffix)
      }
  }

  package static func reason(beside name: FileName) -> FileName? {
    FileName(bytes: name.bytes + companion)
  }

  /// `NAME.result.plist` beside `NAME.plist`; shorter than the longest companion.
  package static func result(beside name: FileName) -> FileName? {
    FileName(bytes: name.bytes.dropLast(6) + ".result.plist".utf8)
  }

  package static func retry(beside name: FileName) -> FileName? {
    FileName(bytes: name.bytes.dropLast(6) + ".retry.plist".utf8)
  }

  package static func temporaryResult(_ list: ListID) -> FileName {
    FileName(".archive-\(list).result") ?? FileName(number: list.number)
  }

  package static func temporaryRetry(_ list: ListID) -> FileName {
    FileName(".archive-\(list).retry") ?? FileName(number: list.number)
  }

  package static func temporary(_ list: ListID) -> FileName {
    FileName(".archive-\(list)") ?? FileName(number: list.number)
  }

  static func isTemporary(_ name: FileName) -> Bool {
    name.bytes.starts(with: ".archive-".utf8)
  }

  /// Not within a character of UTF-8.
  private static func shortened(_ bytes: ArraySlice<UInt8>, to room: Int) -> [UInt8] {
    guard bytes.count > room else { return Array(bytes) }
    var cut = bytes.prefix(room)
    if bytes[cut.endIndex] & 0xC0 == 0x80 {
      while let last = cut.last, last & 0xC0 == 0x80 { cut.removeLast() }
      cut = cut.dropLast()
    }
    return cut.isEmpty ? Array(bytes.prefix(room)) : Array(cut)
  }
}
