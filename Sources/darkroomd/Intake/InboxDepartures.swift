// SPDX-License-Identifier: Apache-2.0
// The last files that left the inbox, with the list or the rejection of each, for the users who dropped them: up to 100
// of each user, so that no user makes the daemon forget why a file of another was rejected. In memory only. Raises nothing.
// Concurrency model: one Mutex.

import Steer
import Synchronization
import Vocabulary

final class InboxDepartures: Sendable {
  struct Departure: Sendable {
    let list: ListID
    let file: String
    let owner: UInt32
    /// The reason of a rejection; nil if it was accepted.
    let rejection: OwnersReason?

    /// The rejection of an earlier file of the same owner and name.
    fileprivate func isAnswered(by later: Departure) -> Bool {
      rejection != nil && owner == later.owner
        && ListName(file).stem == ListName(later.file).stem
    }
  }

  /// Of one user.
  static let maximum = 100
  /// Of all users.
  static let maximumInAll = 2000

  private struct State {
    /// The newest last.
    private(set) var files: [Departure] = []
    private var counts: [UInt32: Int] = [:]
    private(set) var rejected = 0

    mutating func add(_ file: Departure) {
      if file.rejection != nil { rejected += 1 }
      if let answered = files.firstIndex(where: { $0.isAnswered(by: file) }) { lose(answered) }
      files.append(file)
      counts[file.owner, default: 0] += 1
      if counts[file.owner, default: 0] > InboxDepartures.maximum { loseOne(of: file.owner) }
      if files.count > InboxDepartures.maximumInAll, let most = counts.values.max(),
        let first = files.first(where: { counts[$0.owner] == most })
      {
        loseOne(of: first.owner)
      }
    }

    /// The oldest accepted file; the oldest rejected one if no other was accepted before the newest file.
    private mutating func loseOne(of owner: UInt32) {
      let own = files.indices.filter { files[$0].owner == owner }
      if let file = own.dropLast().first(where: { files[$0].rejection == nil }) ?? own.first {
        lose(file)
      }
    }

    private mutating func lose(_ place: Int) {
      let owner = files.remove(at: place).owner
      let left = counts[owner, default: 1] - 1
      counts[owner] = left > 0 ? left : nil
    }
  }

  private let state = Mutex(State())

  /// The newest last.
  var all: [Departure] { state.withLock { $0.files } }
  /// The number of all files rejected since the start.
  var rejected: Int { state.withLock { $0.rejected } }

  func note(_ list: ListID, _ file: String, of owner: UInt32, rejected reason: String? = nil) {
    let rejection = reason.map { OwnersReason($0, of: owner) }
    state.withLock {
      $0.add(Departure(list: list, file: file, owner: owner, rejection: rejection))
    }
  }

  /// The user's own files, and the last ones of others, as many as one user may have. The newest last.
  func shown(to user: UInt32) -> [Departure] {
    let files = all
    var room = Self.maximum - files.count { $0.owner == user }
    let shown = files.reversed().filter { file in
      if file.owner == user { return true }
      room -= 1
      return room >= 0
    }
    return shown.reversed()
  }

  /// The newest file of this reference that is meant, if its number is above `list`.
  func newest(
    of reference: ListReference, after list: UInt64,
    where isMeant: (Departure) -> Bool = { _ in true }
  ) -> Departure? {
    all.last { $0.list.number > list && reference.means(file: $0.file) && isMeant($0) }
  }
}
