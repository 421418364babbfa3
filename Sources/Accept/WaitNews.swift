// SPDX-License-Identifier: Apache-2.0
// The waiting files that were reported, and news about them. A file is reported once when it runs into trouble
// or proves unreadable, when the reason changes, and when that is over. A value; bounded, since a thousand
// files on a full disk have one cause. The files of one user take at most half of the free places, so that they do not
// hide the files of another.

package import Vocabulary

package struct WaitNews: Sendable {
  package struct Item: Equatable, Sendable {
    package let name: FileName
    /// Nil when the wait is over.
    package let failure: Failure?
  }

  package static let maximum = 100

  private struct Report {
    let failure: Failure
    let owner: UInt32
  }

  private var told: [Candidate.Key: Report] = [:]
  private var counts: [UInt32: Int] = [:]

  package init() {}

  /// The news of a file after an action, if any. A nil file is gone.
  package mutating func look(_ key: Candidate.Key, _ file: WaitingFile?) -> Item? {
    guard let file else { return end(key) }
    switch file.phase {
    case .troubled(let failure, _, _), .unreadable(let failure):
      return tell(key, failure, of: file.candidate.status.owner)
    case .covered: return tell(key, .covered, of: file.candidate.status.owner)
    case .settling, .ready, .busy, .postponed: return nil  // not known yet
    case .held, .late, .quiet, .doubtful, .queued, .leftBehind, .withoutPictures: return end(key)
    }
  }

  private mutating func tell(
    _ key: Candidate.Key, _ failure: Failure, of owner: UInt32
  ) -> Item? {
    if let last = told[key] {
      // Compare codes: the words may name another call each time.
      if last.failure.code == failure.code { return nil }
      // The name may belong to another user now.
      forget(key)
    } else if counts[owner, default: 0] >= Self.maximum - told.count {
      return nil
    }
    told[key] = Report(failure: failure, owner: owner)
    counts[owner, default: 0] += 1
    return Item(name: key.name, failure: failure)
  }

  private mutating func end(_ key: Candidate.Key) -> Item? {
    forget(key) ? Item(name: key.name, failure: nil) : nil
  }

  /// False if it was not told.
  @discardableResult
  private mutating func forget(_ key: Candidate.Key) -> Bool {
    guard let report = told.removeValue(forKey: key) else { return false }
    let left = counts[report.owner, default: 1] - 1
    counts[report.owner] = left > 0 ? left : nil
    return true
  }

  /// Forgets reported files that are gone; returns the news of that.
  package mutating func forget(all but: (Candidate.Key) -> Bool) -> [Item] {
    told.keys.filter { !but($0) }.compactMap { look($0, nil) }
  }
}
