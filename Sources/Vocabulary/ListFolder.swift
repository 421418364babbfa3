// SPDX-License-Identifier: Apache-2.0
// The names below STATE/lists: a list's folder N with its files, and the folders that do not count as
// lists. Pure.

package enum ListFolder {
  package static let list = FileName(literal: "list.plist")
  package static let catalog = FileName(literal: "catalog")
  package static let about = FileName(literal: "about")
  /// A row for each photo that is over.
  package static let results = FileName(literal: "results")
  /// True if the dropped file has left the inbox.
  package static let state = FileName(literal: "state")
  /// Of a list that was made of dropped pictures: the pictures, and where they lay.
  package static let roll = FileName(literal: "roll")
  /// Marks that the list's files are in `done` and `failed`.
  package static let returned = FileName(literal: "returned")
  /// Marks that its results and pictures are in `done` and `failed`, or will never be, and its copy waits for the list.
  package static let resulted = FileName(literal: "resulted")
  /// Marks that the list's prints were removed because of their age.
  package static let expired = FileName(literal: "expired")

  package static func name(_ list: ListID) -> FileName { FileName(number: list.number) }

  /// A list that is not accepted yet.
  package static func staged(_ list: ListID) -> FileName { hidden("staged", list) }
  package static func damaged(_ list: ListID) -> FileName { hidden("damaged", list) }
  /// A list that is about to be removed.
  package static func old(_ list: ListID) -> FileName { hidden("old", list) }

  /// A list that its owner removes.
  package static func removed(_ list: ListID) -> FileName { hidden("removed", list) }

  /// Nil for a name of another kind.
  package static func removedNumber(_ name: FileName) -> ListID? { number(name, after: "removed") }

  /// Among the prints: the prints of a list that ended long ago.
  package static func expired(_ list: ListID) -> FileName { hidden("expired", list) }

  /// Nil for a name of another kind.
  package static func expiredNumber(_ name: FileName) -> ListID? { number(name, after: "expired") }

  package static func isStaged(_ name: FileName) -> Bool { isHidden("staged", name) }
  package static func isOld(_ name: FileName) -> Bool { isHidden("old", name) }

  /// The list whose folder has this name; nil for any other name.
  package static func number(_ name: FileName) -> ListID? {
    guard let number = UInt64(String(decoding: name.bytes, as: UTF8.self)),
      FileName(number: number) == name
    else { return nil }
    return ListID(number)
  }

  /// A dropped picture, by the number of its photo.
  package static func picture(_ number: UInt32) -> FileName {
    FileName(made: "\(picturePrefix)\(number)")
  }

  /// Nil for a name of another kind.
  package static func pictureNumber(_ name: FileName) -> UInt32? {
    guard name.bytes.starts(with: picturePrefix.utf8) else { return nil }
    return UInt32(String(decoding: name.bytes.dropFirst(picturePrefix.utf8.count), as: UTF8.self))
  }

  package static func isPicture(_ name: FileName) -> Bool { pictureNumber(name) != nil }

  private static let picturePrefix = "picture-"

  private static func hidden(_ word: String, _ list: ListID) -> FileName {
    FileName(made: ".\(word)-\(list)")
  }

  private static func number(_ name: FileName, after word: String) -> ListID? {
    guard isHidden(word, name) else { return nil }
    return FileName(bytes: name.bytes.dropFirst(word.utf8.count + 2)).flatMap(number)
  }

  private static func isHidden(_ word: String, _ name: FileName) -> Bool {
    name.bytes.starts(with: ".\(word)-".utf8)
  }
}

/// Why a list that is over is not returned whole: a file of its folder is lost. A person has to mend that, or removes the
/// list: until then the list has what its other files yield.
package enum ListLoss: String, CaseIterable, Sendable {
  /// The list in its folder is not there, or not the list that was dropped.
  case missing, changed
  /// A file is there, and cannot be read.
  case unread
  /// The file that cannot be read has the name of the list.
  case nameless

  package var code: String { "list.\(rawValue)" }

  /// The next attempt to read the file may succeed.
  package var mayPass: Bool {
    switch self {
    case .missing, .changed: false
    case .unread, .nameless: true
    }
  }

  /// A list waits for this trouble of the machine.
  package init?(_ failure: Failure) {
    guard let loss = Self.allCases.first(where: { $0.code == failure.code }) else { return nil }
    self = loss
  }

  package func failure(_ reason: String) -> Failure {
    Failure(
      .machine, scope: .one, code: code, reason: reason,
      advice: "Put the file back, or remove the list")
  }

  /// The failure of reading a file of the list's folder. Trouble of the whole machine, and damage, stay what they are.
  package static func failure(reading failure: Failure) -> Failure {
    guard failure.kind == .machine, failure.scope == .one, Self(failure) == nil else {
      return failure
    }
    return unread.failure(failure.reason)
  }
}
