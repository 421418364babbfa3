// SPDX-License-Identifier: Apache-2.0
// The ignored names in the inbox that are remembered, each with its reason: only some of very many. If all places are
// taken, a user with less than a share gets the place of the user with most names, so that no user can hide why the
// file of another is ignored. The owner of each name is asked once, and the owners of some names in each sweep; a folder
// counts as root's. A value.

internal import Vocabulary

struct IgnoredNames: Sendable {
  static let most = InboxState.maximumIgnored
  static let share = most / 8
  /// Names without a place whose owners are not asked again.
  private static let mostRefused = 100_000
  /// Names for whose status one sweep asks. Of more, each sweep asks for others, so that one user does not
  /// hide the names of another.
  static let mostAsked = 2_000

  /// The number of the sweep.
  private(set) var turn = 0

  private(set) var reasons: [FileName: IgnoredReason] = [:]
  private var owners: [FileName: UInt32] = [:]
  private var counts: [UInt32: Int] = [:]
  /// The hashes of names that have no place although their owners are known.
  private var refused: Set<Int> = []
  /// The same two of the sweep that is under way.
  private var seen: Set<FileName> = []
  private var refusing: Set<Int> = []

  /// False for a name whose owner a sweep need not ask for.
  func wantsOwner(of name: FileName) -> Bool {
    reasons[name] == nil && !refused.contains(name.hashValue)
  }

  /// A name without a place whose owner is known.
  func isRefused(_ name: FileName) -> Bool {
    !refused.isEmpty && reasons[name] == nil && refused.contains(name.hashValue)
  }

  mutating func begin() {
    (seen, refusing) = ([], [])
    turn += 1
  }

  /// True if the name or its reason is new. The owner is nil if it is not known, or was not asked for.
  mutating func note(_ name: FileName, _ reason: IgnoredReason, of owner: UInt32?) -> Bool {
    if let known = reasons[name] {
      seen.insert(name)
      reasons[name] = reason
      return known != reason
    }
    if reasons.count >= Self.most {
      guard let owner, counts[owner, default: 0] < Self.share, makeRoom() else {
        if owner != nil || refused.contains(name.hashValue) { refuse(name) }
        return false
      }
    }
    seen.insert(name)
    reasons[name] = reason
    owners[name] = owner ?? 0
    counts[owner ?? 0, default: 0] += 1
    return true
  }

  /// The name is still there, and its owner is not known.
  mutating func pass(_ name: FileName) {
    if reasons[name] != nil {
      seen.insert(name)
    } else if refused.contains(name.hashValue) {
      refuse(name)
    }
  }

  /// Forgets the names that the sweep has not found. Their places are for the next one.
  mutating func end() {
    if seen.count < reasons.count {
      for name in reasons.keys where !seen.contains(name) { forget(name) }
    }
    refused = reasons.count < Self.most ? [] : refusing
  }

  /// False if no user has more than a share.
  private mutating func makeRoom() -> Bool {
    guard let (owner, count) = counts.max(by: { $0.value < $1.value }), count > Self.share,
      let name = owners.first(where: { $0.value == owner })?.key
    else { return false }
    forget(name)
    refuse(name)
    return true
  }

  private mutating func refuse(_ name: FileName) {
    if refusing.count < Self.mostRefused { refusing.insert(name.hashValue) }
  }

  private mutating func forget(_ name: FileName) {
    reasons[name] = nil
    seen.remove(name)
    guard let owner = owners.removeValue(forKey: name) else { return }
    let left = counts[owner, default: 1] - 1
    counts[owner] = left > 0 ? left : nil
  }
}
