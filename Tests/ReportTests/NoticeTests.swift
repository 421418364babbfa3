// SPDX-License-Identifier: Apache-2.0
// The words, numbers and fields of every message, and the catalog and manual page that explain
// them.

import Foundation
import Linux
import Report
import Support
import Testing
import Vocabulary

@Suite struct NoticeTests {
  @Test(
    "every message says what happened, to what, why, and what follows", arguments: Samples.words)
  func words(notice: Notice, words: String) { #expect(notice.words == words) }

  @Test func `every kind of message has a sample, and so is tested`() {
    #expect(Set(Samples.words.map(\.0.messageID)) == Set(MessageID.allCases))
  }

  @Test func `message numbers are 128 bits of hex and all different`() {
    for id in MessageID.allCases {
      #expect(id.rawValue.utf8.count == 32)
      #expect(id.rawValue.allSatisfy { "0123456789abcdef".contains($0) })
    }
    #expect(Set(MessageID.allCases.map(\.rawValue)).count == MessageID.allCases.count)
  }

  @Test(
    "people can filter messages by priority",
    arguments: [
      (.journalUnwritable, 2), (.photoFailed, 5), (.listRejected, 5), (.fileUnreadable, 5),
      (.configurationRejected, 3), (.retryScheduled, 5), (.hostClosed, 4),
      (.machineTrouble, 4), (.journalDamaged, 4), (.recordsCoalesced, 4), (.listFinished, 5),
      (.listProgress, 5), (.journalReplayed, 5), (.photoFinished, 6), (.transition, 7),
    ] as [(MessageID, UInt8)])
  func priorities(id: MessageID, priority: UInt8) { #expect(id.priority.rawValue == priority) }

  /// `Samples` has the words. After a change, `DARKROOM_REWRITE=1 swift test --filter NoticeTests` writes the file again.
  @Test func `each record has its number, its priority and its fields`() throws {
    let path = "Tests/ReportTests/Records.txt"
    let records = Samples.words.map { notice, _ in
      let message = notice.message
      let fields = message.fields.map { "\($0.field.rawValue)=\($0.text)\n" }.joined()
      return "MESSAGE_ID=\(message.id.rawValue)\nPRIORITY=\(message.priority.rawValue)\n\(fields)"
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
    let fields = Notice.photoFinished(Samples.finished).fields.map {
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
    let fields = Notice.photoFinished(Samples.reduced).fields
    #expect(
      fields.first { $0.field == .photoNotices }?.text
        == "preview-removed,profile-dropped,metadata-dropped")
    #expect(!Notice.photoFinished(Samples.finished).fields.contains { $0.field == .photoNotices })
  }

  @Test func `a failed photo says in which stage, why, and what to do`() {
    let fields = Notice.photoFailed(Samples.failed, .download, Samples.refused).fields
    let shown = fields.map { "\($0.field.rawValue)=\($0.text)" }
    #expect(
      Array(shown.suffix(5)) == [
        "HTTP_STATUS=404", "STAGE=download", "ERROR_KIND=connect.refused",
        "REASON=connection refused", "ADVICE=Look whether the server is up.",
      ])
  }

  @Test func `a change of a list says whose list it is, and who has changed it`() {
    func people(_ notice: Notice) -> [String] {
      notice.fields.filter {
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

  @Test func `a name cannot forge a line, whatever it contains`() {
    let list = ListFacts(id: ListID(1), name: "a\nPRIORITY=0\u{1B}]", total: 1)
    let name = Notice.listAccepted(list).fields.first { $0.field == .listName }
    #expect(name?.text == "a\\nPRIORITY=0\\x1b]")
  }

  @Test func `no field is sent twice in one record`() {
    for (notice, _) in Samples.words {
      let fields = notice.fields.map(\.field)
      #expect(Set(fields).count == fields.count, "\(notice.messageID)")
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
    #expect(Set(try Self.entries().keys) == Set(MessageID.allCases.map(\.rawValue)))
  }

  @Test func `every field an entry names is carried by the record, in each of its forms`() throws {
    let entries = try Self.entries()
    for (notice, _) in Samples.words {
      let named = Self.fields(in: try #require(entries[notice.messageID.rawValue]))
      let carried = Set(notice.fields.map(\.field.rawValue))
      #expect(named.subtracting(carried) == [], "\(notice.messageID)")
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
    for id in MessageID.allCases {
      #expect(page.contains(id.rawValue), "\(id)")
    }
  }
}
