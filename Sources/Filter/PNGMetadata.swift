// SPDX-License-Identifier: Apache-2.0
// The metadata of a PNG, and the part of it that goes into the print: EXIF, colour description, density and
// texts (with XMP), byte for byte, without their previews and the profile's name. Holds offsets only. Damage ends the walk silently:
// libpng reads the same bytes and reports the error. Raises CodecError.

internal import Codecs
internal import Inflate
internal import Vocabulary

struct PNGMetadata {
  struct Chunk: Equatable {
    let name: String
    let offset: UInt64
    let size: UInt32
  }

  /// Without these chunks the picture would look different. Readers look for them before the pixels alone, and for all
  /// but the density before the palette.
  private static let needed: Set<String> = ["cHRM", "cICP", "gAMA", "iCCP", "pHYs", "sRGB"]
  private static let texts: Set<String> = ["iTXt", "tEXt", "zTXt"]
  /// Keywords of texts that name a person.
  private static let names = ["Author", "Copyright"].map { Array($0.utf8) }
  /// Part of the picture, or true only of the original's bytes.
  private static let understood: Set<String> = [
    "IHDR", "IEND", "tRNS", "bKGD", "hIST", "sBIT", "sPLT", "tIME",
  ]
  /// The largest chunk that is held in memory to cut previews out of it.
  private static let largestHeld = 1 << 20
  static let pieceSize = 32 << 10

  private(set) var chunks: [Chunk] = []
  private(set) var notices = PictureNotices()
  private var (isBehindPalette, isBehindPixels) = (false, false)
  private let rule: MetadataRule
  /// The number of bytes to which compressed texts may still expand.
  private var textBudget: UInt64
  /// The size of the longest profile.
  private let profileSize: UInt64

  init(
    of file: any OpenFile, isGrey: Bool, rule: MetadataRule, limits: PictureLimits
  ) throws(CodecError) {
    self.rule = rule
    (textBudget, profileSize) = (limits.metadataSize, limits.profileSize)
    var window = ByteWindow(file)
    var offset: UInt64 = 8
    var parts = 0
    var total: UInt64 = 0
    var profiles: UInt64 = 0
    while true {
      let head = Array(try window.read(at: offset, 8))
      guard head.count == 8 else { break }
      let size = head[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let name = String(decoding: head[4...], as: UTF8.self)
      guard size <= UInt32(Int32.max), name != "IEND" else { break }
      if name != "IDAT" { parts += 1 }
      if name == "iCCP" { profiles += UInt64(size) }
      let chunk = Chunk(name: name, offset: offset + 8, size: size)
      // Checked before the contents are read.
      let isCounted = Self.texts.contains(name) || Self.needed.contains(name) || name == "eXIf"
      if isCounted { total += UInt64(size) }
      try limits.check(parts: parts, size: total, profile: profiles)
      if try keeps(chunk, isGrey: isGrey, &window) {
        if name != "iCCP" {
          chunks.append(chunk)
        } else if let stream = try profile(chunk, isGrey: isGrey, &window) {
          chunks.append(stream)
        } else {
          notices.insert(.profileDropped)
        }
      }
      offset += UInt64(size) + 12
    }
    // A part that the rule removes needs no notice.
    if rule != .keep { notices.formIntersection(.profileDropped) }
  }

  private mutating func keeps(
    _ chunk: Chunk, isGrey: Bool, _ window: inout ByteWindow
  ) throws(CodecError) -> Bool {
    switch chunk.name {
    case "PLTE", "IDAT":
      isBehindPalette = true
      if chunk.name == "IDAT" { isBehindPixels = true }
      return false
    case let name where Self.needed.contains(name) && isTooLate(name):
      notices.insert(.metadataDropped)
      return false
    case let name where Self.needed.contains(name): return true
    case "eXIf":
      // Of several, readers use the first.
      if rule != .keep, chunks.contains(where: { $0.name == "eXIf" }) { return false }
      if chunk.size > Self.largestHeld { notices.insert(.metadataDropped) }
      return chunk.size <= Self.largestHeld
    case let name where Self.texts.contains(name):
      let text = PNGText(
        name: name, head: Array(try window.read(at: chunk.offset, Int(min(chunk.size, 128)))))
      return rule == .keep ? try keeps(text, of: chunk, &window) : isNaming(text, chunk)
    default:
      if !Self.understood.contains(chunk.name) { notices.insert(.metadataDropped) }
      return false
    }
  }

  /// The profile of a grey PNG is for grey; its print has colours. Of several, readers use the first.
  private func profile(
    _ chunk: Chunk, isGrey: Bool, _ window: inout ByteWindow
  ) throws(CodecError) -> Chunk? {
    guard !isGrey, !chunks.contains(where: { $0.name == chunk.name }) else { return nil }
    return try PNGProfile.stream(of: chunk, upTo: profileSize, &window)
  }

  private func isTooLate(_ name: String) -> Bool {
    name == "pHYs" ? isBehindPixels : isBehindPalette
  }

  private func isNaming(_ text: PNGText, _ chunk: Chunk) -> Bool {
    guard rule == .copyright else { return false }
    if text.keyword == Self.packetKeyword { return isHeldPacket(text, chunk) }
    return Self.names.contains(text.keyword)
  }

  /// XMP that is small enough to be held, so that previews can be cut out of it.
  private func isHeldPacket(_ text: PNGText, _ chunk: Chunk) -> Bool {
    text.keyword == Self.packetKeyword && chunk.name == "iTXt" && !text.isCompressed
      && chunk.size <= Self.largestHeld
  }

  private mutating func keeps(
    _ text: PNGText, of chunk: Chunk, _ window: inout ByteWindow
  ) throws(CodecError) -> Bool {
    if isHeldPacket(text, chunk) { return true }
    let outcome = try look(into: text, of: chunk, &window)
    if outcome == .none { return true }
    notices.note(outcome)
    notices.insert(.metadataDropped)
    return false
  }

  private mutating func look(
    into text: PNGText, of chunk: Chunk, _ window: inout ByteWindow
  ) throws(CodecError) -> PreviewOutcome {
    guard let start = text.start, var inflater = ByteInflater() else { return .unreadable }
    var preview = TextPreview(keyword: text.keyword)
    var budget = textBudget
    var at = start
    while at < Int(chunk.size) {
      let count = min(Self.pieceSize, Int(chunk.size) - at)
      let piece = try window.read(at: chunk.offset + UInt64(at), count)
      // The end of the file: libpng reports it.
      if piece.isEmpty { break }
      at += piece.count
      if !text.isCompressed {
        if !preview.look(into: piece) { break }
        continue
      }
      let goesOn = inflater.inflate(Array(piece)) { bytes in
        guard UInt64(bytes.count) <= budget else {
          budget = 0
          return false
        }
        budget -= UInt64(bytes.count)
        return preview.look(into: bytes)
      }
      if !goesOn { break }
    }
    textBudget = budget
    let outcome = preview.outcome
    let isWhole = !text.isCompressed || inflater.isAtEnd
    return outcome == .none && !isWhole && !preview.isProfile ? .unreadable : outcome
  }

  static let packetKeyword = Array("XML:com.adobe.xmp".utf8)
}

extension PNGMetadata {
  mutating func copy(from file: any OpenFile, into writer: inout PNGWriter) throws(CodecError) {
    for chunk in chunks {
      if chunk.name == "eXIf" || chunk.name == "iTXt" && chunk.size <= Self.largestHeld {
        try copyHeld(chunk, from: file, into: &writer)
      } else {
        try copyPieces(chunk, from: file, into: &writer)
      }
    }
  }

