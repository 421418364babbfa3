// SPDX-License-Identifier: Apache-2.0
// The tags of an XMP packet, one after the other, as ranges of its bytes. A packet with a document type, or that is
// not well-formed, is broken; entities stay as they are. Bounded: each byte is looked at once.

struct PacketTags {
  enum Kind: Equatable { case open, empty, close }

  struct Attribute: Equatable {
    /// With the blanks in front of it.
    let whole: Range<Int>
    let name: Range<Int>
    let value: Range<Int>
  }

  struct Tag: Equatable {
    let kind: Kind
    let whole: Range<Int>
    let name: Range<Int>
    var attributes: [Attribute] = []
  }

  private static let mostAttributes = 512

  private let bytes: [UInt8]
  private var at = 0
  private(set) var isBroken = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil at the end, and where the packet is broken.
  mutating func next() -> Tag? {
    while !isBroken, let start = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
      if skips("<?", upTo: "?>", start) || skips("<!--", upTo: "-->", start)
        || skips("<![CDATA[", upTo: "]]>", start)
      {
        continue
      }
      guard let tag = tag(start) else {
        isBroken = true
        return nil
      }
      at = tag.whole.upperBound
      return tag
    }
    return nil
  }

  private mutating func skips(_ start: String, upTo end: String, _ place: Int) -> Bool {
    guard bytes[place...].starts(with: start.utf8) else { return false }
    let from = place + start.utf8.count
    if let found = PacketPreview.find(Array(end.utf8), in: bytes, from: from) {
      at = found + end.utf8.count
    } else {
      isBroken = true
    }
    return true
  }

  private func tag(_ start: Int) -> Tag? {
    var place = start + 1
    let isClosing = byte(place) == UInt8(ascii: "/")
    if isClosing { place += 1 }
    let name = word(place)
    guard !name.isEmpty else { return nil }
    place = name.upperBound
    var attributes: [Attribute] = []
    while attributes.count <= Self.mostAttributes {
      let blank = place
      place = behindBlanks(place)
      switch byte(place) {
      case UInt8(ascii: ">"):
        return Tag(
          kind: isClosing ? .close : .open, whole: start..<(place + 1), name: name,
          attributes: attributes)
      case UInt8(ascii: "/"):
        guard byte(place + 1) == UInt8(ascii: ">"), !isClosing else { return nil }
        return Tag(
          kind: .empty, whole: start..<(place + 2), name: name, attributes: attributes)
      default:
        guard place > blank, !isClosing, let one = attribute(place, from: blank) else {
          return nil
        }
        attributes.append(one)
        place = one.whole.upperBound
      }
    }
    return nil
  }

  private func attribute(_ start: Int, from blank: Int) -> Attribute? {
    let name = word(start)
    let sign = behindBlanks(name.upperBound)
    guard !name.isEmpty, byte(sign) == UInt8(ascii: "=") else { return nil }
    let open = behindBlanks(sign + 1)
    guard let quote = byte(open), quote == 0x22 || quote == 0x27,
      let end = bytes[(open + 1)...].firstIndex(of: quote)
    else { return nil }
    return Attribute(whole: blank..<(end + 1), name: name, value: (open + 1)..<end)
  }

  private func word(_ start: Int) -> Range<Int> {
    var end = start
    while let byte = byte(end), byte > 0x20, !Self.ends.contains(byte) { end += 1 }
    return start..<end
  }

  private static let ends = Array("<>/='\"!?&".utf8)

  private func behindBlanks(_ start: Int) -> Int {
    var place = start
    while let byte = byte(place), byte <= 0x20 { place += 1 }
    return place
  }

  private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }
}
