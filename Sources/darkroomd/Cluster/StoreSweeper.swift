// SPDX-License-Identifier: Apache-2.0
// Removes from the store the prints that belong to no list any more. Reports expired prints after their removal. A
// late request of a frozen node may make such a print again, so the task removes the prints a second time, when
// nearly all late requests are over. The task removes nothing before this run has entered the ledger and has found
// the mark of the ledger in the store, because the settings may name the store of another cluster. Raises nothing: a
// removal that fails is shown, and tried again.
// Concurrency: immutable; the task in `run` alone removes, many objects at once in `onStore`.

import Linux
import Output
import Return
import Vocabulary

struct StoreSweeper: Sendable {
  let folders: StateFolders
  let index: ListIndex
  let narrator: Narrator
  let health: HealthBoard
  let clock: any Timekeeper
  let leaseTime: Duration

  /// By then, requests of nodes that were frozen are over, except requests for the longest prints.
  private static let lateness = Duration.seconds(900)
  /// Requests at a time.
  private static let width = 8

  init(_ ground: Ground, leaseTime: Duration) {
    self.init(
      folders: ground.folders, index: ground.index, narrator: ground.narrator,
      health: ground.health, clock: ground.clock, leaseTime: leaseTime)
  }

  init(
    folders: StateFolders, index: ListIndex, narrator: Narrator, health: HealthBoard,
    clock: any Timekeeper, leaseTime: Duration
  ) {
    (self.folders, self.index, self.narrator) = (folders, index, narrator)
    (self.health, self.clock, self.leaseTime) = (health, clock, leaseTime)
  }

  func run() async {
    guard let unwanted = folders.unwanted else { return }
    // When the prints of a list are removed for the second time.
    var due: [ListID: Duration] = [:]
    while !Task.isCancelled {
      let known = health.health
      if known.standstill == nil, known.place == .own {
        do throws(Failure) {
          let notes = try await onDisk { () throws(Failure) in
            try asMachine { () throws(SystemError) in try unwanted.all() }
          }
          health.set(await remove(notes, unwanted, &due), for: .unwanted)
        } catch { health.set(error, for: .unwanted) }
      }
      await clock.rest(leaseTime / 2)
    }
  }

  /// Trouble with one object holds up no other list.
  private func remove(
    _ notes: [(list: ListID, prints: FileName)], _ unwanted: UnwantedPrints,
    _ due: inout [ListID: Duration]
  ) async -> Failure? {
    var trouble: Failure?
    for (list, prints) in notes {
      do throws(Failure) { try await remove(prints, of: list, unwanted, &due) } catch {
        if error == .cancelled { return trouble }
        trouble = trouble ?? error
        if ["store.unreachable", "store.busy"].contains(error.code) { return trouble }
      }
    }
    return trouble
  }

  private func remove(
    _ prints: FileName, of list: ListID, _ unwanted: UnwantedPrints, _ due: inout [ListID: Duration]
  ) async throws(Failure) {
    if let time = due[list], clock.uptime() < time { return }
    guard let stored = folders.stored(prints) else { return }
    try await removeAll(stored)
    if due.removeValue(forKey: list) == nil {
      due[list] = clock.uptime() + Self.lateness + leaseTime
      // A list that was removed is not known any more.
      if index[list] != nil { narrator.expired(list, isResting: false) }
      return
    }
    try await onDisk { () throws(Failure) in
      try asMachine { () throws(SystemError) in try unwanted.remove(list) }
    }
  }

  private func removeAll(_ stored: StoredPrints) async throws(Failure) {
    var last: [ObjectKey] = []
    while true {
      let keys = try await onStore { () throws(Failure) in try stored.some() }
      if keys.isEmpty { return }
      guard keys != last else { throw Self.stays }
      last = keys
      let failure = await withTaskGroup(of: Failure?.self) { group in
        for part in 0..<Self.width {
          let own = stride(from: part, to: keys.count, by: Self.width).map { keys[$0] }
          group.addTask { await remove(own, from: stored) }
        }
        return await group.reduce(nil) { $0 ?? $1 }
      }
      if let failure { throw failure }
    }
  }

  private func remove(_ keys: [ObjectKey], from stored: StoredPrints) async -> Failure? {
    do throws(Failure) {
      for key in keys { try await onStore { () throws(Failure) in try stored.remove(key) } }
      return nil
    } catch { return error }
  }

  private static let stays = Failure(
    .machine, scope: .one, code: "store.answer",
    reason: "the store lists objects that it has removed")
}
