// SPDX-License-Identifier: Apache-2.0
// Tells a restored backup or a copy of the state folder from the original. Both would assign list numbers a
// second time; each begins a new generation, with numbers above all that may have been assigned. A value;
// raises nothing. `LineageCheck` does the reading and writing.

import Vocabulary

struct Lineage: Equatable, Sendable {
  /// The identity of a file; a copy has another.
  struct Place: Equatable, Sendable {
    let inode: UInt64
    /// Nanoseconds since 1970; 0 on a file system that does not keep it.
    let birth: Int64
  }

  enum Verdict: Equatable, Sendable {
    case same
    /// The first start in this folder.
    case first
    /// The folder is a copy, and no reported list is missing from its record.
    case copied
    /// This list was reported, but the record is older.
    case older(reported: ListID)
  }

  /// A copy of the folder has the same id until its first start.
  let id: String
  let generation: UInt64
  /// New lists get numbers above this one.
  let floor: ListID
  /// The place of the file that holds this value.
  let place: Place

  // MARK: judging

  /// - Parameters:
  ///   - known: from the state folder; nil if it is missing or cannot be read.
  ///   - place: of the file that holds `known`.
  ///   - recorded: the highest number in the record.
  ///   - reported: the highest number noted in `done`.
  static func judge(
    _ known: Lineage?, at place: Place?, recorded: ListID, reported: ListID?
  ) -> Verdict {
    if let reported, reported > recorded { return .older(reported: reported) }
    guard let known else { return reported == nil ? .first : .copied }
    return known.place == place ? .same : .copied
  }

  /// The number above which a start numbers new lists. The time keeps two restores of one backup apart: no
  /// machine accepts a thousand lists a second for long.
  static func floor(_ verdict: Verdict, recorded: ListID, now: UInt64) -> ListID {
    let time = ListID(now > epoch ? now - epoch : 0)
    return switch verdict {
    case .same, .first: ListID(0)
    case .copied: max(recorded, time)
    case .older(let reported): max(recorded, reported, time)
    }
  }

  /// 2026-01-01, in milliseconds since 1970.
  private static let epoch: UInt64 = 1_767_225_600_000

  // MARK: text

  var text: String {
    """
    ID=\(id)
    Generation=\(generation)
    Floor=\(floor)
    Inode=\(place.inode)
    Birth=\(place.birth)

    """
  }
}

extension Lineage {
  init?(text: String) {
    var values = KeyedLines()
    for line in Array(text.utf8).split(separator: 0x0A) {
      guard values.add(line) else { return nil }
    }
    guard let id = values["ID"], id.count == 16, id.allSatisfy(\.isHexDigit),
      let generation = values["Generation"].flatMap({ UInt64($0) }),
      let floor = values["Floor"].flatMap({ UInt64($0) }),
      let inode = values["Inode"].flatMap({ UInt64($0) }),
      let birth = values["Birth"].flatMap({ Int64($0) })
    else { return nil }
    self.init(
      id: String(id), generation: generation, floor: ListID(floor),
      place: Place(inode: inode, birth: birth))
  }
}
