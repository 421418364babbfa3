// SPDX-License-Identifier: Apache-2.0
// Writes and parses the text of the file `about`. A missing or malformed value raises a `Failure` that names
// its key; unknown keys are ignored.

internal import Digests
internal import Files
package import Vocabulary

extension AboutFile {
  package static let damage = "state.about"
  private static let header = "#darkroom-about 1"
  private static let settings = "[settings]"

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
    let rest = "\(Self.settings)\n\(settings)"
    return "\(head)crc=\(Self.checksum(Array((head + rest).utf8)))\n\(rest)"
  }

  private static func checksum(_ bytes: [UInt8]) -> String { String(hex: CRC32C.checksum(bytes)) }

  package init(text: some Collection<UInt8>) throws(Failure) {
    let text = Array(text)
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.first?.elementsEqual(Self.header.utf8) == true else { throw Self.damaged("header") }
    guard let end = lines.firstIndex(where: { $0.elementsEqual(Self.settings.utf8) }) else {
      throw Self.damaged(Self.settings)
    }
    try Self.check(lines[..<end], of: text)
    var values = KeyedLines()
    for line in lines[1..<end] where !values.add(line) {
      throw Self.damaged(String(decoding: line, as: UTF8.self))
    }
    let bytes = values.bytes("name").flatMap { HexDigits.percentDecoded($0) }
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
    self.sha256 = sha256
    slip = try Self.slip(values)
    accepted = try Self.number(values, "accepted")
    terms = ListTerms(
      photos: try Self.number(values, "photos"), serviceClass: quality,
      settings: String(decoding: text[lines[end].endIndex...].dropFirst(), as: UTF8.self))
  }

  /// Raises if the checksum is wrong. A person who repairs the file removes it.
  private static func check(
    _ head: ArraySlice<ArraySlice<UInt8>>, of text: [UInt8]
  ) throws(Failure) {
    guard let line = head.first(where: { $0.starts(with: "crc=".utf8) }) else { return }
    let before = CRC32C.checksum(text[..<line.startIndex])
    let sum = CRC32C.checksum(text[(line.endIndex + 1)...], seed: before)
    guard line.dropFirst(4).elementsEqual(String(hex: sum).utf8) else { throw damaged("crc") }
  }

  private static func slip(_ values: KeyedLines) throws(Failure) -> Slip? {
    guard let text = values.bytes("retry-name") else { return nil }
    guard let name = HexDigits.percentDecoded(text).flatMap({ FileName(bytes: $0) }),
      let sha256 = values["retry-sha256"], sha256.utf8.count == 64
    else { throw damaged("retry-name") }
    return Slip(name: name, size: try number(values, "retry-size"), sha256: sha256)
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
    _ values: KeyedLines, _ key: String
  ) throws(Failure) -> Number {
    guard let value = values[key].flatMap({ Number($0) }) else { throw damaged(key) }
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
