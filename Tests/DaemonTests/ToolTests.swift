// SPDX-License-Identifier: Apache-2.0
// darkroomctl as people type it: `develop` with their own pictures, `check` before a drop, and errors
// for programs.

import Foundation
import Support
import Testing

@Suite struct ToolTests {
  private struct CheckedPhoto: Decodable {
    let name: String
    let problem: String?
    let code: String?
  }

  private struct CheckedPhotos: Decodable { let photos: [CheckedPhoto] }

  private struct ToldError: Decodable {
    let error: String
    let message: String
  }

  private func errors(_ end: ProgramEnd) throws -> [ToldError] {
    try end.errors.split(separator: "\n").map {
      try JSONDecoder().decode(ToldError.self, from: Data($0.utf8))
    }
  }

  // MARK: develop

  @Test func `a picture is never developed over itself, and the error comes at once`()
    async throws
  {
    try await DaemonBench.use { bench in
      let picture = SamplePictures.jpeg(width: 24, height: 16, seed: 1)
      try bench.folder.write(picture, to: "root/barn.jpg")
      let here = bench.root
      for force in [[], ["-f"], ["--force"]] {
        let words = ["develop", "-o", here] + force + ["\(here)/barn.jpg"]
        let end = try await bench.launch("darkroomctl", words).end()
        #expect(end.code == 1 && end.output.isEmpty, "\(end)")
        #expect(
          end.errors
            == "darkroomctl: Could not develop \(here)/barn.jpg: its print would replace the input "
            + "\(here)/barn.jpg. Choose another folder with -o\n")
        #expect(bench.bytes("barn.jpg") == picture)
      }
    }
  }

  @Test func `a new print is named with its folder, and so is an older one in its place`()
    async throws
  {
    try await DaemonBench.use { bench in
      try bench.folder.write(SamplePictures.jpeg(width: 24, height: 16, seed: 1), to: "a/barn.jpg")
      let (file, print) = ("\(bench.folder.path)/a/barn.jpg", "\(bench.root)/barn.jpg")
      let words = ["develop", "-o", bench.root, file]
      let first = try await bench.launch("darkroomctl", words).end()
      #expect(first.code == 0 && first.output.hasPrefix("\(file)\t\(print)\t"), "\(first)")
      let second = try await bench.launch("darkroomctl", words).end()
      #expect(second.code == 1, "\(second)")
      #expect(
        second.errors
          == "darkroomctl: Could not develop \(file): \(print) exists. "
          + "Choose another folder with -o, or use --force\n")
    }
  }

  // MARK: check

  /// Photos that all fail, each in a different way.
  private static let wrong: [(String, String)] = [
    ("ftp", "ftp://example.org/a.jpg"), ("script", "javascript:alert(1)"),
    ("data", "data:image/png;base64,AAAA"), ("secret", "https://me:word@example.org/a.jpg"),
    ("bare", "example.org/a.jpg"), ("host", "https:///a.jpg"), ("port", "http://example.org:0/"),
    ("idn", "https://m\u{FC}ller.example/a.jpg"), ("slash", "https://a\\b/"), ("none", ""),
    ("up", "file:///srv/../etc/passwd"), ("percent", "file:///srv/a%zz.jpg"),
    ("folder", "file:///srv/"), ("other", "file://elsewhere/a.jpg"), ("ask", "file:///a.jpg?b"),
    ("word", "file:a.jpg"), ("long", "http://example.org/" + String(repeating: "a", count: 16_400)),
  ]

  private static func list(_ body: String) -> [UInt8] {
    Array("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8)
  }

  private static let misspelt: [(key: String, meant: String, value: String)] = [
    ("Photo", "Photos", "<array/>"), ("photos", "Photos", "<array><dict/></array>"),
    ("Photos ", "Photos", "<array/>"), ("Qality", "Quality", "<integer>85</integer>"),
  ]

  /// Expects `check` to predict, photo by photo, the failures in the daemon.
  private func agree(_ bench: DaemonBench, _ list: [UInt8], as name: String) async throws
    -> [CheckedPhoto]
  {
    try bench.folder.write(list, to: "root/\(name).plist")
    let end = try await bench.tool("--json", "check", "\(bench.root)/\(name).plist")
    let checked = try JSONDecoder().decode(CheckedPhotos.self, from: Data(end.output.utf8)).photos
    let isWell = checked.allSatisfy { $0.problem == nil }
    #expect(end.code == (isWell ? 0 : 1), "\(end)")
    #expect(try errors(end).map(\.error) == (isWell ? [] : ["list.entry"]))
    let daemon = try await bench.start()
    try await bench.drop(list, as: "\(name).plist")
    try await bench.wait(for: name, daemon)
    let shown = try await bench.show(name).photos
    try await bench.stop(daemon)
    #expect(shown.map(\.name) == checked.map(\.name))
    for (photo, said) in zip(shown, checked) {
      #expect(photo.reason == said.problem ?? "", "\(photo.name)")
      #expect(photo.code == said.code ?? "", "\(photo.name)")
      let words = "\(said.problem ?? "").; \(photo.reason)."
      #expect(!words.contains("?.") && !words.contains("?;"), "\(words)")
    }
    return checked
  }

  @Test func `check predicts the failure of each photo`() async throws {
    try await DaemonBench.use { bench in
      let list = PhotoListText.array(Self.wrong + [("good", try bench.serveSamples(1)[0])])
      let checked = try await agree(bench, list, as: "wrong")
      #expect(checked.filter { $0.problem == nil }.map(\.name) == ["good"])
      let codes = Dictionary(checked.map { ($0.name, $0.code) }, uniquingKeysWith: { $1 })
      #expect(codes["ftp"] == "url.scheme" && codes["secret"] == "url.credentials")
      let end = try await bench.tool("check", "\(bench.root)/wrong.plist")
      #expect(end.code == 1, "\(end)")
      #expect(end.output.contains("\tthe scheme 'ftp' is not http, https or file\n"), "\(end)")
      #expect(!end.errors.contains("word@"), "\(end)")
    }
  }

  @Test func `check and the daemon suggest the right spelling of a key at the top`() async throws {
    try await DaemonBench.use { bench in
      let body = Self.misspelt.map { "<key>\($0.key)</key>\($0.value)" }.joined()
      let checked = try await agree(
        bench, Self.list("<key>Titel</key><string>Holiday</string>\(body)"), as: "misspelt")
      #expect(checked.first?.problem == "the URL has no scheme")
      for (photo, row) in zip(checked.dropFirst(), Self.misspelt) {
        let problem = photo.problem ?? ""
        #expect(problem.contains(", not a string (did you mean '\(row.meant)'?)"), "\(problem)")
      }
    }
  }

  // MARK: without a command

  @Test func `without a command it says how to start the daemon, then what it does`() async throws {
    try await DaemonBench.use { bench in
      let place = ["DARKROOM_ROOT": bench.root]
      let none = try await bench.launch("darkroomctl", [], environment: place).end()
      #expect(none.code == 3 && none.output.isEmpty, "\(none)")
      #expect(none.errors.hasSuffix("start it with darkroomd --root \(bench.root)\n"), "\(none)")
      let daemon = try await bench.start()
      try await bench.drop([("One", try bench.serveSamples(1)[0])], as: "one.plist")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      let idle = try await bench.launch("darkroomctl", [], environment: place).end()
      #expect(
        idle.code == 0 && idle.output.contains(" is running: every list is done\n"), "\(idle)")
      let list = try await bench.tool("list")
      #expect(list.output.hasPrefix("ID  NAME  STATE") && list.output.contains(" ended "))
      #expect(try await bench.tool("list", "--plain").output.hasPrefix("1\tone\t"))
      try await bench.stop(daemon)
    }
  }

  // MARK: errors for programs

  @Test func `with --json every error is an object, and the exit code is the same`() async throws {
    try await DaemonBench.use { bench in
      try bench.folder.write(Array("just words".utf8), to: "root/words.plist")
      let lines: [(code: String, words: [String])] = [
        ("daemon.notRunning", []), ("usage", ["lsit"]), ("usage", ["list", "--jsno"]),
        ("usage", ["show"]),
        ("daemon.notRunning", ["status"]), ("daemon.notRunning", ["list"]),
        ("daemon.notRunning", ["wait", "a"]), ("system.2", ["check", "/none/a.plist"]),
        ("list.format", ["check", "\(bench.root)/words.plist"]),
        ("system.2", ["develop", "/none/a.jpg"]),
        ("system.2", ["develop", "-o", "/none", "a.jpg"]),
      ]
      try await compare(bench, lines)
      let daemon = try await bench.start()
      try await compare(
        bench,
        [
          ("io.darkroom.Control.NoSuchList", ["show", "none"]),
          ("io.darkroom.Control.NoSuchList", ["cancel", "none"]),
        ])
      try bench.settings("[Downlaod]\n")
      try await compare(bench, [("io.darkroom.Control.ReloadFailed", ["reload"])])
      try await bench.stop(daemon)
    }
  }

  private func compare(_ bench: DaemonBench, _ lines: [(code: String, words: [String])])
    async throws
  {
    for (code, words) in lines {
      let all = ["--root", bench.root] + words
      let plain = try await bench.launch("darkroomctl", all).end()
      let json = try await bench.launch("darkroomctl", ["--json"] + all).end()
      #expect(plain.code == json.code && json.code != 0, "\(words): \(json)")
      let told = try errors(json)
      #expect(told.map(\.error) == [code], "\(words): \(json)")
      #expect(
        told.map { "darkroomctl: \($0.message)\n" }.joined() == plain.errors, "\(words): \(json)")
    }
  }
}
