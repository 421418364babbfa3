// SPDX-License-Identifier: Apache-2.0
// The options of a single photo: read from each form of list and kept in the catalog. A wrong one
// fails this photo alone.

import Catalog
import Digests
import Support
import Testing
import Vocabulary

@Suite("A photo's own options")
struct PhotoOptionTests {
  static let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  static let digest = SHA256.digest(of: Array("test".utf8))
  static let all = PhotoOptions(
    checksum: digest, filter: .sepia(thousandths: 250), quality: .level(70), metadata: .strip)

  static let pairs: [(String, String)] = [
    ("URL", "http://x/a"), ("SHA256", hex), ("Filter", "sepia(25%)"), ("Quality", "70"),
    ("Metadata", "strip"),
  ]

  static func markup(_ pairs: [(String, String)]) -> String {
    pairs.map { "<key>\($0)</key><string>\($1)</string>" }.joined()
  }

  static let forms: [(String, String)] = [
    ("name to dictionary", "<dict><key>a</key><dict>\(markup(pairs))</dict></dict>"),
    (
      "name to dictionary under Photos",
      "<dict><key>Photos</key><dict><key>a</key><dict>\(markup(pairs))</dict></dict></dict>"
    ),
    (
      "Photos array",
      "<dict><key>Photos</key><array><dict>\(markup(pairs.reversed()))"
        + "<key>Name</key><string>a</string></dict></array></dict>"
    ),
  ]

  @Test("each form reads them from XML, in any order", arguments: forms)
  func fromMarkup(what: String, body: String) throws {
    let entries = try ReadList.entries(Array(ReadList.document(body).utf8))
    #expect(entries.map(\.name) == ["a"])
    #expect(entries.map(\.url) == ["http://x/a"])
    #expect(entries.map(\.problem) == [nil])
    #expect(entries.map(\.options) == [Self.all])
  }

  @Test("each form reads them from binary")
  func fromBinary() throws {
    var own = Self.pairs.map { ($0, PropertyValue.string($1)) }
    own[3] = ("Quality", .number(70))
    let named = own + [("Name", .string("a"))]
    for list: PropertyValue in [
      .dictionary([("a", .dictionary(own))]),
      .dictionary([("Photos", .dictionary([("a", .dictionary(own))]))]),
      .dictionary([("Photos", .array([.dictionary(named)]))]),
    ] {
      let entries = try ReadList.entries(BinaryList.bytes(list))
      #expect(entries.map(\.name) == ["a"])
      #expect(entries.map(\.options) == [Self.all])
    }
  }

