// SPDX-License-Identifier: Apache-2.0
// The candidates, each in a place. No user can close the inbox for the others, because a user has at most an eighth of
// the places; root and the daemon's user have no share. Places are counted where a candidate is set, so that nothing
// that changes or removes a candidate can forget to count. A value.

internal import Linux
internal import Vocabulary

/// Limits on candidates; others are taken up when these go.
package struct WaitingLimits: Equatable, Sendable {
  package var total: Int
  /// The users without a share: root and the daemon's user.
  package var keepers: Set<UInt32>
  package var share: Int { max(1, total / 8) }

  package init(total: Int = 100_000, keepers: Set<UInt32> = ThisProcess.keepers) {
    (self.total, self.keepers) = (total, keepers)
  }
}

/// Those whose files wait because of a limit.
package enum InboxCrowd: Hashable, Comparable, Sendable {
  /// All places are taken while more files are there.
  case everyone
  /// The same of one user.
  case user(UInt32)
  /// The daemon keeps as many lists of the user as it keeps of one user.
  case lists(UInt32)
}

struct WaitingPlaces: Sendable {
  let limits: WaitingLimits
  private(set) var files: [Candidate.Key: WaitingFile] = [:]
  private var owners: [UInt32: Int] = [:]
  /// As the last sweep found it.
  private(set) var crowd: Set<InboxCrowd> = []
  /// So many places are free again that a sweep is worth its cost: half of a share, or an eighth of all. The safety
  /// sweep takes up single files, because otherwise a sweep of 100,000 names would follow each file that leaves.
  private(set) var hasRoom = false

  init(_ limits: WaitingLimits) { self.limits = limits }

  subscript(key: Candidate.Key) -> WaitingFile? {
    get { files[key] }
    set {
      let (before, after) = (files[key]?.candidate.status.owner, newValue?.candidate.status.owner)
      files[key] = newValue
      if before == after { return }
      if let after { owners[after, default: 0] += 1 }
      if let before { giveBack(before) }
    }
  }

  /// A sweep begins. The candidates that it did not find leave first: their places are free for its new files.
  mutating func sweep(keeping isThere: (WaitingFile) -> Bool) {
    for (key, file) in files where !isThere(file) { self[key] = nil }
    crowd = []
    hasRoom = false
  }

  /// True if there is a place for another file of this user.
  mutating func admits(_ owner: UInt32) -> Bool {
    if !limits.keepers.contains(owner), owners[owner, default: 0] >= limits.share {
      crowd.insert(.user(owner))
      return false
    }
    if files.count >= limits.total {
      crowd.insert(.everyone)
      return false
    }
    return true
  }

  private mutating func giveBack(_ owner: UInt32) {
    let left = owners[owner, default: 1] - 1
    owners[owner] = left > 0 ? left : nil
    if crowd.contains(.user(owner)), left <= limits.share / 2 { hasRoom = true }
    if crowd.contains(.everyone), files.count <= limits.total - limits.share { hasRoom = true }
  }
}
