// SPDX-License-Identifier: Apache-2.0
// Modules that read what others write compare no strings of them: Swift brings strings into a normal form for that, in
// quadratic time. `OutsideText` compares bytes.

import Support
import Testing

@Suite struct OutsideTextRuleTests {
  private static let modules = [
    "Steer", "Show", "Cluster", "Catalog", "Accept", "Download", "Filter", "Output",
    "System/Transfer", "System/HTTP", "System/JSON", "System/Postgres", "System/Worker",
    "System/Codecs", "System/Markup",
  ]

  private static let refused = [
    "String(decoding:", "String(cString:", "String(validating:", "Set<String>", "[String:",
    "Dictionary<String", ": Set = [\"",
  ]

  /// The file, a part of the line, and why it may stand there.
  private static let exceptions: [(file: String, line: String, why: String)] = [
    ("Steer/ControlError.swift", "parts.last", "the end of an error's name, in the tool"),
    ("Postgres/PostgresTrust.swift", "Set<String>", "the words of libpq"),
    ("Postgres/PostgresTrust.swift", "[String: String]", "from the settings file, at a start"),
    ("Steer/JSONWriter.swift", "bytes(value)", "our own text, to be written"),
    ("Show/PageRequest.swift", "[String: String]", "ASCII; the target is short"),
    ("Show/PageRequest.swift", "String(validating: bytes", "at most 255 bytes, to be passed on"),
    ("Show/ViewBook.swift", "entries: [String: Entry]", "digits and letters; at most 256 of them"),
    ("Show/RequestJudge.swift", "Hosts: Set<String>", "our own hosts; headers are ASCII"),
    ("Show/FocusWish.swift", "String(decoding: parts[0]", "letters and digits, at most 32"),
    ("Show/FocusWish.swift", "UInt32(String(decoding:", "digits"),
    ("Cluster/LedgerEntry.swift", "Set<String>", "our own words; a state has five letters"),
    ("Catalog/CatalogEntry+Coding.swift", "String(validating:", "limited, to be passed on"),
    ("Catalog/PhotoOptions+Coding.swift", "String(validating:", "at most 64 bytes"),
    ("Catalog/FormatGuess.swift", "String(decoding:", "two bytes, to be shown"),
    ("Catalog/LineListReader.swift", "String(decoding: key", "a key of a line, from our own table"),
    ("Catalog/URLName.swift", "String(validating:", "is only asked whether it is UTF-8"),
    ("Catalog/ListBuilder.swift", "String(decoding: row.name", "limited; NameIndex compares it"),
    ("Catalog/ListText.swift", "var string", "to be shown or parsed; a key is compared by bytes"),
    ("Accept/AboutFile+Text.swift", "Self.damaged(", "our own file, to be shown"),
    ("Accept/AboutFile+Text.swift", "settings: String(decoding:", "our own file"),
    ("Accept/Quarantine.swift", "let words", "our own file, at most 100 bytes"),
    ("Accept/Quarantine.swift", "[String: Entry]", "names in our own folder"),
    ("Accept/Quarantine.swift", "let text", "names in our own folder"),
    ("Accept/ClaimMemory.swift", "var died", "digests in hex"),
    ("Accept/InboxMemory.swift", "let words", "our own file"),
    ("Download/NoteHead.swift", "String", "our own file; its names are compared with ours"),
    ("Download/PartialNote.swift", "UInt64(String(decoding:", "digits"),
    ("Filter/PNGMetadata.swift", "Set<String>", "four bytes"),
    ("Filter/PNGMetadata.swift", "let name = String(decoding: head", "four bytes"),
    ("Filter/PacketExcerpt.swift", "String(validating:", "is only asked whether it is UTF-8"),
    ("Filter/TextPreview.swift", "lowercased()", "a keyword, at most 79 bytes"),
    ("Filter/TextPreview.swift", "Int(String(decoding:", "digits"),
    ("Output/SheetFolder.swift", "let number", "digits of a name in our own folder"),
    ("Output/PrintName.swift", "uppercased().lowercased()", "a file name, at most 255 bytes"),
    ("Output/PrintName.swift", "PictureName(Array(name.utf8)).stem", "limited by the catalog"),
    ("Output/PrintName.swift", "String(decoding: out", "a file name, to be made"),
    ("System/Worker/WorkerAnswer.swift", "let word", "checked: ASCII, at most 64 bytes"),
    ("System/Codecs/PictureSniffer.swift", "switch String(decoding: brand", "four bytes"),
    ("System/Markup/MarkupReader.swift", "XML_ErrorString", "expat's words, to be shown"),
    ("System/Transfer/HeaderText.swift", "String(decoding: bytes", "ASCII, and limited"),
    ("System/Transfer/EasyHandle.swift", "cString: errorText", "libcurl's words, to be shown"),
    ("System/Transfer/TransferEnding.swift", "curl_easy_strerror", "libcurl's words"),
    ("System/Transfer/Store/StoreTrouble.swift", "curl_easy_strerror", "libcurl's words"),
    ("System/Transfer/TransferCalls.swift", "cString: remote", "libcurl's text of an address"),
    ("System/Transfer/TransferSettings.swift", "String(validating:", "the administrator's login"),
    ("System/HTTP/WebServer.swift", "target.map", "its bytes are checked before it is compared"),
    ("System/HTTP/WebServer.swift", "value.map", "WebRequest.add takes ASCII alone"),
    ("System/HTTP/WebServer.swift", "box.request.add", "WebRequest.add takes ASCII alone"),
    ("System/HTTP/WebServer.swift", "WebRequest.plain", "checked: ASCII"),
    ("System/JSON/JSONStream.swift", "String(decoding: bytes", "four bytes, to be shown"),
    ("System/JSON/JSONStream.swift", "let digits", "digits"),
    ("System/Postgres/PostgresServers.swift", "String(decoding: bytes", "the administrator's text"),
    ("System/Postgres/PostgresSession.swift", "prepared: Set<String>", "our own names"),
    ("System/Postgres/PostgresSession.swift", "String(decoding: bytes", "limited, to be shown"),
    ("System/Postgres/PostgresSession.swift", "String(decoding: characters", "of a fixed size"),
  ]

  @Test func `modules that read from outside compare no strings`() {
    var unused = Set(Self.exceptions.indices)
    var found: [String] = []
    for file in Repository.sources where Self.modules.contains(Self.module(of: file)) {
      for line in file.code where Self.refused.contains(where: { line.contains($0) }) {
        let known = Self.exceptions.indices.filter {
          file.path.hasSuffix(Self.exceptions[$0].file) && line.contains(Self.exceptions[$0].line)
        }
        unused.subtract(known)
        if known.isEmpty { found.append("\(file.path): \(line)") }
      }
    }
    #expect(found.isEmpty, "use OutsideText: \(found.joined(separator: "\n"))")
    #expect(unused.isEmpty, "needless exceptions: \(unused.map { Self.exceptions[$0].line })")
  }

  /// Requests have short texts; the daemon reads no message in another way.
  @Test func `a request is read with the limit of its texts`() {
    let steer = Repository.sources.filter { $0.target == "Steer" }
    let readers = steer.filter { $0.code.contains { $0.contains("(request: ") } }
    #expect(readers.map(\.path) == ["Sources/Steer/ControlRouter.swift"])
    #expect(!steer.contains { $0.code.contains { $0.contains("Order(parameters") } })
  }

  private static func module(of file: SourceFile) -> String { file.target }
}
