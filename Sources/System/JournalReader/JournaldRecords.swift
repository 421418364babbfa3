// SPDX-License-Identifier: Apache-2.0
// The records of journald that a query wants, in the order of time, forwards and backwards. Raises `SystemError`;
// records that the caller may not read are left out silently, see `JournaldRights`.
// Concurrency: for one thread.

internal import CJournal
internal import Linux
package import Vocabulary

@safe package struct JournaldRecords: ~Copyable {
  private let journal: UnsafeMutableRawPointer

  package static func open(_ query: JournalQuery) throws(SystemError) -> JournaldRecords {
    let records = try JournaldRecords()
    for (place, condition) in query.conditions.enumerated() {
      if place > 0 { try records.and() }
      for (place, matches) in condition.enumerated() {
        if place > 0 { try records.or() }
        for match in matches { try records.add(match) }
      }
    }
    return records
  }

  private init() throws(SystemError) {
    var opened: UnsafeMutableRawPointer?
    try Calls.run("sd_journal_open", "journal") { unsafe dr_journal_open(&opened) }
    guard let opened = unsafe opened else {
      throw SystemError(.invalid, call: "sd_journal_open", thing: "journal")
    }
    unsafe journal = opened
  }

  deinit { unsafe dr_journal_close(journal) }

  @discardableResult
  private func run(
    _ call: StaticString, _ body: () -> Int32
  ) throws(SystemError) -> Int32 {
    try Calls.run(call, "journal", body)
  }

  private func add(_ match: String) throws(SystemError) {
    let bytes = Array(match.utf8)
    try run("sd_journal_add_match") {
      unsafe dr_journal_match(journal, bytes, UInt64(bytes.count))
    }
  }

  private func and() throws(SystemError) {
    try run("sd_journal_add_conjunction") { unsafe dr_journal_and(journal) }
  }

  private func or() throws(SystemError) {
    try run("sd_journal_add_disjunction") { unsafe dr_journal_or(journal) }
  }

  /// Goes before the first record.
  package func rewind() throws(SystemError) {
    try run("sd_journal_seek_head") { unsafe dr_journal_head(journal) }
  }

  /// Goes behind the last record.
  package func wind() throws(SystemError) {
    try run("sd_journal_seek_tail") { unsafe dr_journal_tail(journal) }
  }

  /// False if there is no later record.
  package func next() throws(SystemError) -> Bool {
    try run("sd_journal_next") { unsafe dr_journal_next(journal) } > 0
  }

  /// False if there is no earlier record.
  package func previous() throws(SystemError) -> Bool {
    try run("sd_journal_previous") { unsafe dr_journal_previous(journal) } > 0
  }

  /// Waits for later records, without limit; may return early.
  package func wait() throws(SystemError) {
    try run("sd_journal_wait") { unsafe dr_journal_wait(journal) }
  }

  // MARK: the record

  /// A field's value; nil if the record does not have it.
  package func value(_ field: String) -> String? {
    var (data, count) = unsafe (UnsafeRawPointer?.none, UInt64(0))
    guard unsafe dr_journal_field(journal, field, &data, &count) >= 0, let data = unsafe data
    else { return nil }
    let all = unsafe UnsafeRawBufferPointer(start: data, count: Int(count))
    return unsafe String(decoding: all.dropFirst(field.utf8.count + 1), as: UTF8.self)
  }

  /// In milliseconds since 1970.
  package var time: UInt64 {
    var microseconds: UInt64 = 0
    return unsafe dr_journal_time(journal, &microseconds) < 0 ? 0 : microseconds / 1000
  }

  /// The text of the message catalog about the record; nil if there is none.
  package var explanation: String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe dr_journal_catalog(journal, &text) >= 0, let text = unsafe text else { return nil }
    defer { unsafe dr_journal_free(text) }
    return unsafe String(cString: text)
  }
}
