// SPDX-License-Identifier: Apache-2.0
// Which folders of the inbox a look goes through, and how many files it looks at: a folder may have very many files, and every
// look would take seconds. A user has a budget of files for all folders together, whatever their names, so that no rename
// and no new folder goes around it. A folder that is not due costs one stat of the folder itself: a change of its own
// status ends its rest. A value.

internal import Vocabulary

struct RollWalks: Sendable {
  /// A folder without pictures is looked through again after this time: changes below it, or of another machine, do not
  /// ring.
  static let interval: Duration = .seconds(60)
  /// Files in the folders of a user that are looked at in the interval; the last folder may exceed it.
  static let limit = Roll.maximumEntries
  /// For each file.
  private static let cost: Duration = interval / limit
  /// Between looks at folders for which the budget was spent, because each look begins with all folders.
  private static let pause: Duration = .seconds(1)

  /// A folder in the inbox, as this look found it.
  struct Top: Equatable, Sendable {
    let key: Candidate.Key
    let status: FileStatus
  }

  /// A folder of an earlier look.
  struct Known: Sendable {
    /// Of the whole roll.
    let status: FileStatus
    /// Of the folder alone, before it was looked through; nil if it has not been.
    let top: FileStatus?
    /// When it was last looked through or, if it has not been, first seen.
    let since: Duration
    let isDue: Bool
    /// Until its own status changes, or a while has passed.
    let rests: Bool
  }

  enum Turn: Equatable, Sendable {
    /// It is not due, and is as it was.
    case skip(Top)
    case walk(Top)
  }

  private var known: [Candidate.Key: Known] = [:]
  /// Watches that rang; not looked through since.
  private var rung: Set<Candidate.Key> = []
  /// The time for which a user's budget has been used up, which lies ahead by the interval when all of it is.
  private var spent: [UInt32: Duration] = [:]

  /// A look begins.
  mutating func begin(_ known: [Candidate.Key: Known], at now: Duration) {
    self.known = known
    rung = rung.filter { known[$0] != nil }
    spent = spent.filter { $0.value > now }
  }

  func knows(_ name: FileName) -> Bool { known[Candidate.Key(name)] != nil }

  mutating func ring(_ names: Set<FileName>) { rung.formUnion(names.map { Candidate.Key($0) }) }

  /// The folder that was looked through the longest ago comes first, new ones last.
  func turns(_ tops: [Top], at now: Duration) -> [Turn] {
    let order = tops.map { (top: $0, since: known[$0.key]?.since ?? now) }
      .sorted { ($0.since, $0.top.key.name) < ($1.since, $1.top.key.name) }
    return order.map { isWanted($0.top, at: now) ? .walk($0.top) : .skip($0.top) }
  }

  private func isWanted(_ top: Top, at now: Duration) -> Bool {
    guard let known = known[top.key], isSame(known, top) else { return true }
    if known.isDue { return true }
    guard known.rests else { return false }
    return rung.contains(top.key) || known.top != top.status
  }

  private func isSame(_ known: Known, _ top: Top) -> Bool {
    known.status.inode == top.status.inode && known.status.device == top.status.device
  }

  /// The known status of a folder that is not looked through; if another folder has the name now, its own status.
  func status(of top: Top) -> FileStatus {
    known[top.key].flatMap { isSame($0, top) ? $0.status : nil } ?? top.status
  }

  /// When the next folder of the user is looked through, if not now.
  func next(for owner: UInt32, at now: Duration) -> Duration? {
    guard let spent = spent[owner], spent > now + Self.interval else { return nil }
    return max(spent - Self.interval, now + Self.pause)
  }

  mutating func pay(_ entries: Int, for key: Candidate.Key, of owner: UInt32, at now: Duration) {
    spent[owner] = max(spent[owner] ?? now, now) + Self.cost * (entries + 1)
    rung.remove(key)
  }
}
