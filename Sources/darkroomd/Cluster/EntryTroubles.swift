// SPDX-License-Identifier: Apache-2.0
// The troubles of the lists that were dropped at this node, from the two tasks that look after them. A list shows one
// trouble; while both tasks have met one, it is the one with the ledger. A value; raises nothing.

import Vocabulary

struct EntryTroubles: Sendable {
  enum Source: Hashable, Sendable {
    /// Its state in the ledger cannot be recorded here.
    case ledger
    /// Its files are not on the shelf.
    case files
  }

  /// The trouble that is shown from now on; nil if there is none any more.
  struct News: Equatable, Sendable {
    let failure: Failure?
  }

  private var troubles: [ListID: [Source: Failure]] = [:]

  /// Nil for a list that was in no trouble and is in none. Others may have hidden the trouble, so one that goes on is shown
  /// again.
  mutating func set(_ failure: Failure?, of source: Source, for list: ListID) -> News? {
    let before = shown(list)
    troubles[list, default: [:]][source] = failure
    if troubles[list]?.isEmpty == true { troubles[list] = nil }
    let now = shown(list)
    return now == nil && before == nil ? nil : News(failure: now)
  }

  mutating func forget(_ list: ListID) { troubles[list] = nil }

  private func shown(_ list: ListID) -> Failure? {
    troubles[list].flatMap { $0[.ledger] ?? $0[.files] }
  }
}
