// SPDX-License-Identifier: Apache-2.0
// Whose prints a folder holds. Its file `.list` has the number and the line of the newest list that prints there: lists
// that take over from each other have one line, which the first list draws at random. A state folder that is older than the
// prints does not know the lists of today. A list that it knows may name a folder into which another list prints now: it
// leaves the prints of another line, and of a later list of the same line, alone. The file is durable before the first
// print. A folder without it, or with an empty one after a power cut, belongs to the list that names it. A value; raises
// SystemError.

package import Vocabulary

package struct PrintsMark: Equatable, Sendable {
  /// Whether a list may print into a folder.
  package enum Claim: Equatable, Sendable {
    /// It has no mark, or an earlier list of the line has put it there.
    case open
    case own
    /// A later list of the line prints there.
    case later
    /// A list of another line does, or it is not known which one.
    case stranger

    package var mayPrint: Bool { self == .open || self == .own }
  }

  /// No print has this name: a leading dot is escaped.
  package static let file = FileName(literal: ".list")
  private static let longest = 64
  private static let digits = 16

  private let line: String
  private let list: ListID

  /// Nil for a line that was not drawn by `ThisProcess.randomBytes(8)`.
  package init?(line: String, list: ListID) {
    guard Self.isLine(line) else { return nil }
    (self.line, self.list) = (line, list)
  }

  package static func isLine(_ text: String) -> Bool {
    text.utf8.count == digits && text.allSatisfy(\.isHexDigit)
  }

  private init?(_ bytes: [UInt8]) {
    guard bytes.last == 0x0A else { return nil }
    let words = String(decoding: bytes.dropLast(), as: UTF8.self).split(separator: " ")
    guard words.count == 2, let number = UInt64(words[1]) else { return nil }
    self.init(line: String(words[0]), list: ListID(number))
  }

  private var text: String { "\(line) \(list)\n" }

  package func claim(on prints: any Folder) throws(SystemError) -> Claim {
    let bytes = try prints.contents(of: Self.file, upTo: Self.longest) ?? []
    // A power cut can leave the length without the bytes.
    if bytes.allSatisfy({ $0 == 0 }) { return .open }
    guard let found = PrintsMark(bytes), found.line == line else { return .stranger }
    if found.list == list { return .own }
    return found.list < list ? .open : .later
  }

  /// Writes the mark, unless it is there. Returns the file, which is to be synced before a print appears; nil if the
  /// folder holds the prints of another list.
  /// - Parameter again: true if it is not known what the disk holds, because a sync failed.
  package func put(
    on prints: any Folder, for readers: FileReaders, again: Bool = false
  ) throws(SystemError) -> (any OpenFile)? {
    let claim = try claim(on: prints)
    guard claim.mayPrint else { return nil }
    if claim == .open || again { try prints.replace(Self.file, with: Array(text.utf8)) }
    try prints.setReaders(readers, of: Self.file)
    return try prints.open(Self.file, .read)
  }
}
