// SPDX-License-Identifier: Apache-2.0
// Keeps the creator and the rights in Photoshop's resources: the copyright mark and, of IPTC, by-line,
// by-line title, credit and copyright notice, with their character set.

enum ResourceExcerpt {
  private static let captions = 1028
  private static let copyrightMark = 1034
  /// Record and number of the fields that name a person, and of the fields that describe how to read them.
  private static let names: Set = [[2, 80], [2, 85], [2, 110], [2, 116]]
  private static let frame: Set = [[1, 90], [2, 0]]

  /// Empty if there are none; nil if the resources cannot be read.
  static func make(of resources: [UInt8]) -> [UInt8]? {
    var kept: [UInt8] = []
    var at = 0
    while at < resources.count {
      if resources[at...].allSatisfy({ $0 == 0 }) { break }
      guard let one = ResourcePreview.resource(in: resources, at: at) else { return nil }
      switch one.number {
      case copyrightMark: kept += resources[at..<one.end]
      case captions:
        let fields = fields(of: resources[one.data])
        if !fields.isEmpty { kept += resource(captions, fields) }
      default: break
      }
      at = one.end
    }
    return kept
  }

  /// Each has a head of five bytes: a mark, record, number, two of length. A field of more than 32 KiB has a
  /// longer head; the fields end there.
  private static func fields(of captions: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    var isNamed = false
    var rest = captions
    while rest.count >= 5, rest.first == 0x1C {
      let head = Array(rest.prefix(5))
      let size = Int(head[3]) << 8 | Int(head[4])
      guard size < 0x8000, rest.count >= 5 + size else { break }
      let field = head[1...2].map { Int($0) }
      if names.contains(field) { isNamed = true }
      if names.contains(field) || frame.contains(field) { kept += rest.prefix(5 + size) }
      rest = rest.dropFirst(5 + size)
    }
    return isNamed ? kept : []
  }

  private static func resource(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) }
    return Array("8BIM".utf8) + [UInt8(number >> 8), UInt8(number & 255), 0, 0] + size + bytes
      + (bytes.count % 2 == 1 ? [0] : [])
  }
}
