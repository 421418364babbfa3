// SPDX-License-Identifier: Apache-2.0
// Finds previews in the texts of a PNG: as they are, in base64, or as hex in metadata of other formats ("Raw profile
// type exif"). Also finds announcements of parts that the print does not have. The caller inflates compressed texts,
// and drops such a text as a whole.

internal import Codecs
internal import Vocabulary

struct TextPreview {
  /// The limit of metadata in hex, which is held in memory.
  private static let longestRaw = 2 << 20
  private static let streamMark: [UInt8] = [0xFF, 0xD8, 0xFF]

  private let isRaw: Bool
  /// A colour profile is never a picture.
  let isProfile: Bool
  private var raw: [UInt8] = []
  private var search = PacketPreview.Search()
  /// For XMP only: announcements of parts that the print does not have.
  private var promises: PacketPreview.Search?
  private var tail: [UInt8] = []
  private var isFound = false
  private var isTooLong = false

  init(keyword: [UInt8]) {
    let name = String(decoding: keyword, as: UTF8.self).lowercased()
    isRaw = name.hasPrefix("raw profile type ")
    isProfile = name == "raw profile type icc" || name == "raw profile type icm"
    if keyword == PNGMetadata.packetKeyword { promises = PacketPreview.Search(PacketPromise.marks) }
  }

  /// Takes the next piece of the text; false once no more is needed.
  mutating func look(into piece: ArraySlice<UInt8>) -> Bool {
    if isProfile { return false }
    if isRaw {
      raw += piece
      isTooLong = raw.count > Self.longestRaw
      return !isTooLong
    }
    search.look(into: piece)
    promises?.look(into: piece)
    let text = tail + piece
    if search.isFound || PacketPreview.find(Self.streamMark, in: text) != nil { isFound = true }
    tail = Array(text.suffix(Self.streamMark.count - 1))
    return !isFound
  }

  /// Valid after the whole text.
  var outcome: PreviewOutcome {
    if isProfile { return .none }
    if isTooLong { return .unreadable }
    guard isRaw else {
      return isFound ? .removed : promises?.isFound == true ? .unreadable : .none
    }
    guard let bytes = Self.bytes(ofRaw: raw) else { return .unreadable }
    return Self.judge(bytes)
  }

  /// A line with the kind, a line with the length, then hex.
  private static func bytes(ofRaw text: [UInt8]) -> [UInt8]? {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: true)[...]
    guard lines.popFirst() != nil, let count = lines.popFirst().flatMap(number) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for byte in lines.joined() where byte > 0x20 {
      guard let digit = HexDigits.value(byte) else { return nil }
      if let first = high { bytes.append(first << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return bytes.count == count ? bytes : nil
  }

  private static func number(_ line: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: line.filter { $0 > 0x20 }, as: UTF8.self))
  }

  private static func judge(_ all: [UInt8]) -> PreviewOutcome {
    let exif = Array("Exif\0\0".utf8)
    var bytes = all.starts(with: exif) ? Array(all.dropFirst(exif.count)) : all
    if ExifView(bytes) != nil { return ExifPreview.remove(from: &bytes) }
    if bytes.starts(with: "8BIM".utf8) { return ResourcePreview.remove(from: &bytes) }
    if PictureStream.blank(in: &bytes) { return .removed }
    if PacketPromise.remove(from: &bytes) != [] { return .unreadable }
    return PacketPreview.remove(from: &bytes)
  }
}
