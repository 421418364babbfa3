// SPDX-License-Identifier: Apache-2.0
// Removes the previews in XMP: the value of `xmpGImg:image`, as element or attribute and under any prefix of
// its namespace, and any JPEG or PNG in base64. Cuts the text out, so that the packet stays well-formed XML.

enum PacketPreview {
  private static let space = Array("http://ns.adobe.com/xap/1.0/g/img/".utf8)
  private static let mark = Array("GImg:image".utf8)
  /// The beginning of a JPEG and of a PNG in base64.
  private static let beginnings = ["/9j/", "iVBORw0KGgo"].map { Array($0.utf8) }
  /// Fewer letters are not a picture.
  private static let shortestPicture = 64
  private static let mostMarks = 8
  private static let longestTag = 1024

  static func remove(from packet: inout [UInt8]) -> PreviewOutcome {
    let marks = marks(in: packet)
    guard marks.count <= mostMarks else { return .unreadable }
    var hasPreview = false
    for mark in marks where cut(mark, from: &packet) { hasPreview = true }
    for beginning in beginnings where cutLetters(beginning, from: &packet) { hasPreview = true }
    return hasPreview ? .removed : .none
  }

  /// The possible names of the element: `xmpGImg:image`, `xapGImg:image`, and those with a prefix declared
  /// for its namespace.
  private static func marks(in packet: [UInt8]) -> Set<[UInt8]> {
    var marks: Set = [mark]
    var at = 0
    while marks.count <= mostMarks, let found = find(space, in: packet, from: at) {
      at = found + space.count
      var before = packet[max(0, found - 64)..<max(0, found - 1)]
      while let last = before.last, last <= 0x20 || last == UInt8(ascii: "=") {
        before.removeLast()
      }
      let isName: (UInt8) -> Bool = { byte in
        byte > 0x20 && byte != UInt8(ascii: "<") && byte != 0x22 && byte != 0x27
      }
      let name = Array(before.reversed().prefix(while: isName).reversed())
      if name.elementsEqual("xmlns".utf8) {
        marks.insert(Array("<image".utf8))
      } else if name.starts(with: "xmlns:".utf8), !name.suffix(4).elementsEqual("GImg".utf8) {
        marks.insert(name.dropFirst(6) + Array(":image".utf8))
      }
    }
    return marks
  }

  private static func cut(_ mark: [UInt8], from packet: inout [UInt8]) -> Bool {
    var kept: [UInt8] = []
    var at = 0
    var hasPreview = false
    while let found = find(mark, in: packet, from: at) {
      let after = found + mark.count
      kept += packet[at..<after]
      at = after
      guard let value = value(of: mark, in: packet, after: after) else { continue }
      if !value.isEmpty { hasPreview = true }
      kept += packet[at..<value.lowerBound]
      at = value.upperBound
    }
    guard hasPreview else { return false }
    packet = kept + packet[at...]
    return true
  }

  /// The picture's text; nil after a closing tag, an empty one, or another name.
  private static func value(
    of mark: [UInt8], in packet: [UInt8], after: Int
  ) -> Range<Int>? {
    guard !isClosing(packet, after),
      let sign = packet[after...].firstIndex(where: { $0 > 0x20 })
    else { return nil }
    if packet[sign] == UInt8(ascii: "=") {
      guard let quote = packet[(sign + 1)...].firstIndex(where: { $0 > 0x20 }),
        packet[quote] == 0x22 || packet[quote] == 0x27
      else { return nil }
      return (quote + 1)..<(packet[(quote + 1)...].firstIndex(of: packet[quote]) ?? packet.count)
    }
    // Otherwise a longer name begins with this one.
    guard sign > after || packet[sign] == UInt8(ascii: ">"),
      let close = tagEnd(in: packet, from: sign), packet[close - 1] != UInt8(ascii: "/")
    else { return nil }
    return (close + 1)..<elementEnd(mark, in: packet, from: close + 1)
  }

  /// The end of a tag, whose attributes may contain `>`. Tags are short, as names are.
  private static func tagEnd(in packet: [UInt8], from start: Int) -> Int? {
    var quote: UInt8?
    for at in start..<min(start + longestTag, packet.count) {
      let byte = packet[at]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return at
      }
    }
    return nil
  }

  /// The start of the closing tag, otherwise of the next tag, or the end.
  private static func elementEnd(_ mark: [UInt8], in packet: [UInt8], from start: Int) -> Int {
    if let next = find(mark, in: packet, from: start), isClosing(packet, next + mark.count),
      let open = packet[start..<next].lastIndex(of: UInt8(ascii: "<"))
    {
      return open
    }
    return packet[start...].firstIndex(of: UInt8(ascii: "<")) ?? packet.count
  }

  /// Names are short, so a bounded look back keeps hostile packets cheap.
  private static func isClosing(_ packet: [UInt8], _ after: Int) -> Bool {
    let tag = packet[max(0, after - 64)..<after]
    guard let open = tag.lastIndex(of: UInt8(ascii: "<")), open + 1 < packet.count else {
      return false
    }
    return packet[open + 1] == UInt8(ascii: "/")
  }

  private static func cutLetters(_ beginning: [UInt8], from packet: inout [UInt8]) -> Bool {
    var kept: [UInt8] = []
    var at = 0
    var hasPreview = false
    while let found = find(beginning, in: packet, from: at) {
      let end = lettersEnd(in: packet, from: found)
      let isPicture = end - found >= shortestPicture
      kept += packet[at..<(isPicture ? found : end)]
      if isPicture { hasPreview = true }
      at = end
    }
    guard hasPreview else { return false }
    packet = kept + packet[at...]
    return true
  }

  /// The end of a run of base64, whose lines may be broken by `&#xA;`.
  private static func lettersEnd(in packet: [UInt8], from start: Int) -> Int {
    var at = start
    while at < packet.count {
      switch packet[at] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D, 0x0A, 0x0D, 0x20: at += 1
      case UInt8(ascii: "&"):
        guard let end = packet[at..<min(at + 8, packet.count)].firstIndex(of: UInt8(ascii: ";"))
        else { return at }
        at = end + 1
      default: return at
      }
    }
    return at
  }

  static func find(_ words: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
    guard let first = words.first, bytes.count >= words.count else { return nil }
    var at = start
    while let candidate = bytes[at...].firstIndex(of: first),
      candidate + words.count <= bytes.count
    {
      if bytes[candidate..<(candidate + words.count)].elementsEqual(words) { return candidate }
      at = candidate + 1
    }
    return nil
  }

  /// Searches a text that comes in pieces and cannot be cut.
  struct Search {
    private static let previews =
      [PacketPreview.mark, PacketPreview.space]
      + ["/9j/4", "/9j/2", "iVBORw0KGgo"].map { Array($0.utf8) }

    private let marks: [[UInt8]]
    private let longest: Int
    private var tail: [UInt8] = []
    private(set) var isFound = false

    init(_ marks: [[UInt8]] = previews) {
      self.marks = marks
      longest = marks.map(\.count).max() ?? 1
    }

    mutating func look(into piece: some Collection<UInt8>) {
      if isFound { return }
      let text = tail + piece
      isFound = marks.contains { PacketPreview.find($0, in: text) != nil }
      tail = Array(text.suffix(longest - 1))
    }
  }
}
