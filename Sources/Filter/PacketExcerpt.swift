// SPDX-License-Identifier: Apache-2.0
// Makes a small XMP packet with the creator and the rights of the picture: the texts of `dc:creator` and
// `dc:rights`. Copies texts in their escaped form; leaves out a text that depends on its packet (other
// entities, other prefixes).

enum PacketExcerpt {
  private static let space = "http://purl.org/dc/elements/1.1/"
  private static let longestText = 4096
  private static let mostTexts = 32

  private struct Item {
    let text: ArraySlice<UInt8>
    let language: ArraySlice<UInt8>
  }

  /// Nil if there is no such text.
  static func make(of packet: [UInt8]) -> [UInt8]? {
    guard PacketPreview.find(Array(space.utf8), in: packet) != nil else { return nil }
    let creators = items(of: "dc:creator", in: packet)
    let rights = items(of: "dc:rights", in: packet)
    if creators.isEmpty && rights.isEmpty { return nil }
    var out = Array(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="\(space)">

      """.utf8)
    if !creators.isEmpty {
      out += Array("<dc:creator><rdf:Seq>".utf8)
      for item in creators { out += Array("<rdf:li>".utf8) + item.text + Array("</rdf:li>".utf8) }
      out += Array("</rdf:Seq></dc:creator>\n".utf8)
    }
    if !rights.isEmpty {
      out += Array("<dc:rights><rdf:Alt>".utf8)
      for item in rights {
        out += Array("<rdf:li xml:lang=\"".utf8) + item.language + Array("\">".utf8)
        out += item.text + Array("</rdf:li>".utf8)
      }
      out += Array("</rdf:Alt></dc:rights>\n".utf8)
    }
    return out
      + Array("</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>".utf8)
  }

  /// The items of the first element of that name.
  private static func items(of name: String, in packet: [UInt8]) -> [Item] {
    guard let start = PacketPreview.find(Array("<\(name)>".utf8), in: packet),
      let end = PacketPreview.find(Array("</\(name)>".utf8), in: packet, from: start)
    else { return [] }
    let inside = Array(packet[start..<end])
    let mark = Array("<rdf:li".utf8)
    var items: [Item] = []
    var at = 0
    while items.count < mostTexts, let found = PacketPreview.find(mark, in: inside, from: at) {
      at = found + mark.count
      guard let close = inside[at...].firstIndex(of: UInt8(ascii: ">")),
        let stop = inside[close...].firstIndex(of: UInt8(ascii: "<"))
      else { break }
      let text = inside[(close + 1)..<stop]
      if isPlain(text) { items.append(Item(text: text, language: language(inside[at..<close]))) }
      at = stop
    }
    return items
  }

  private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
    guard !text.isEmpty, text.count <= longestText,
      String(validating: text, as: UTF8.self) != nil
    else { return false }
    var rest = text
    while let and = rest.firstIndex(of: UInt8(ascii: "&")) {
      guard let end = rest[and...].firstIndex(of: UInt8(ascii: ";")) else { return false }
      let name = rest[(and + 1)..<end]
      let isKnown = ["amp", "lt", "gt", "quot", "apos"].contains { name.elementsEqual($0.utf8) }
      guard isKnown || name.first == UInt8(ascii: "#") else { return false }
      rest = rest[(end + 1)...]
    }
    return true
  }

  /// The value of `xml:lang` if it is a plain one, otherwise `x-default`.
  private static func language(_ attributes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let standard = Array("x-default".utf8)[...]
    let bytes = Array(attributes)
    guard let found = PacketPreview.find(Array("xml:lang=".utf8), in: bytes) else {
      return standard
    }
    let quote = found + "xml:lang=".utf8.count
    guard quote < bytes.count, bytes[quote] == 0x22 || bytes[quote] == 0x27,
      let end = bytes[(quote + 1)...].firstIndex(of: bytes[quote])
    else { return standard }
    let language = bytes[(quote + 1)..<end]
    let isPlain = language.allSatisfy { byte in
      byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }
    return isPlain && !language.isEmpty && language.count <= 35 ? language : standard
  }
}
