// SPDX-License-Identifier: Apache-2.0
// Removes lists that were returned longer ago than KeepLists= from the ledger, and their files from the shelf. A list
// belongs to the first node that asks for it, until that node has removed the list or is dead. The ledger's clock
// decides whether the list is old enough. Nothing is removed within an hour of a start or of a changed setting (see
// ExpiryGrace). Raises nothing: the trouble of a removal is shown, and the removal tried again.
// Concurrency: immutable; the task in `run` alone removes.

import Cluster
import Linux
import Return
import Vocabulary

struct LedgerRetention: OnGround {
  let ground: Ground
  let office: any ListOffice
  let shelf: any ListShelf
  let leaseTime: Duration

  private static let longestPause = Duration.seconds(3600)

  func run() async {
    var keep = settings.current.record.keepLists
    var begin = clock.uptime()
    while !Task.isCancelled {
      let new = settings.current.record.keepLists
      if new != keep { (keep, begin) = (new, clock.uptime()) }
      if clock.uptime() - begin >= ground.grace.proof { await removeOld(keep) }
      await clock.rest(max(leaseTime / 2, min(keep / 8, Self.longestPause)))
    }
  }

  private func removeOld(_ keep: Duration) async {
    var trouble: Failure?
    do throws(Failure) {
      for list in try await office.retire(olderThan: keep) {
        // Trouble with one list holds up no other.
        do throws(Failure) { try await remove(list) } catch { trouble = error }
      }
    } catch { trouble = error }
    // `ShareDesk` tells that the ledger does not answer.
    if Task.isCancelled || trouble?.isLedgerSilence == true { return }
    if trouble != health.health[.retired] { health.set(trouble, for: .retired) }
  }

  /// The files first: a crash leaves a list in the ledger that is removed again.
  private func remove(_ list: LedgerList) async throws(Failure) {
    if let origin = try await office.submission(of: list)?.origin, let name = FileName(origin) {
      try await onDisk { () throws(Failure) in
        try shelf.remove(name)
      }
    }
    try await office.retired(list)
  }
}
