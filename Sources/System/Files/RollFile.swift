// SPDX-License-Identifier: Apache-2.0
// The file `roll` of a list that was made of dropped pictures: for each photo, the picture that became the photo.
// Accept writes it, before the list is recorded; Accept and Return read it. Text in ASCII, a line a photo, in order;
// `path` starts at the inbox, with its names percent-encoded:
//
//   #darkroom-roll 1 base=1          names at the start of each path that are not part of the photo's name
//   131077 1763712345123456789 38123 9f86d081… Barn/2026/door.jpg
//   inode  modified            size  sha256    path
//
// Raises SystemError, and `state.roll` for a file that cannot be read.

package import Vocabulary

package struct RollRow: Equatable, Sendable {
  package let path: [FileName]
  package let inode: UInt64
  /// Nanoseconds since 1970.
  package let modified: Int64
  package let sum: FileCopy.Sum

  package init(path: [FileName], inode: UInt64, modified: Int64, sum: FileCopy.Sum) {
    (self.path, self.inode, self.modified, self.sum) = (path, inode, modified, sum)
  }

  /// The status fits; the contents are not compared.
  package func resembles(_ status: FileStatus) -> Bool {
    status.kind == .file && status.inode == inode && status.modified == modified
      && status.size == sum.size
  }
}

package struct RollFile: Equatable, Sendable {
  /// The pictures of photos 1, 2, ….
  package let rows: [RollRow]
  /// The number of names that begin each path and are not part of the photo's name.
  package let base: Int

  package init(rows: [RollRow], base: Int) { (self.rows, self.base) = (rows, base) }

  private static let header = "#darkroom-roll 1 base="
  private static let longestName = 1000
  /// 100,000 rows with paths of ordinary length; longer ones are not written.
  private static let longest = 256 << 20

  /// The list of the pictures: the same bytes whenever it is written.
  package func writeList(to file: any OpenFile) throws(SystemError) -> FileCopy.Sum {
    let writer = PropertyListWriter(file)
    writer.open(.dict)
    writer.key("Photos")
    writer.open(.array)
    for (place, row) in rows.enumerated() {
      writer.open(.dict)
      writer.string("Name", photoName(place, row))
      let path = row.path.map { HexDigits.percentEncoded($0.bytes) }.joined(separator: "/")
      writer.string("URL", "dropped:///\(path)")
      writer.string("SHA256", row.sum.sha256)
      try writer.close(.dict)
    }
    try writer.close(.array)
    try writer.close(.dict)
    return try writer.end()
  }

  /// The path inside the roll.
  private func photoName(_ place: Int, _ row: RollRow) -> String {
    let path = row.path.dropFirst(base)
    let name = path.map { "\($0)" }.joined(separator: "/")
    return name.utf8.count <= Self.longestName
      ? name : "\(place + 1) \(path.last.map { "\($0)" } ?? "")"
  }

  /// Durable on return, but for the name in `folder`.
  package func write(in folder: any Folder) throws(SystemError) {
    var text: [UInt8] = Array("\(Self.header)\(base)\n".utf8)
    for row in rows {
      text += "\(row.inode) \(row.modified) \(row.sum.size) \(row.sum.sha256) ".utf8
      text += row.path.map { HexDigits.percentEncoded($0.bytes) }.joined(separator: "/").utf8
      text.append(0x0A)
    }
    try folder.write(whole: text, as: ListFolder.roll)
  }

  /// Nil if the folder has none.
  package static func read(from folder: any Folder) throws(Failure) -> RollFile? {
    let bytes = try asMachine { () throws(SystemError) in
      try folder.contents(of: ListFolder.roll, upTo: longest)
    }
    guard let bytes else { return nil }
    let lines = bytes.split(separator: 0x0A)
    guard bytes.last == 0x0A, let first = lines.first, first.starts(with: header.utf8),
      let base = Int(String(decoding: first.dropFirst(header.utf8.count), as: UTF8.self)), base >= 0
    else { throw damaged }
    var rows: [RollRow] = []
    rows.reserveCapacity(lines.count)
    for line in lines.dropFirst() {
      guard let row = row(line), row.path.count > base else { throw damaged }
      rows.append(row)
    }
    return RollFile(rows: rows, base: base)
  }

  private static func row(_ line: ArraySlice<UInt8>) -> RollRow? {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 5 else { return nil }
    let text = words[..<4].map { String(decoding: $0, as: UTF8.self) }
    let path = words[4].split(separator: 0x2F, omittingEmptySubsequences: false)
      .map { HexDigits.percentDecoded($0).flatMap { FileName(bytes: $0) } }
    guard let inode = UInt64(text[0]), let modified = Int64(text[1]), let size = UInt64(text[2]),
      text[3].utf8.count == 64, !path.contains(nil)
    else { return nil }
    return RollRow(
      path: path.compactMap { $0 }, inode: inode, modified: modified,
      sum: FileCopy.Sum(size: size, sha256: text[3]))
  }

  private static let damaged = Failure(
    .final, code: "state.roll",
    reason: "the file 'roll' of the list, which names its dropped pictures, is damaged")
}
