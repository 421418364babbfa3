// SPDX-License-Identifier: Apache-2.0
// The list or photo that records are wanted of. A list is more than the records with its number: a file has none
// before it is a list, and a rejected one has another. A value.

package import JournalReader
package import Steer
internal import Vocabulary

package struct LogSubject: Equatable, Sendable {
  package private(set) var conditions: [JournalQuery.Condition] = []
  /// Records with another number, or none, count only in this time.
  private var number: UInt64?
  private var time: ClosedRange<UInt64> = 0...UInt64.max

  /// All records of the daemon.
  package static let everything = LogSubject()

  /// A list that the daemon knows. A number means that list; a name also the files of this name that came after the
  /// list before it.
  package static func list(
    _ reference: ListReference, _ list: ListSummary, among lists: [ListSummary]
  ) -> LogSubject {
    var subject = LogSubject()
    subject.number = list.id
    let before = lists.filter { $0.name == list.name && $0.id < list.id }.map(\.accepted).max()
    let end = reference.number == list.id ? max(list.accepted, before ?? 0) : UInt64.max
    subject.time = (before ?? 0)...end
    subject.conditions = [
      [["LIST_ID=\(list.id)"]] + files(list.name, endings: ListName.endingTexts)
    ]
    return subject
  }

  /// A list that the daemon does not know, or cannot be asked about.
  package static func unknown(_ reference: ListReference) -> LogSubject {
    var subject = LogSubject()
    let number = reference.number.map { [["LIST_ID=\($0)"]] } ?? []
    let name = ListName(reference.text).text
    subject.conditions = [number + files(name, endings: [""] + ListName.endingTexts)]
    return subject
  }

  /// The matches of the files that become a list of this name.
  private static func files(_ name: String, endings: [String]) -> JournalQuery.Condition {
    let names = ["", ListName.retryMark].flatMap { mark in endings.map { name + mark + $0 } }
    return ["LIST_NAME", "FILE_NAME"].map { field in names.map { match(field, $0) } }
  }

  /// As the daemon writes it.
  private static func match(_ field: String, _ value: String) -> String {
    "\(field)=\(Printable.text(value, limit: 1000))"
  }

  /// Only this photo, by its number or name.
  package mutating func add(photo: String) {
    let number = ListReference(photo).number
    conditions.append(
      [[number.map { "PHOTO_ID=\($0)" } ?? Self.match("PHOTO_NAME", photo)]])
  }

  package func covers(_ record: LogRecord) -> Bool {
    number == nil || record.list == number || time.contains(record.time)
  }
}