  private mutating func copyHeld(
    _ chunk: Chunk, from file: any OpenFile, into writer: inout PNGWriter
  ) throws(CodecError) {
    var bytes = try read(chunk, 0, Int(chunk.size), from: file)
    let isPacket = bytes.starts(with: Self.packetKeyword + [0])
    if rule != .keep {
      guard let excerpt = excerpt(of: bytes, chunk, isPacket: isPacket) else { return }
      bytes = excerpt
    } else if isPacket {
      guard notices.clean(packet: &bytes) else { return }
    } else if chunk.name == "eXIf" {
      let outcome = ExifPreview.remove(from: &bytes)
      notices.note(outcome)
      if outcome == .unreadable { return }
    }
    try writer.beginChunk(Array(chunk.name.utf8), length: UInt32(bytes.count))
    try writer.addToChunk(bytes)
    try writer.endChunk()
  }

  private func excerpt(of bytes: [UInt8], _ chunk: Chunk, isPacket: Bool) -> [UInt8]? {
    if chunk.name == "eXIf" {
      return ExifExcerpt.make(of: bytes, withRights: rule == .copyright)
    }
    guard isPacket else { return bytes }
    // Not compressed, no language: four zeros after the keyword's NUL.
    let head = Self.packetKeyword + [0, 0, 0, 0, 0]
    return PacketExcerpt.make(of: bytes).map { head + $0 }
  }

  private func copyPieces(
    _ chunk: Chunk, from file: any OpenFile, into writer: inout PNGWriter
  ) throws(CodecError) {
    let head = chunk.name == "iCCP" ? PNGProfile.head : []
    try writer.beginChunk(Array(chunk.name.utf8), length: UInt32(head.count) + chunk.size)
    try writer.addToChunk(head)
    var done = 0
    while done < Int(chunk.size) {
      let piece = try read(chunk, done, min(Self.pieceSize, Int(chunk.size) - done), from: file)
      try writer.addToChunk(piece)
      done += piece.count
    }
    try writer.endChunk()
  }

  /// A chunk that extends past the end of the file is from a truncated picture.
  private func read(
    _ chunk: Chunk, _ start: Int, _ count: Int, from file: any OpenFile
  ) throws(CodecError) -> [UInt8] {
    let bytes = try CodecError.system { () throws(SystemError) in
      try file.read(at: chunk.offset + UInt64(start), upTo: count)
    }
    guard bytes.count == count else {
      throw CodecError(.truncated, "the file ends before the picture does")
    }
    return bytes
  }
}
