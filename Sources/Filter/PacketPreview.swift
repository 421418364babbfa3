// SPDX-License-Identifier: Apache-2.0
// The thumbnails in XMP: the text of `xmpGImg:image` (or `xapGImg:image`), as element or attribute.
// The text is cut out, so the packet stays well-formed XML.

enum PacketPreview {
  private static let mark = Array("GImg:image".utf8)

  static func remove(from packet: inout [UInt8]) -> PreviewOutcome {
    var kept: [UInt8] = []
    var at = 0
    var hasPreview = false
    while let found = find(mark, in: packet, from: at) {
      let after = found + mark.count
      kept += packet[at..<min(after + 1, packet.count)]
      at = min(after + 1, packet.count)
      guard let stop = stop(in: packet, after: after) else { continue }
      if stop.value > stop.start { hasPreview = true }
      kept += packet[at..<stop.start]
      at = stop.value
    }
    guard hasPreview else { return .none }
    packet = kept + packet[at...]
    return .removed
  }

  /// Where the picture's text begins and ends; nil for a closing tag.
  private static func stop(in packet: [UInt8], after: Int) -> (start: Int, value: Int)? {
    guard after < packet.count else { return nil }
    if packet[after] == UInt8(ascii: ">") {
      // The name before the colon is short: a bounded look back keeps hostile packets cheap.
      let tag = packet[max(0, after - 64)..<after]
      let isClosing = tag.lastIndex(of: UInt8(ascii: "<")).map {
        packet[$0 + 1] == UInt8(ascii: "/")
      }
      if isClosing == true { return nil }
      let end = packet[(after + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? packet.count
      return (after + 1, end)
    }
    let sign = packet[after...].firstIndex { $0 != UInt8(ascii: "=") && $0 > 0x20 }
    guard let quote = sign,
      packet[quote] == UInt8(ascii: "\"") || packet[quote] == UInt8(ascii: "'")
    else { return nil }
    let end = packet[(quote + 1)...].firstIndex(of: packet[quote]) ?? packet.count
    return (quote + 1, end)
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

  /// Looks through a packet that comes in pieces.
  struct Search {
    private var tail: [UInt8] = []
    private(set) var isFound = false
    /// What stands before the text in each piece: name, NUL, checksum, length, offset.
    private static let headSize = JPEGMetadata.extendedName.utf8.count + 1 + 40

    mutating func look(into piece: [UInt8]) {
      if isFound { return }
      let text = tail + piece.dropFirst(Self.headSize)
      isFound = PacketPreview.find(PacketPreview.mark, in: text) != nil
      tail = Array(text.suffix(PacketPreview.mark.count - 1))
    }
  }
}
