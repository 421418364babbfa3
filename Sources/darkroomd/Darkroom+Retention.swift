// SPDX-License-Identifier: Apache-2.0
// Forgets lists that were over long ago, with their folders. A crash in between leaves either the whole
// list or a record without a folder, which the next start forgets.

import Accept
import Linux
import Record
import Synchronization
import Vocabulary

extension Darkroom {
  /// At start, before anybody asks: what an earlier run removed is not told of any more.
  func forgetRemovedLists() {
    let old = OldLists(shelf.folders.lists)
    try? old.sweep()
    for (list, ended) in endedLists() where isKeptLongEnough(ended) {
      if (try? old.isGone(list)) == true { recorder.forget(list) }
    }
  }

  /// Removes what is due and sees to it that this is done again in time. Not while the inbox makes
  /// sense of the folders at start.
  func removeOldLists() {
    guard !isStopping, isSettled else { return }
    lane.run {
      let old = OldLists(self.shelf.folders.lists)
      let needed = self.neededLists()
      for (list, ended) in self.endedLists()
      where self.isKeptLongEnough(ended) && !needed.contains(list) {
        // What cannot be removed now is tried again the next time.
        if (try? old.isArchived(list)) == true { self.remove(list, old) }
      }
      let unknown = try? old.unknown { list in self.recorder.ledger { $0[list] != nil } }
      for (list, since) in unknown ?? [] where self.isKeptLongEnough(since) {
        try? old.remove(list)
      }
      self.awaitOldLists()
    }
  }

  private func remove(_ list: ListID, _ old: OldLists) {
    guard (try? old.remove(list)) != nil else { return }
    recorder.forget(list)
    shelf.forget(list)
    news.changed(list)
  }

  /// A list is over: it may have been so for longer than lists are kept, where its copy took its time.
  func lookAfterOldLists() {
    if endedLists().contains(where: { isKeptLongEnough($0.ended) }) {
      removeOldLists()
    } else {
      awaitOldLists()
    }
  }

  /// One timer, for the list that is due first; none where no list is over.
  func awaitOldLists() {
    let retention = Retention(settings.current.keepLists)
    let pause = retention.pause(until: endedLists().map(\.ended), now: clock.wallTime())
    retentionTimer.withLock { timer in
      timer?.cancel()
      timer = pause.map { clock.after($0) { [weak self] in self?.removeOldLists() } }
    }
  }

  /// What lists at work may still take over from.
  private func neededLists() -> Set<ListID> {
    var needed: Set<ListID> = []
    for list in recorder.ledger({ $0.openLists.map(\.id) }) {
      var next = shelf.card(list)?.terms.revises
      while let earlier = next, needed.insert(earlier).inserted {
        next = shelf.card(earlier)?.terms.revises
      }
    }
    return needed
  }

  private func isKeptLongEnough(_ ended: UInt64) -> Bool {
    Retention(settings.current.keepLists).isOver(since: ended, now: clock.wallTime())
  }

  private func endedLists() -> [(list: ListID, ended: UInt64)] {
    recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }.map { ($0.id, $0.endedTime) }
    }
  }
}
