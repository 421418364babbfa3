// SPDX-License-Identifier: Apache-2.0
// The words, numbers and fields of every message, and the catalog and manual page that explain
// them.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import Report

@Suite struct NoticeTests {
  @Test(
    "every message says what happened, to what, why, and what follows", arguments: Samples.words)
  func words(notice: Notice, words: String) { #expect(notice.message.words == words) }

  @Test
  func `every kind of message has a number that no other has, and a sample, and so is tested`() {
    let numbers = Samples.numbersInSources
    #expect(Set(numbers).count == numbers.count && numbers.count > 40)
    #expect(Set(Samples.words.map(\.0.message.number)) == Set(numbers))
  }

  /// `Samples` has the words. After a change, `DARKROOM_REWRITE=1 swift test --filter NoticeTests` writes the file again.
  @Test func `each record has its number, its priority and its fields`() throws {
    let path = "Tests/ReportTests/Records.txt"
    let records = Samples.words.map { notice, _ in
      let message = notice.message
      let fields = message.fields.map { "\($0.field.rawValue)=\($0.text)\n" }.joined()
      return "MESSAGE_ID=\(message.number)\nPRIORITY=\(message.priority.rawValue)\n\(fields)"
    }
    let text = records.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["DARKROOM_REWRITE"]?.isEmpty == false {
      try text.write(toFile: Repository.path(path), atomically: true, encoding: .utf8)
    }
    #expect(text == Repository.text(path))
  }

  @Test func `every field has a name that journald keeps`() {
    for field in Field.allCases {
      #expect(field.rawValue.wholeMatch(of: /[A-Z][A-Z0-9_]{0,63}/) != nil, "\(field)")
    }
  }

  @Test func `a finished photo carries all its measures`() {
    let fields = Notice.photoFinished(Samples.finished).message.fields.map {
      "\($0.field.rawValue)=\($0.text)"
    }
    #expect(
      fields == [
        "LIST_ID=17", "LIST_NAME=holiday", "PHOTO_ID=4", "PHOTO_NAME=Barn", "PHOTO_STATE=filtered",
        "PHOTO_STATE_FROM=downloaded", "PHOTO_URL_HOST=photos.example.org", "QOS=default",
        "ATTEMPT=2", "PHOTO_BYTES=38123", "PHOTO_WIDTH=1024", "PHOTO_HEIGHT=768",
        "PHOTO_FORMAT=jpeg", "PHOTO_PRINT=holiday/Barn.jpg", "HTTP_STATUS=200",
        "DOWNLOAD_USEC=120000", "FILTER_USEC=34000", "OUTPUT_USEC=1500", "QUEUED_USEC=0",
      ])
  }

