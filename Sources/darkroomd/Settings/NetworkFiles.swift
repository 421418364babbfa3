// SPDX-License-Identifier: Apache-2.0
// The certificates of own authorities and the login of the proxy: read with the settings, and kept in memory, so that a
// change of a file takes effect with a reload. systemd's credentials `proxy` (USER:PASSWORD) and `authorities` need no
// setting. Raises `Failure`; no text of it contains a byte of the login. A value; `read` waits for a disk.

import Linux
import Transfer
import Vocabulary

struct NetworkFiles: Equatable, Sendable {
  var login: ProxyLogin?
  /// In PEM.
  var authorities: [UInt8] = []

  static let longest = 1 << 20

  static func read(_ settings: Settings.Network) throws(Failure) -> NetworkFiles {
    try read(settings, credentials: Surroundings.environment()["CREDENTIALS_DIRECTORY"])
  }

  static func read(
    _ settings: Settings.Network, credentials: String?
  ) throws(Failure) -> NetworkFiles {
    var files = NetworkFiles()
    if let path = settings.certificateAuthorities { files.authorities = try authorities(path) }
    guard let credentials, credentials.hasPrefix("/") else { return files }
    if let bytes = try credential("proxy", in: credentials) {
      guard let login = ProxyLogin(bytes) else {
        throw ConfigurationFile.wrong(
          "\(credentials)/proxy", "it is not one line with USER:PASSWORD")
      }
      files.login = login
    }
    if let bytes = try credential("authorities", in: credentials) {
      files.authorities += try checked(bytes, "\(credentials)/authorities")
    }
    return files
  }

  /// Nil if it was not given.
  private static func credential(
    _ name: StaticString, in path: String
  ) throws(Failure) -> [UInt8]? {
    do throws(SystemError) {
      let folder = try LinuxFolder.open(path: path)
      return try folder.openFile(FileName(literal: name), .read).read(at: 0, upTo: longest + 1)
    } catch {
      if error.isMissing { return nil }
      throw ConfigurationFile.unreadable("\(path)/\(name)", error)
    }
  }

  // MARK: authorities

  /// Those of a file, or of the files of a folder that end in `.pem` or `.crt`.
  private static func authorities(_ path: String) throws(Failure) -> [UInt8] {
    var all: [UInt8] = []
    for (file, bytes) in try texts(path) { all += try checked(bytes, file) + [0x0A] }
    guard !all.isEmpty else {
      throw ConfigurationFile.wrong(path, "it has no file that ends in .pem or .crt")
    }
    guard all.count <= longest else {
      throw ConfigurationFile.wrong(path, "its certificates are longer than 1 MiB")
    }
    return all
  }

  private static func texts(_ path: String) throws(Failure) -> [(String, [UInt8])] {
    let parts = path.split(separator: "/")
    guard let name = parts.last.flatMap({ FileName($0) }) else {
      throw ConfigurationFile.wrong(path, "it is not the name of a file")
    }
    do throws(SystemError) {
      let parent = try LinuxFolder.open(path: "/" + parts.dropLast().joined(separator: "/"))
      guard try parent.status(of: name).kind == .folder else {
        return [(path, try parent.openFile(name, .read).read(at: 0, upTo: longest + 1))]
      }
      let folder = try LinuxFolder.open(path: path)
      let names = try folder.names().filter { $0.hasSuffix(".pem") || $0.hasSuffix(".crt") }
      return try names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        .map { (name) throws(SystemError) in
          (
            "\(path)/\(name)",
            try folder.openFile(name, .read).read(at: 0, upTo: longest + 1)
          )
        }
    } catch { throw ConfigurationFile.unreadable(path, error) }
  }

  private static func checked(
    _ bytes: [UInt8], _ path: String
  ) throws(Failure) -> [UInt8] {
    guard bytes.count <= longest else {
      throw ConfigurationFile.wrong(path, "it is longer than 1 MiB")
    }
    guard let count = CertificateText.count(in: bytes) else {
      throw ConfigurationFile.wrong(path, "one of its certificates is damaged")
    }
    guard count > 0 else {
      throw ConfigurationFile.wrong(path, "it contains no certificate in PEM")
    }
    return bytes
  }
}

/// Certificates in PEM: as much of the form as shows that a file is cut off, damaged or another one.
enum CertificateText {
  private static let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")

  /// Nil if one is damaged.
  static func count(in bytes: [UInt8]) -> Int? {
    var (count, digits): (Int, [UInt8]?) = (0, nil)
    for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let text = line.last == 0x20 ? line.dropLast() : line
      if text.elementsEqual(begin.utf8) {
        if digits != nil { return nil }
        digits = []
      } else if text.elementsEqual(end.utf8) {
        guard let inside = digits, isCertificate(inside) else { return nil }
        digits = nil
        count += 1
      } else {
        digits? += text
      }
    }
    return digits == nil ? count : nil
  }

  /// True if the base64 is one sequence of DER with its whole length.
  private static func isCertificate(_ digits: [UInt8]) -> Bool {
    guard !digits.isEmpty, digits.count % 4 == 0 else { return false }
    let pads = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
    let values = digits.dropLast(pads).map(value)
    guard !values.contains(nil) else { return false }
    let head = values.prefix(8).compactMap(\.self).reduce(UInt64(0)) { $0 << 6 | $1 }
    guard values.count >= 8, head >> 40 == 0x30, head >> 32 & 0xFF == 0x82 else { return false }
    return Int(head >> 16 & 0xFFFF) + 4 == digits.count / 4 * 3 - pads
  }

  private static func value(_ digit: UInt8) -> UInt64? {
    switch digit {
    case 0x41...0x5A: UInt64(digit - 0x41)
    case 0x61...0x7A: UInt64(digit - 0x61 + 26)
    case 0x30...0x39: UInt64(digit - 0x30 + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
