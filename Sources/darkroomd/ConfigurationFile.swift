// SPDX-License-Identifier: Apache-2.0
// Reads darkroomd.conf and what lies in darkroomd.conf.d/ over the built-in defaults. An unknown key
// is an error with a suggestion; nothing is half taken over. Raises `ConfigurationError`.

import Linux
import Vocabulary

struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  let file: String
  let line: Int?
  let problem: String

  var description: String {
    line.map { "\(file):\($0): \(problem)" } ?? "\(file): \(problem)"
  }
}

enum ConfigurationFile {
  /// No settings file is that long.
  static let longest = 1 << 20

  /// The file, if there is one, then the `.conf` files of its folder in the order of their names.
  /// A file that was `named` by the operator must be there.
  static func read(_ path: String, isNamed: Bool) throws(ConfigurationError) -> Settings {
    var settings = Settings()
    let files: [(path: String, bytes: [UInt8])]
    do throws(SystemError) { files = try texts(path, isNamed: isNamed) } catch {
      throw ConfigurationError(file: path, line: nil, problem: "could not read it: \(error)")
    }
    for (file, bytes) in files { try apply(bytes, from: file, to: &settings) }
    return settings
  }

  private static func texts(_ path: String, isNamed: Bool) throws(SystemError)
    -> [(path: String, bytes: [UInt8])]
  {
    let full = path.contains("/") ? path : "./\(path)"
    let parts = full.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "/")
    guard let name = parts.last.flatMap({ FileName($0) }), let additions = FileName("\(name).d")
    else { throw SystemError(code: 2, call: "open", thing: path) }
    let folder: LinuxFolder
    do throws(SystemError) {
      folder = try LinuxFolder.open(path: parent.isEmpty ? "/" : parent)
    } catch {
      if error.isMissing, !isNamed { return [] }
      throw error
    }
    var files: [(String, [UInt8])] = []
    let isThere = isNamed ? true : try folder.has(name)
    if isThere { files.append((path, try text(of: name, in: folder))) }
    guard try folder.has(additions) else { return files }
    let more = try folder.openFolder(additions, creating: false)
    for name in try confNames(more) {
      files.append(("\(path).d/\(name)", try text(of: name, in: more)))
    }
    return files
  }

  private static func confNames(_ folder: LinuxFolder) throws(SystemError) -> [FileName] {
    try folder.names()
      .filter { $0.hasSuffix(".conf") && $0.bytes.first != 0x2E }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  private static func text(of name: FileName, in folder: LinuxFolder) throws(SystemError)
    -> [UInt8]
  {
    try folder.openFile(name, .read).read(at: 0, upTo: longest + 1)
  }

  static func apply(_ bytes: [UInt8], from file: String, to settings: inout Settings)
    throws(ConfigurationError)
  {
    func wrong(_ line: Int?, _ problem: String) -> ConfigurationError {
      ConfigurationError(file: file, line: line, problem: Printable.text(problem, limit: 1000))
    }
    guard bytes.count <= longest else { throw wrong(nil, "it is longer than 1 MiB") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw wrong(nil, "it is not UTF-8 text")
    }
    var section: String?
    // By bytes: to Swift, the end of a line from another system is one character that is no "\n".
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      let line = trimmed(Substring(line))
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("[") {
        section = try sectionName(line, wrong: { wrong(number, $0) })
        continue
      }
      guard let equals = line.firstIndex(of: "=") else {
        throw wrong(number, "a line is KEY=VALUE, [SECTION] or a comment")
      }
      guard let section else { throw wrong(number, "a [SECTION] must come before the first key") }
      let key = trimmed(line[..<equals])
      let value = trimmed(line[line.index(after: equals)...])
      do throws(SettingProblem) {
        try entry(section, key).apply(&settings, value)
      } catch { throw wrong(number, error.description) }
    }
  }

  private static func sectionName(
    _ line: String, wrong: (String) -> ConfigurationError
  ) throws(ConfigurationError) -> String {
    let name = trimmed(line.dropFirst().dropLast())
    let known = Set(SettingEntry.all.map(\.section))
    guard line.hasSuffix("]"), known.contains(name) else {
      throw wrong("there is no section \(line)\(Suggestion.words(for: name, among: known))")
    }
    return name
  }

  private static func entry(_ section: String, _ key: String) throws(SettingProblem) -> SettingEntry
  {
    let here = SettingEntry.all.filter { $0.section == section }
    if let entry = here.first(where: { $0.key == key }) { return entry }
    if let other = SettingEntry.all.first(where: { $0.key == key }) {
      throw SettingProblem("'\(key)' belongs to [\(other.section)], not to [\(section)]")
    }
    let suggestion = Suggestion.words(for: key, among: here.map(\.key))
    throw SettingProblem(
      "there is no setting '\(key)' in [\(section)]\(suggestion)")
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    let start = text.drop(while: isSpace)
    return String(start.reversed().drop(while: isSpace).reversed())
  }
}
