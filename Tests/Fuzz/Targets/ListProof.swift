// SPDX-License-Identifier: Apache-2.0
// Lists in every form: the catalog of an accepted list can be read, and each photo in it
// is whole or has a problem; the list written again is the same; an XML list that is cut is
// refused.

import Catalog
import Digests
import Support
import Vocabulary

enum ListProof {
  static let limits = ListLimits(size: 1 << 20, photos: 500)

  static func run(_ bytes: [UInt8]) {
    guard let catalog = read(bytes) else { return }
    let entries = entries(of: catalog)
    must(!entries.isEmpty, "a list without photos was accepted")
    must(read(bytes) == catalog, "the same list, and another catalog")
    let good = entries.filter { $0.problem == nil && isText($0.name) && isText($0.url) }
    if !good.isEmpty { checkCopy(of: good) }
    if let end = last("</plist", in: bytes) {
      must(read(Array(bytes[..<end])) == nil, "a list that was cut was accepted")
    }
  }

  static func entries(of catalog: [UInt8]) -> [CatalogEntry] {
    do throws(Failure) {
      let file = try CatalogFile(MemoryFile(catalog), limits: limits)
      var entries: [CatalogEntry] = []
      for number in 0..<file.count { entries.append(try file.entry(number + 1)) }
      for entry in entries { check(entry) }
      return entries
    } catch { fatalError("the catalog of an accepted list: \(error)") }
  }

  static func check(_ entry: CatalogEntry) {
    must(entry.name.utf8.count <= Int(limits.keyBytes), "a name is too long")
    must(entry.url.utf8.count <= Int(limits.valueBytes), "a URL is too long")
    if let failure = entry.failure { return FailureProof.check(failure, codes: ["list.entry"]) }
    must(!entry.name.isEmpty && !entry.url.isEmpty, "a photo without name or URL has no problem")
  }

  /// Writes the good photos as a plain list, which must give the same photos.
  private static func checkCopy(of good: [CatalogEntry]) {
    guard let catalog = read(plain(good)) else { fatalError("a plain copy was refused") }
    let copies = entries(of: catalog)
    must(copies.count == good.count, "\(good.count) photos became \(copies.count)")
    for (copy, entry) in zip(copies, good) {
      must(
        copy.problem == nil && copy.options == entry.options
          && copy.name.utf8.elementsEqual(entry.name.utf8)
          && copy.url.utf8.elementsEqual(entry.url.utf8),
        "\(entry) became \(copy)")
    }
  }

  private static func plain(_ entries: [CatalogEntry]) -> [UInt8] {
    // In an array names may repeat.
    var text = "<plist><array>"
    for entry in entries {
      text += "<dict><key>Name</key><string>\(escaped(entry.name))</string><key>URL</key>"
      text += "<string>\(escaped(entry.url))</string>\(own(entry.options))</dict>"
    }
    return Array("\(text)</array></plist>".utf8)
  }

  private static func own(_ options: PhotoOptions) -> String {
    let values = [
      ("SHA256", options.checksum?.hex), ("Filter", options.filter?.description),
      ("Quality", options.quality?.description), ("Metadata", options.metadata?.name),
      ("QualityOfService", options.serviceClass?.name),
    ]
    return values.compactMap { key, value in
      value.map { "<key>\(key)</key><string>\($0)</string>" }
    }.joined()
  }

  private static func escaped(_ text: String) -> String {
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): out += Array("&lt;".utf8)
      case UInt8(ascii: "&"): out += Array("&amp;".utf8)
      case UInt8(ascii: ">"): out += Array("&gt;".utf8)
      default: out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// XML cannot express two characters that a binary list may hold.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value != 0xFFFE && $0.value != 0xFFFF }
  }

  private static func read(_ bytes: [UInt8]) -> [UInt8]? {
    let catalog = MemoryFile()
    do throws(Failure) {
      try ListReader.read(
        list: MemoryFile(bytes), catalog: catalog, limits: limits)
      return catalog.bytes
    } catch {
      FailureProof.check(error, codes: ["list."])
      return nil
    }
  }

  private static func last(_ words: String, in bytes: [UInt8]) -> Int? {
    let words = Array(words.utf8)
    // In the other forms the words may be part of a name.
    let first = bytes.first { !ListText.isSpace($0) }
    guard bytes.count >= words.count, first == UInt8(ascii: "<") else { return nil }
    return (0...(bytes.count - words.count)).last { bytes[$0...].starts(with: words) }
  }
}
