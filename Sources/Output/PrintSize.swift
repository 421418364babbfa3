// SPDX-License-Identifier: Apache-2.0
// The width and height of a print that another process has made, from the head of its file. Nil if it is not a picture
// of the format. Raises SystemError.

package import Vocabulary

package struct PrintSize: Equatable, Sendable {
  package let width: UInt32
  package let height: UInt32

  /// Segments before the frame: metadata.
  private static let mostSegments = 4096
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  package init?(of print: any OpenFile, _ format: PictureFormat) throws(SystemError) {
    let found = format == .jpeg ? try Self.jpeg(print) : try Self.png(print)
    guard let (width, height) = found, width > 0, height > 0 else { return nil }
    (self.width, self.height) = (width, height)
  }

  private static func png(_ print: any OpenFile) throws(SystemError) -> (UInt32, UInt32)? {
    let head = try print.read(at: 0, upTo: 24)
    guard head.count == 24, head.starts(with: signature),
      head[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    return (number(head[16..<20]), number(head[20..<24]))
  }

  /// SOI, segments, then a frame (SOF) with its height and its width.
  private static func jpeg(_ print: any OpenFile) throws(SystemError) -> (UInt32, UInt32)? {
    guard try print.read(at: 0, upTo: 2) == [0xFF, 0xD8] else { return nil }
    var place: UInt64 = 2
    for _ in 0..<mostSegments {
      let head = try print.read(at: place, upTo: 9)
      guard head.count >= 4, head[0] == 0xFF else { return nil }
      switch head[1] {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard head.count == 9 else { return nil }
        return (number(head[7..<9]), number(head[5..<7]))
      // Scan, end, and the markers without a length.
      case 0x00, 0x01, 0xD0...0xDA: return nil
      case 0xFF: place += 1
      default: place += 2 + UInt64(number(head[2..<4]))
      }
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
