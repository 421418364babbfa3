// SPDX-License-Identifier: Apache-2.0
// The waiting files that were reported, and news about them. A file is reported once when it runs into trouble
// or proves unreadable, when the reason changes, and when that is over. A value; bounded, since a thousand
// files on a full disk have one cause.

package import Vocabulary

package struct WaitNews: Sendable {
  package struct Item: Equatable, Sendable {
    package let name: FileName
    /// Nil when the wait is over.
    package let failure: Failure?
  }

  package static let maximum = 100

  private var told: [Candidate.Key: Failure] = [:]

  package init() {}

  /// The news of a file after an action, if any. A nil file is gone.
  package mutating func look(_ key: Candidate.Key, _ file: WaitingFile?) -> Item? {
    switch file?.phase {
    case .troubled(let failure, _, _), .unreadable(let failure):
      if let last = told[key] {
        // Compare codes: the words may name another call each time.
        if last.code == failure.code { return nil }
      } else if told.count >= Self.maximum {
        return nil
      }
      told[key] = failure
      return Item(name: key.name, failure: failure)
    case .settling, .busy, .postponed: return nil  // not known yet
    case .held, .quiet, .doubtful, .queued, .leftBehind, .withoutPictures, nil:
      return told.removeValue(forKey: key).map { _ in Item(name: key.name, failure: nil) }
    }
  }

  /// Forgets reported files that are gone; returns the news of that.
  package mutating func forget(all but: (Candidate.Key) -> Bool) -> [Item] {
    told.keys.filter { !but($0) }.compactMap { look($0, nil) }
  }
}
