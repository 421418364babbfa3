// SPDX-License-Identifier: Apache-2.0
// Writes and parses the text of the file `about`. A missing or malformed value raises a `Failure` that names
// its key; unknown keys are ignored.

internal import Digests
internal import Files
package import Vocabulary

extension AboutFile {
  static let damage = "state.about"
  private static let header = "#darkroom-about 1"

  package var text: String {
    var settings = terms.settings
    if !settings.isEmpty, settings.utf8.last != 0x0A { settings += "\n" }
    let head = """
      \(Self.header)
      name=\(HexDigits.percentEncoded(name.bytes))
      uid=\(owner)
      device=\(device)
      inode=\(inode)
      modified=\(modified)
      size=\(size)
      sha256=\(sha256)
      \(slip?.text ?? "")accepted=\(accepted)
      photos=\(terms.photos)
      quality=\(terms.serviceClass.name)

      """
    let rest = "[settings]\n\(settings)"
    return "\(head)crc=\(Self.checksum(Array((head + rest).utf8)))\n\(rest)"
  }

  private static func checksum(_ bytes: [UInt8]) -> String { String(hex: CRC32C.checksum(bytes)) }

  /// Raises if the checksum is wrong. An older version wrote none, and a person who repairs the file removes
  /// it.
  private static func check(_ text: [UInt8]) throws(Failure) {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    let head = lines.prefix { !$0.elementsEqual("[settings]".utf8) }
    guard let place = head.firstIndex(where: { $0.starts(with: "crc=".utf8) }) else { return }
    let word = lines.remove(at: place).dropFirst(4)
    guard word.elementsEqual(checksum(Array(lines.joined(separator: [0x0A]))).utf8) else {
      throw damaged("crc")
    }
  }

  package init(text: some Collection<UInt8>) throws(Failure) {
    try Self.check(Array(text))
    let lines = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == Self.header else { throw Self.damaged("header") }
    guard let end = lines.firstIndex(of: "[settings]") else { throw Self.damaged("[settings]") }
    var values: [Substring: Substring] = [:]
    for line in lines[1..<end] {
      guard let sign = line.firstIndex(of: "=") else { throw Self.damaged(String(line)) }
      values[line[..<sign]] = line[line.index(after: sign)...]
    }
    let bytes = values["name"].flatMap { HexDigits.percentDecoded($0.utf8) }
    guard let name = bytes.flatMap({ FileName(bytes: $0) }) else { throw Self.damaged("name") }
    guard let quality = values["quality"].flatMap({ ServiceClass(name: $0) }) else {
      throw Self.damaged("quality")
    }
    guard let sha256 = values["sha256"], sha256.utf8.count == 64 else {
      throw Self.damaged("sha256")
    }
    self.name = name
    owner = try Self.number(values, "uid")
    device = try Self.number(values, "device")
    inode = try Self.number(values, "inode")
    modified = try Self.number(values, "modified")
    size = try Self.number(values, "size")
    self.sha256 = String(sha256)
    slip = try Self.slip(values)
    accepted = try Self.number(values, "accepted")
    terms = ListTerms(
      photos: try Self.number(values, "photos"), serviceClass: quality,
      settings: lines[(end + 1)...].joined(separator: "\n"))
  }

  private static func slip(_ values: [Substring: Substring]) throws(Failure) -> Slip? {
    guard let text = values["retry-name"] else { return nil }
    guard let name = HexDigits.percentDecoded(text.utf8).flatMap({ FileName(bytes: $0) }),
      let sha256 = values["retry-sha256"], sha256.utf8.count == 64
    else { throw damaged("retry-name") }
    return Slip(name: name, size: try number(values, "retry-size"), sha256: String(sha256))
  }

  /// Reads `about` from a list's folder.
  package static func read(from folder: any Folder) throws(Failure) -> AboutFile {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try folder.contents(of: ListFolder.about, upTo: maximumSize)
    } catch { throw error.failure }
    guard let bytes else { throw damaged("file") }
    return try AboutFile(text: bytes)
  }

  private static func number<Number: FixedWidthInteger>(
    _ values: [Substring: Substring], _ key: Substring
  ) throws(Failure) -> Number {
    guard let value = values[key].flatMap({ Number($0) }) else { throw damaged(String(key)) }
    return value
  }

  private static func damaged(_ what: String) -> Failure {
    Failure(
      .final, code: damage,
      reason: "the file 'about' of the list is damaged at '\(Printable.text(what, limit: 40))'")
  }
}

extension AboutFile.Slip {
  fileprivate var text: String {
    """
    retry-name=\(HexDigits.percentEncoded(name.bytes))
    retry-size=\(size)
    retry-sha256=\(sha256)

    """
  }
}
