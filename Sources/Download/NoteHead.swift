// SPDX-License-Identifier: Apache-2.0
// The first lines of every note: its kind, URL and entity, and a checksum. The reader trusts nothing: a note
// is rejected unless its head equals, byte for byte, the one that this code would write.

import Digests
import Vocabulary

struct NoteHead: Equatable {
  let kind: String
  let url: String
  let entity: EntityFacts
  /// Extra fields of this kind, by name.
  var others: [String: String] = [:]

  var bytes: [UInt8] {
    var text = "\(Self.title(kind))\nurl \(url)\nplace \(entity.place)\n"
    if !entity.etag.isEmpty { text += "etag \(entity.etag)\n" }
    if !entity.lastModified.isEmpty {
      text += "\(entity.isDateStrong ? "strong" : "modified") \(entity.lastModified)\n"
    }
    if let total = entity.total { text += "total \(total)\n" }
    for (name, value) in others.sorted(by: { $0.key < $1.key }) { text += "\(name) \(value)\n" }
    return Array((text + "head \(String(hex: CRC32C.checksum(Array(text.utf8))))\n").utf8)
  }

  private static func title(_ kind: String) -> String { "#darkroom-\(kind) 1" }

  /// The seed for the checksums of the lines below.
  var seed: UInt32 { CRC32C.checksum(bytes) }
}

extension NoteHead {
  init?(_ kind: String, reading bytes: [UInt8], others names: Set<String> = []) {
    var fields: [String: String] = [:]
    var lines = bytes.split(separator: 0x0A)[...]
    guard lines.popFirst().map({ Array($0) }) == Array(Self.title(kind).utf8) else {
      return nil
    }
    while let line = lines.popFirst() {
      let parts = line.split(separator: 0x20, maxSplits: 1)
      guard parts.count == 2, fields.count < 16 else { return nil }
      let name = String(decoding: parts[0], as: UTF8.self)
      if name == "head" { break }
      fields[name] = String(decoding: parts[1], as: UTF8.self)
    }
    guard let url = fields["url"], let place = fields["place"] else { return nil }
    let entity = EntityFacts(
      etag: fields["etag"] ?? "", lastModified: fields["strong"] ?? fields["modified"] ?? "",
      isDateStrong: fields["strong"] != nil, total: fields["total"].flatMap { UInt64($0) },
      place: place)
    self.init(
      kind: kind, url: url, entity: entity, others: fields.filter { names.contains($0.key) })
    // The bytes must match exactly, checksum included.
    guard bytes.starts(with: self.bytes) else { return nil }
  }
}
