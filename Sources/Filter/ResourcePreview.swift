// SPDX-License-Identifier: Apache-2.0
// Removes the thumbnails from Photoshop's image resources (numbers 1033 and 1036), and JPEG streams from the
// others, such as the preview in IPTC. The rest stays.

enum ResourcePreview {
  private static let thumbnails: Set<Int> = [1033, 1036]
  private static let signatures: Set<[UInt8]> = [
    Array("8BIM".utf8), Array("MeSa".utf8), Array("AgHg".utf8), Array("PHUT".utf8),
    Array("DCSR".utf8),
  ]

  static func remove(from resources: inout [UInt8]) -> PreviewOutcome {
    var kept: [UInt8] = []
    var hasPreview = false
    var at = 0
    while at < resources.count {
      // Writers pad the end with zeros.
      if resources[at...].allSatisfy({ $0 == 0 }) {
        kept += resources[at...]
        break
      }
      guard let one = resource(in: resources, at: at) else { return .unreadable }
      if thumbnails.contains(one.number) {
        hasPreview = true
      } else {
        var data = Array(resources[one.data])
        if PictureStream.blank(in: &data) { hasPreview = true }
        kept += resources[at..<one.data.lowerBound] + data
        kept += resources[one.data.upperBound..<one.end]
      }
      at = one.end
    }
    guard hasPreview else { return .none }
    resources = kept
    return .removed
  }

  struct Resource {
    let number: Int
    let data: Range<Int>
    let end: Int
  }

  /// Signature, number, a name and its padding, size, data and its padding.
  static func resource(in bytes: [UInt8], at start: Int) -> Resource? {
    guard start + 12 <= bytes.count, signatures.contains(Array(bytes[start..<(start + 4)])) else {
      return nil
    }
    let number = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
    let nameSize = Int(bytes[start + 6]) + 1
    let sizeAt = start + 6 + nameSize + nameSize % 2
    guard sizeAt + 4 <= bytes.count else { return nil }
    let size = bytes[sizeAt..<(sizeAt + 4)].reduce(0) { $0 << 8 | Int($1) }
    let end = sizeAt + 4 + size
    guard end <= bytes.count else { return nil }
    // Some writers leave the last padding byte out.
    return Resource(
      number: number, data: (sizeAt + 4)..<end, end: min(end + size % 2, bytes.count))
  }
}
