// SPDX-License-Identifier: Apache-2.0
// Turns the bytes of a text, piece by piece, into valid UTF-8. A character that a piece cuts waits for the next
// one. Ends at the first bytes that are no character of the encoding.

struct ListDecoder {
  private let encoding: ListEncoding
  /// The beginning of a character.
  private var rest: [UInt8] = []
  /// The bytes after those returned are not text.
  private(set) var isBroken = false

  init(_ encoding: ListEncoding) { self.encoding = encoding }

  /// An empty piece is the end.
  mutating func decode(_ piece: [UInt8]) -> [UInt8] {
    if isBroken || piece.isEmpty && rest.isEmpty { return [] }
    let isLast = piece.isEmpty
    let bytes = rest.isEmpty ? piece : rest + piece
    rest = []
    switch encoding {
    case .utf8: return utf8(bytes, isLast: isLast)
    case .utf16(let isBig): return utf16(bytes, isBig: isBig, isLast: isLast)
    case .windows1252: return Self.windows(bytes)
    }
  }

  private mutating func utf8(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return bytes
    } catch {
      let start = error.byteOffsets.lowerBound
      if !isLast, error.byteOffsets.upperBound == bytes.count, error.kind == .truncatedScalar {
        rest = Array(bytes[start...])
      } else {
        isBroken = true
      }
      return Array(bytes[..<start])
    }
  }

  private mutating func utf16(_ bytes: [UInt8], isBig: Bool, isLast: Bool) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var place = 0
    func unit(_ place: Int) -> UInt32 {
      let (first, second) = (UInt32(bytes[place]), UInt32(bytes[place + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    while place + 1 < bytes.count {
      var value = unit(place)
      var size = 2
      if value & 0xFC00 == 0xD800, place + 3 < bytes.count, unit(place + 2) & 0xFC00 == 0xDC00 {
        value = 0x10000 + ((value & 0x3FF) << 10 | unit(place + 2) & 0x3FF)
        size = 4
      }
      if value & 0xFFFF_F800 == 0xD800 { break }
      Self.append(value, to: &out)
      place += size
    }
    // Half a unit or half a pair may be completed; half a pair beside something else is broken.
    let left = bytes.count - place
    if left > 0 {
      if isLast || left >= 4 { isBroken = true } else { rest = Array(bytes[place...]) }
    }
    return out
  }

  private static func windows(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for byte in bytes {
      let isOther = byte >= 0x80 && byte < 0xA0
      append(isOther ? ListEncoding.windowsCharacters[Int(byte - 0x80)] : UInt32(byte), to: &out)
    }
    return out
  }

  private static func append(_ value: UInt32, to out: inout [UInt8]) {
    if value < 0x80 { return out.append(UInt8(value)) }
    if value < 0x800 {
      out.append(0xC0 | UInt8(value >> 6))
    } else {
      if value < 0x10000 {
        out.append(0xE0 | UInt8(value >> 12))
      } else {
        out.append(0xF0 | UInt8(value >> 18))
        out.append(0x80 | UInt8(value >> 12 & 0x3F))
      }
      out.append(0x80 | UInt8(value >> 6 & 0x3F))
    }
    out.append(0x80 | UInt8(value & 0x3F))
  }
}
