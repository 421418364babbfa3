// SPDX-License-Identifier: Apache-2.0
// EXIF of any shape: directories with values, directories below and behind them, and pictures.

struct ExifTree: Sendable {
  enum Value: Sendable {
    case short(Int)
    case long(Int)
    case text(String)
    case bytes([UInt8])
    /// The place of a picture and, in the next tag, its size.
    case picture([UInt8])
    /// The places of directories, as LONG or as IFD.
    case folders([ExifTree], type: Int)
  }

  var entries: [(tag: Int, value: Value)]
  /// The directory behind this one, if any.
  var next: [ExifTree] = []

  init(_ entries: [(Int, Value)], next: ExifTree? = nil) {
    self.entries = entries.map { (tag: $0.0, value: $0.1) }
    if let next { self.next = [next] }
  }

  func bytes(isLittle: Bool = true) -> [UInt8] {
    var writer = Writer(isLittle: isLittle)
    writer.out = Array((isLittle ? "II" : "MM").utf8) + writer.number(42, 2) + writer.number(8, 4)
    _ = writer.add(self)
    return writer.out
  }

  private struct Writer {
    let isLittle: Bool
    var out: [UInt8] = []

    func number(_ value: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
      return isLittle ? bytes : bytes.reversed()
    }

    /// Appends a directory; returns its place.
    mutating func add(_ tree: ExifTree) -> Int {
      var rows: [(tag: Int, type: Int, count: Int, bytes: [UInt8])] = []
      let at = out.count
      let count = tree.entries.reduce(0) { sum, entry in
        if case .picture = entry.value { sum + 2 } else { sum + 1 }
      }
      out += [UInt8](repeating: 0, count: 2 + 12 * count + 4)
      for (tag, value) in tree.entries {
        switch value {
        case .short(let value): rows.append((tag, 3, 1, number(value, 2) + [0, 0]))
        case .long(let value): rows.append((tag, 4, 1, number(value, 4)))
        case .text(let text):
          let bytes = Array(text.utf8) + [0]
          rows.append((tag, 2, bytes.count, place(bytes)))
        case .bytes(let bytes): rows.append((tag, 7, bytes.count, place(bytes)))
        case .picture(let bytes):
          rows.append((tag, 4, 1, number(out.count, 4)))
          rows.append((tag + 1, 4, 1, number(bytes.count, 4)))
          out += bytes
        case .folders(let folders, let type):
          let places = folders.flatMap { number(add($0), 4) }
          rows.append((tag, type, folders.count, place(places)))
        }
      }
      let next = tree.next.first.map { add($0) } ?? 0
      var table = number(count, 2)
      for row in rows {
        table += number(row.tag, 2) + number(row.type, 2) + number(row.count, 4) + row.bytes
      }
      out.replaceSubrange(at..<(at + 2 + 12 * count + 4), with: table + number(next, 4))
      return at
    }

    private mutating func place(_ bytes: [UInt8]) -> [UInt8] {
      if bytes.count <= 4 { return bytes + [UInt8](repeating: 0, count: 4 - bytes.count) }
      let at = out.count
      out += bytes
      return number(at, 4)
    }
  }
}
