// SPDX-License-Identifier: Apache-2.0
// The colour profile of a PNG, compressed in one chunk behind a name. It goes into the print if it is a whole profile
// for RGB: any other bytes there may be a text about a person. Raises CodecError.

internal import Codecs
internal import Inflate

enum PNGProfile {
  /// Name, NUL and method of each print's profile: the original's name is a text of its author.
  static let head = Array("icc\0\0".utf8)
  /// The header of a profile with its size, colour space and mark, and the number of its tags.
  private static let headerSize = 132
  private static let space = 16..<20
  private static let mark = 36..<40

  /// The compressed bytes within the chunk, without what follows them; nil if they are not a profile of at most `most`
  /// bytes.
  static func stream(
    of chunk: PNGMetadata.Chunk, upTo most: UInt64, _ window: inout ByteWindow
  ) throws(CodecError) -> PNGMetadata.Chunk? {
    let name = try window.read(at: chunk.offset, min(Int(chunk.size), 81))
    guard let end = name.firstIndex(of: 0), end > name.startIndex, end + 1 < name.endIndex,
      name[end + 1] == 0, var inflater = ByteInflater()
    else { return nil }
    let start = end + 2 - name.startIndex
    var header: [UInt8] = []
    var size: UInt64 = 0
    var at = start
    while at < Int(chunk.size), !inflater.isAtEnd {
      let count = min(PNGMetadata.pieceSize, Int(chunk.size) - at)
      let piece = Array(try window.read(at: chunk.offset + UInt64(at), count))
      // The end of the file: libpng reports it.
      if piece.isEmpty { return nil }
      at += piece.count
      let goesOn = inflater.inflate(piece) { bytes in
        header += bytes.prefix(headerSize - header.count)
        size += UInt64(bytes.count)
        return size <= most
      }
      guard goesOn else { return nil }
    }
    guard inflater.isAtEnd, isProfile(header, size) else { return nil }
    return PNGMetadata.Chunk(
      name: chunk.name, offset: chunk.offset + UInt64(start), size: UInt32(inflater.taken))
  }

  private static func isProfile(_ header: [UInt8], _ size: UInt64) -> Bool {
    header.count == headerSize && header[..<4].reduce(0) { $0 << 8 | UInt64($1) } == size
      && header[space].elementsEqual("RGB ".utf8) && header[mark].elementsEqual("acsp".utf8)
  }
}
