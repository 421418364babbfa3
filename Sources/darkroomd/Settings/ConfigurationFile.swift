// SPDX-License-Identifier: Apache-2.0
// Reads darkroomd.conf, then the files of darkroomd.conf.d/, over the built-in defaults. An unknown key is an
// error with a suggestion. Returns complete settings or raises a `Failure` that names the file and the line. A value;
// reading it waits for a disk.

import Cluster
import Linux
import Vocabulary

struct ConfigurationFile: Sendable {
  /// A longer settings file is refused.
  static let longest = 1 << 20

  /// Some editors begin a file in UTF-8 with it.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  let path: String
  /// The operator named it, so it must exist.
  let isNamed: Bool

  /// The file, if it exists, then the `.conf` files of its folder in the order of their names.
  func read() throws(Failure) -> (settings: Settings, origins: SettingOrigins) {
    var read = (settings: Settings(), origins: SettingOrigins())
    for (file, bytes) in try texts() {
      try Self.apply(bytes, from: file, to: &read.settings, &read.origins)
    }
    return read
  }

  /// The same, if the daemon can work with them: it can read the certificates and credentials that they name.
  func readChecked() throws(Failure) -> (settings: Settings, origins: SettingOrigins) {
    var read = try read()
    let cluster = read.settings.cluster
    if cluster.ledger != nil, cluster.blobs == nil {
      throw Self.wrong(path, Settings.Cluster.needsBlobs)
    }
    if let problem = cluster.ledger.flatMap({ LedgerPlace.problem(in: $0) }) {
      let place = read.origins.place(of: "Ledger")
      throw Self.wrong(
        place?.file ?? path, line: place?.line, "libpq does not understand Ledger=: \(problem)")
    }
    if cluster.hasStore, cluster.blobCredentials == nil {
      throw Self.wrong(path, Settings.Cluster.needsCredentials)
    }
    do throws(Failure) {
      read.settings.networkFiles = try NetworkFiles.read(read.settings.network)
    } catch { throw read.origins.located(error, of: "CertificateAuthorities") }
    return read
  }

  /// The same, after a look at the files with secrets, which a start reads. The credentials of systemd are left out: a
  /// service has those that it was started with.
  func readWithSecrets() throws(Failure) -> (
    settings: Settings, origins: SettingOrigins
  ) {
    let read = try readChecked()
    let cluster = read.settings.cluster
    guard cluster.ledger != nil else { return read }
    func check(
      _ word: String?, _ key: String, _ act: () throws(StartFailure) -> Void
    ) throws(Failure) {
      guard word?.hasPrefix("/") == true else { return }
      do throws(StartFailure) { try act() } catch {
        let place = read.origins.place(of: key)
        throw Self.wrong(place?.file ?? path, line: place?.line, error.words)
      }
    }
    try check(cluster.password, "LedgerPassword") { () throws(StartFailure) in
      _ = try cluster.readPassword()
    }
    if cluster.hasStore {
      try check(cluster.blobCredentials, "BlobCredentials") { () throws(StartFailure) in
        _ = try cluster.readLogin()
      }
    }
    return read
  }

  /// - Parameter isMachineTrouble: this machine is in trouble, and the file is not at fault.
  static func wrong(
    _ file: String, line: Int? = nil, _ problem: String, isMachineTrouble: Bool = false
  ) -> Failure {
    Failure(
      isMachineTrouble ? .machine : .final, code: "configuration",
      reason: "\(line.map { "\(file):\($0)" } ?? file): \(problem)")
  }

  /// A file of the settings, or one that they name.
  static func unreadable(_ path: String, _ error: SystemError) -> Failure {
    wrong(
      path, "could not read it: \(error.words)", isMachineTrouble: error.isMachineTrouble)
  }

  private typealias Text = (path: String, bytes: [UInt8])