  @Test func `the parts that a print lacks are one field, which is absent if there are none`() {
    let fields = Notice.photoFinished(Samples.reduced).message.fields
    #expect(
      fields.first { $0.field == .photoNotices }?.text
        == "preview-removed,profile-dropped,metadata-dropped")
    let whole = Notice.photoFinished(Samples.finished).message.fields
    #expect(!whole.contains { $0.field == .photoNotices })
  }

  @Test func `a failed photo says in which stage, why, and what to do`() {
    let fields = Notice.photoFailed(Samples.failed, .download, Samples.refused).message.fields
    let shown = fields.map { "\($0.field.rawValue)=\($0.text)" }
    #expect(
      Array(shown.suffix(5)) == [
        "HTTP_STATUS=404", "STAGE=download", "ERROR_KIND=connect.refused",
        "REASON=connection refused", "ADVICE=Look whether the server is up.",
      ])
  }

  @Test func `a change of a list says whose list it is, and who has changed it`() {
    func people(_ notice: Notice) -> [String] {
      notice.message.fields.filter {
        $0.field.rawValue.contains("_UID") || $0.field.rawValue.contains("ER_NAME")
      }
      .map { "\($0.field.rawValue)=\($0.text)" }
    }
    #expect(
      people(.listCancelled(Samples.list(by: Person(0, name: "root")))) == [
        "OWNER_UID=1000", "OWNER_NAME=anna", "CALLER_UID=0", "CALLER_NAME=root",
      ])
    #expect(
      people(.listPaused(Samples.list)) == [
        "OWNER_UID=", "OWNER_NAME=", "CALLER_UID=", "CALLER_NAME=",
      ])
    #expect(
      people(.cacheCleared(by: Person(1001))) == ["CALLER_UID=1001", "CALLER_NAME=1001"])
    var photo = Samples.failed
    photo.owner = Person(1000, name: "anna")
    #expect(
      people(.photoFailed(photo, .download, Samples.missing)) == [
        "OWNER_UID=1000", "OWNER_NAME=anna",
      ])
  }

  @Test func `every notice that has the number of a user has the name as well`() {
    for notice in Samples.of(Person(1000)) {
      var names = PersonNames { _ in "anna" }
      let message = notice.message(&names)
      let people = message.fields.filter {
        [.ownerNumber, .ownerName, .callerNumber, .callerName].contains($0.field)
      }
      #expect(!people.isEmpty && !message.words.contains("user 1000"), "\(message)")
      #expect(Set(people.map(\.text)).subtracting(["1000", "anna", ""]) == [])
      for value in people where [.ownerName, .callerName].contains(value.field) {
        #expect(value.text != "1000", "\(message)")
      }
    }
  }

  @Test func `a name cannot forge a line, whatever it contains`() {
    let list = ListFacts(id: ListID(1), name: "a\nPRIORITY=0\u{1B}]", total: 1)
    let name = Notice.listAccepted(list).message.fields.first { $0.field == .listName }
    #expect(name?.text == "a\\nPRIORITY=0\\x1b]")
  }

  @Test func `no field is sent twice in one record`() {
    for (notice, _) in Samples.words {
      let message = notice.message
      let fields = message.fields.map(\.field)
      #expect(Set(fields).count == fields.count, "\(message.number)")
    }
  }
}

@Suite struct CatalogTests {
  /// The entries of the catalog: number → text.
  static func entries() throws -> [String: String] {
    var entries: [String: String] = [:]
    var id = ""
    for line in Repository.text("systemd/darkroom.catalog").split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("-- ") {
        id = String(line.dropFirst(3))
        #expect(entries[id] == nil, "\(id) stands twice")
        entries[id] = ""
      } else {
        entries[id, default: ""] += line + "\n"
      }
    }
    entries[""] = nil
    return entries
  }

  /// The words between two `@`.
  static func fields(in text: String) -> Set<String> {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return Set(parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) })
  }

  @Test func `every message has an entry in the catalog, and no entry is without a message`() throws
  {
    #expect(Set(try Self.entries().keys) == Set(Samples.numbersInSources))
  }

  @Test func `every field an entry names is carried by the record, in each of its forms`() throws {
    let entries = try Self.entries()
    for (notice, _) in Samples.words {
      let message = notice.message
      let named = Self.fields(in: try #require(entries[message.number]))
      let carried = Set(message.fields.map(\.field.rawValue))
      #expect(named.subtracting(carried) == [], "\(message.number)")
    }
  }

  @Test func `every entry has a subject, says who defined it and where to read on`() throws {
    for (id, text) in try Self.entries() {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count > 4, "\(id)")
      #expect(lines[0].hasPrefix("Subject: ") && lines[1] == "Defined-By: darkroom", "\(id)")
      #expect(lines[2].hasPrefix("Documentation: man:") && lines[3].isEmpty, "\(id)")
    }
  }

  @Test func `every field and every message is in the manual page`() throws {
    let page = Repository.text("man/darkroom-journal-fields.7")
    let lines = Set(page.split(separator: "\n").map(String.init))
    for field in Field.allCases { #expect(lines.contains(".B \(field.rawValue)="), "\(field)") }
    for number in Samples.numbersInSources { #expect(page.contains(number), "\(number)") }
  }
}
