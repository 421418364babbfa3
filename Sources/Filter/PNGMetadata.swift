// SPDX-License-Identifier: Apache-2.0
// What a PNG carries beside its pixels, and which of it goes into the print: EXIF, colour
// description, density and texts (XMP among them), byte for byte, without the previews in them.
// Only places are held. Damage ends the walk quietly: libpng reads the same bytes and says what is
// wrong with them.

internal import Codecs
internal import Vocabulary

struct PNGMetadata {
  struct Chunk: Equatable {
    let name: String
    let offset: UInt64
    let size: UInt32
  }

  private static let kept: Set<String> = [
    "cHRM", "cICP", "eXIf", "gAMA", "iCCP", "iTXt", "pHYs", "sRGB", "tEXt", "zTXt",
  ]
  /// Part of the picture, or true only of the original's bytes.
  private static let understood: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "bKGD", "hIST", "sBIT", "sPLT", "tIME",
  ]
  /// What is looked into is held in memory as a whole.
  private static let largestHeld = 1 << 20
  private static let pieceSize = 32 << 10

  private(set) var chunks: [Chunk] = []
  private(set) var notices: PictureNotices = []

  init(of file: any OpenFile, isGrey: Bool, limits: PictureLimits) throws(PictureTrouble) {
    var window = ByteWindow(file)
    var offset: UInt64 = 8
    var parts = 0
    var total: UInt64 = 0
    while true {
      let head = Array(try window.read(at: offset, 8))
      guard head.count == 8 else { break }
      let size = head[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let name = String(decoding: head[4...], as: UTF8.self)
      guard size <= UInt32(Int32.max), name != "IEND" else { break }
      if name != "IDAT" { parts += 1 }
      if try keeps(name, size, at: offset + 8, isGrey: isGrey, &window) {
        chunks.append(Chunk(name: name, offset: offset + 8, size: size))
        total += UInt64(size)
      }
      guard parts <= limits.metadataParts, total <= limits.metadataSize else {
        throw .metadata("it carries more metadata than \(limits.metadataSize >> 20) MiB")
      }
      offset += UInt64(size) + 12
    }
  }

  private mutating func keeps(
    _ name: String, _ size: UInt32, at offset: UInt64, isGrey: Bool, _ window: inout ByteWindow
  ) throws(PictureTrouble) -> Bool {
    guard Self.kept.contains(name) else {
      if !Self.understood.contains(name) { notices.insert(.metadataDropped) }
      return false
    }
    // A grey PNG's profile is one of grey; its print has colours.
    if name == "iCCP", isGrey {
      notices.insert(.profileDropped)
      return false
    }
    if name == "tEXt" || name == "zTXt" || name == "iTXt" {
      let head = Array(try window.read(at: offset, Int(min(size, 80))))
      if Self.mayHidePreview(name, keyword: head.prefix { $0 != 0 }, head, size) {
        notices.insert(.metadataDropped)
        return false
      }
    }
    if name == "eXIf", size > Self.largestHeld {
      notices.insert(.metadataDropped)
      return false
    }
    return true
  }

  /// Metadata of other formats packed into text, and XMP that we cannot look into.
  private static func mayHidePreview(
    _ name: String, keyword: ArraySlice<UInt8>, _ head: [UInt8], _ size: UInt32
  ) -> Bool {
    let raw = ["exif", "APP1", "app1", "8bim"].map { "Raw profile type " + $0 }
    if raw.contains(String(decoding: keyword, as: UTF8.self)) { return true }
    guard keyword.elementsEqual(packetKeyword) else { return false }
    let isCompressed = head.count > keyword.count + 1 && head[keyword.count + 1] != 0
    return name != "iTXt" || isCompressed || size > largestHeld
  }

  static let packetKeyword = Array("XML:com.adobe.xmp".utf8)
}

extension PNGMetadata {
  mutating func copy(from file: any OpenFile, into writer: inout PNGWriter) throws(PictureTrouble) {
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
  ) throws(PictureTrouble) {
    var bytes = try read(chunk, 0, Int(chunk.size), from: file)
    var outcome = PreviewOutcome.none
    if chunk.name == "eXIf" {
      outcome = ExifPreview.remove(from: &bytes)
    } else if bytes.starts(with: Self.packetKeyword + [0]) {
      outcome = PacketPreview.remove(from: &bytes)
    }
    notices.note(outcome)
    if outcome == .unreadable { return }
    do throws(CodecError) {
      try writer.beginChunk(Array(chunk.name.utf8), length: UInt32(bytes.count))
      try writer.addToChunk(bytes)
      try writer.endChunk()
    } catch { throw .codec(error) }
  }

  private func copyPieces(
    _ chunk: Chunk, from file: any OpenFile, into writer: inout PNGWriter
  ) throws(PictureTrouble) {
    do { try writer.beginChunk(Array(chunk.name.utf8), length: chunk.size) } catch {
      throw .codec(error)
    }
    var done = 0
    while done < Int(chunk.size) {
      let piece = try read(chunk, done, min(Self.pieceSize, Int(chunk.size) - done), from: file)
      do { try writer.addToChunk(piece) } catch { throw .codec(error) }
      done += piece.count
    }
    do { try writer.endChunk() } catch { throw .codec(error) }
  }

  /// A chunk that runs past the end of the file is a picture cut off.
  private func read(
    _ chunk: Chunk, _ start: Int, _ count: Int, from file: any OpenFile
  ) throws(PictureTrouble) -> [UInt8] {
    let bytes = try PictureTrouble.system { () throws(SystemError) in
      try file.read(at: chunk.offset + UInt64(start), upTo: count)
    }
    guard bytes.count == count else {
      throw .codec(CodecError(.truncated, "the file ends before the picture does"))
    }
    return bytes
  }
}