  private func texts() throws(Failure) -> [Text] {
    let full = path.contains("/") ? path : "./\(path)"
    let parts = full.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "/")
    guard let name = parts.last.flatMap({ FileName($0) }), let more = FileName("\(name).d") else {
      throw Self.wrong(path, "it is not the name of a file")
    }
    let folder: LinuxFolder
    do throws(SystemError) {
      folder = try LinuxFolder.open(path: parent.isEmpty ? "/" : parent)
    } catch {
      if error.isMissing, !isNamed { return [] }
      throw Self.unreadable(path, error)
    }
    var found: [Text] = []
    let isThere = try Self.reading(path) { () throws(SystemError) in
      isNamed ? true : try folder.has(name)
    }
    if isThere { found.append(try Self.text(of: name, in: folder, path)) }
    return try found + Self.texts(of: more, in: folder, "\(path).d")
  }

  /// The `.conf` files of a folder, in the order of their names.
  private static func texts(of name: FileName, in folder: LinuxFolder, _ path: String)
    throws(Failure) -> [Text]
  {
    let found = try reading(path) { () throws(SystemError) -> (LinuxFolder, [FileName])? in
      guard try folder.has(name) else { return nil }
      let folder = try folder.openFolder(name, creating: false)
      return (folder, try folder.names().filter { $0.hasSuffix(".conf") && $0.bytes.first != 0x2E })
    }
    guard let (folder, names) = found else { return [] }
    var texts: [Text] = []
    for name in names.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      texts.append(try text(of: name, in: folder, "\(path)/\(name)"))
    }
    return texts
  }

  private static func text(of name: FileName, in folder: LinuxFolder, _ path: String)
    throws(Failure) -> Text
  {
    do throws(SystemError) {
      return (path, try folder.openFile(name, .read).read(at: 0, upTo: longest + 1))
    } catch {
      let isOther = (try? folder.status(of: name).kind) == .other
      throw isOther
        ? wrong(path, "could not read it: it is a pipe, a socket or a device")
        : unreadable(path, error)
    }
  }

  /// Turns the kernel's error into one that names this file.
  private static func reading<Value>(_ path: String, _ act: () throws(SystemError) -> Value)
    throws(Failure) -> Value
  {
    do throws(SystemError) { return try act() } catch { throw unreadable(path, error) }
  }

  static func apply(
    _ bytes: [UInt8], from file: String, to settings: inout Settings,
    _ origins: inout SettingOrigins
  ) throws(Failure) {
    func wrong(_ line: Int?, _ problem: String) -> Failure {
      Self.wrong(file, line: line, Printable.text(problem, limit: 1000))
    }
    guard bytes.count <= longest else { throw wrong(nil, "it is longer than 1 MiB") }
    let marked = bytes.starts(with: Self.byteOrderMark)
    guard
      let text = String(
        validating: bytes.dropFirst(marked ? Self.byteOrderMark.count : 0), as: UTF8.self)
    else {
      throw wrong(nil, "it is not UTF-8 text")
    }
    var section: String?
    // Split by bytes: to Swift, CR LF is one character, which is not "\n".
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      let line = trimmed(Substring(line))
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("[") {
        section = try sectionName(line, wrong: { wrong(number, $0) })
        continue
      }
      guard let equals = line.firstIndex(of: "=") else {
        throw wrong(number, "expected KEY=VALUE, [SECTION] or a comment")
      }
      guard let section else { throw wrong(number, "a [SECTION] must come before the first key") }
      let key = trimmed(line[..<equals])
      let value = trimmed(line[line.index(after: equals)...])
      do throws(TextProblem) {
        let entry = try entry(section, key)
        try entry.apply(&settings, value)
        origins.note(entry, value, at: .init(file: file, line: number))
      } catch { throw wrong(number, error.description) }
    }
  }

  private static func sectionName(
    _ line: String, wrong: (String) -> Failure
  ) throws(Failure) -> String {
    let name = trimmed(line.dropFirst().dropLast())
    let known = Set(SettingEntry.all.map(\.section))
    guard line.hasSuffix("]"), known.contains(name) else {
      throw wrong("there is no section \(line)\(Suggestion.words(for: name, among: known))")
    }
    return name
  }

  private static func entry(_ section: String, _ key: String) throws(TextProblem) -> SettingEntry {
    let here = SettingEntry.all.filter { $0.section == section }
    if let entry = here.first(where: { $0.key == key }) { return entry }
    if let other = SettingEntry.all.first(where: { $0.key == key }) {
      throw TextProblem("'\(key)' belongs to [\(other.section)], not to [\(section)]")
    }
    let suggestion = Suggestion.words(for: key, among: here.map(\.key))
    throw TextProblem(
      "there is no setting '\(key)' in [\(section)]\(suggestion)")
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    let start = text.drop(while: isSpace)
    return String(start.reversed().drop(while: isSpace).reversed())
  }
}