  @Test("photos with a URL and photos with a dictionary may stand side by side")
  func mixed() throws {
    let body = """
      <dict><key>a</key><string>http://x/a</string>
      <key>b</key><dict><key>Quality</key><integer>1</integer><key>URL</key>
      <string>http://x/b</string></dict>
      <key>Filter</key><dict><key>URL</key><string>http://x/f</string></dict>
      <key>c</key><dict><key>URL</key><string>http://x/c</string><key>SHA256</key>
      <string>
        \(Self.hex.uppercased())
      </string></dict></dict>
      """
    let entries = try ReadList.entries(Array(ReadList.document(body).utf8))
    #expect(entries.map(\.name) == ["a", "b", "Filter", "c"])
    #expect(
      entries.map(\.options)
        == [
          PhotoOptions(), PhotoOptions(quality: .level(1)), PhotoOptions(),
          PhotoOptions(checksum: Self.digest),
        ])
  }

  static func own(_ key: String, _ value: String) -> String { "<key>\(key)</key>\(value)" }

  static let wrong: [(String, String)] = [
    (
      own("SHA256", "<string>9f86</string>"),
      "its 'SHA256' is '9f86'; it must be 64 hex digits, as sha256sum prints them"
    ),
    (
      own("SHA256", "<string></string>"),
      "its 'SHA256' is ''; it must be 64 hex digits, as sha256sum prints them"
    ),
    (
      own("SHA256", "<string>\(hex)0</string>"),
      "its 'SHA256' is '\(hex)0'; it must be 64 hex digits, as sha256sum prints them"
    ),
    (
      own("SHA256", "<string>g\(hex.dropFirst())</string>"),
      "its 'SHA256' is 'g\(hex.dropFirst())'; it must be 64 hex digits, as sha256sum prints them"
    ),
    (own("SHA256", "<data>QQ==</data>"), "its 'SHA256' is data, not a string"),
    (
      own("SHA256", "<string>\(hex)</string>") + own("SHA256", "<string>\(hex)</string>"),
      "its 'SHA256' is given twice"
    ),
    (
      own("Filter", "<string>blur(3)</string>"),
      "its 'Filter' is 'blur(3)': there is no filter 'blur'; the only one is sepia(AMOUNT)"
    ),
    (own("Filter", "<array/>"), "its 'Filter' is an array, not a string"),
    (
      own("Filter", "<string>sepia(1)\(String(repeating: " ", count: 300))</string>"),
      "its 'Filter' is 308 bytes long; the limit is 200"
    ),
    (
      own("Filter", "<string>sepia(1)</string>") + own("Filter", "<string>sepia(0)</string>"),
      "its 'Filter' is given twice"
    ),
    (
      own("Quality", "<integer>0</integer>"),
      "its 'Quality' is '0': the quality is a whole number from 1 to 100, or source"
    ),
    (
      own("Quality", "<real>0.5</real>"),
      "its 'Quality' is a number, not a whole number or a string"
    ),
    (
      own("Metadata", "<string>stripp</string>"),
      "its 'Metadata' is 'stripp' (did you mean 'strip'?); it must be keep, strip or copyright"
    ),
    (
      own("Metadata", "<string>all</string>"),
      "its 'Metadata' is 'all'; it must be keep, strip or copyright"
    ),
    (own("Metadata", "<true/>"), "its 'Metadata' is true or false, not a string"),
    (
      own("QualityOfService", "<string>Utility</string>"),
      "its 'QualityOfService' is 'Utility', which is not a class (did you mean 'utility'?); it must be one of "
        + "userInteractive, userInitiated, default, utility, background"
    ),
    (
      own("Title", "<string>x</string>"),
      "its dictionary has the key 'Title', which is allowed only beside 'Photos'"
    ),
    (
      own("Output", "<string>same</string>"),
      "its dictionary has the key 'Output', which is allowed only beside 'Photos'"
    ),
    (
      own("Name", "<string>b</string>"),
      "its dictionary has the key 'Name', but the list already names it"
    ),
    (
      own("sha256", "<string>\(hex)</string>"),
      "its dictionary has the unknown key 'sha256' (did you mean 'SHA256'?)"
    ),
    (
      own("Qualtiy", "<integer>3</integer>"),
      "its dictionary has the unknown key 'Qualtiy' (did you mean 'Quality'?)"
    ),
    (
      own("filter", "<string>sepia(1)</string>"),
      "its dictionary has the unknown key 'filter' (did you mean 'Filter'?)"
    ),
    (
      own("Priority", "<string>x</string>"), "its dictionary has the unknown key 'Priority'"
    ),
    (own("Headers", "<dict/>"), "its dictionary has the unknown key 'Headers'"),
    (
      own("\u{202E}LRU", "<string>x</string>"),
      "its dictionary has the unknown key '\\u{202e}LRU'"
    ),
  ]

  @Test("a wrong option fails its photo alone, and says why", arguments: wrong)
  func isWrong(keys: String, words: String) throws {
    let url = "<key>URL</key><string>http://x/a</string>"
    let body =
      "<dict><key>a</key><dict>\(url)\(keys)</dict><key>b</key><dict>\(keys)\(url)</dict>"
      + "<key>good</key><string>http://x/g</string></dict>"
    let entries = try ReadList.entries(Array(ReadList.document(body).utf8))
    #expect(entries.map(\.name) == ["a", "b", "good"])
    let expected = "\(words) (line 4)"
    #expect(entries.map(\.problem) == [expected, expected, nil])
    #expect(entries.first?.options == PhotoOptions(), "no option of a bad photo counts")
  }

  @Test("a checksum that is cut at the limit of a value is not taken for whole")
  func cutChecksum() throws {
    let body = "<dict><key>a</key><dict><key>URL</key><string>u</string>"
    let long = "<key>SHA256</key><string>\(Self.hex)00</string></dict></dict>"
    let entries = try ReadList.entries(
      Array(ReadList.document(body + long).utf8), limits: ListLimits(valueBytes: 64))
    #expect(entries.first?.problem?.hasPrefix("its 'SHA256' is") == true)
  }

  static let refusedOutputs: [(String, String, String)] = [
    (
      "png", "line 4: 'Output' is 'png'; prints have the format of their originals",
      "Leave it out, or write same"
    ),
    (
      "Same",
      "line 4: 'Output' is 'Same'; prints have the format of their originals (did you mean 'same'?)",
      "Leave it out, or write same"
    ),
    (
      "", "line 4: 'Output' is ''; prints have the format of their originals",
      "Leave it out, or write same"
    ),
  ]

  static let notifies: [(String, String)] = [
    ("done", "the URL has no scheme"),
    ("file:///done", "a file URL leads to no server"),
    ("dropped:///done", "a dropped URL leads to no server"),
    ("https://me:secret@h/done", "the URL contains a user name or a password"),
    ("", "the URL is empty"),
    ("http://h/" + String(repeating: "x", count: 2048), "2057 bytes long; the limit is 2048"),
    ("http://h/" + String(repeating: "^", count: 700), "2109 bytes long; the limit is 2048"),
  ]

  @Test("a list may name a URL of http or https to notify", arguments: notifies)
  func notify(url: String, words: String) {
    let photos = "<key>Photos</key><dict><key>a</key><string>u</string></dict></dict>"
    func body(_ url: String) -> String {
      "<dict><key>Notify</key><string>\(url)</string>\(photos)"
    }
    #expect(
      ReadList.inside(body("https://h/done"))
        == .photos(["a = u"], ListOptions(notify: try? PhotoURL(parsing: "https://h/done"))))
    guard case .refused(let code, let reason, _) = ReadList.inside(body(url)) else {
      Issue.record("'\(url)' was accepted")
      return
    }
    #expect(
      code == "list.option" && reason.hasPrefix("line 4: 'Notify'") && reason.hasSuffix(words))
  }

  @Test("a list may ask for prints in the format of its originals, and for no other")
  func outputs() {
    let photos = "<key>Photos</key><dict><key>a</key><string>u</string></dict></dict>"
    for order in [
      "<dict><key>Output</key><string>same</string>\(photos)",
      "<dict><key>Photos</key><dict><key>a</key><string>u</string></dict>"
        + "<key>Output</key><string>same</string></dict>",
    ] { #expect(ReadList.inside(order) == .photos(["a = u"], ListOptions())) }
    for (value, reason, advice) in Self.refusedOutputs {
      let body = "<dict><key>Output</key><string>\(value)</string>\(photos)"
      #expect(ReadList.inside(body) == .refused("list.option", reason, advice))
    }
    let alone = "<dict><key>Output</key><string>http://x/o</string></dict>"
    #expect(ReadList.inside(alone).photos == ["Output = http://x/o"], "a name like any other")
  }
}
