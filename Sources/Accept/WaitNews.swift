// SPDX-License-Identifier: Apache-2.0
// Which waiting files people were told of, and what is new about them: said once when a file begins to
// wait for something that does not pass by itself, when the reason changes, and when it is over. A
// value; bounded, since a thousand files on a full disk have one cause.

package import Vocabulary

package struct WaitNews: Sendable {
  package struct Item: Equatable, Sendable {
    package let name: FileName
    /// nil: it waits no more.
    package let failure: Failure?
  }

  package static let maximum = 100

  private var told: [Candidate.Key: Failure] = [:]

  package init() {}

  /// What is new once a file was dealt with; nil as file where it is gone.
  package mutating func look(_ key: Candidate.Key, _ file: WaitingFile?) -> Item? {
    switch file?.phase {
    case .troubled(let failure, _, _), .unreadable(let failure):
      if let last = told[key] {
        // The code is the reason: its words may name another call each time.
        if last.code == failure.code { return nil }
      } else if told.count >= Self.maximum {
        return nil
      }
      told[key] = failure
      return Item(name: key.name, failure: failure)
    case .settling, .busy: return nil  // not known yet
    case .held, .quiet, .doubtful, .queued, .leftBehind, nil:
      return told.removeValue(forKey: key).map { _ in Item(name: key.name, failure: nil) }
    }
  }

  /// What was told of and is not there any more.
  package mutating func forget(all but: (Candidate.Key) -> Bool) -> [Item] {
    told.keys.filter { !but($0) }.compactMap { look($0, nil) }
  }
}
