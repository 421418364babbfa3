// SPDX-License-Identifier: Apache-2.0
// Removes the folders of lists that ended longer ago than KeepLists=, and forgets the lists. A crash leaves
// the whole list, or a record without a folder, which the next start forgets. Raises nothing: a failed
// removal is tried again later.
// Concurrency model: the task in `run` alone removes, after `forgetRemoved` at the start; other tasks ring.

import Linux
import Record
import Return
import Vocabulary

final class ListRetention: Sendable {
  private let recorder: Recorder
  private let index: ListIndex
  private let lists: any Folder
  private let settings: LiveSettings
  private let clock: any Timekeeper
  private let bell = ChangeSignal()

  init(
    _ recorder: Recorder, _ index: ListIndex, lists: any Folder, settings: LiveSettings,
    clock: any Timekeeper
  ) {
    self.recorder = recorder
    self.index = index
    self.lists = lists
    self.settings = settings
    self.clock = clock
  }

  /// Call when a list has ended or KeepLists= has changed.
  func look() { bell.changed() }

  /// Call at the start: forgets lists whose folders an earlier run removed. May wait for a disk.
  func forgetRemoved() {
    let old = OldLists(lists)
    try? old.sweep()
    for list in due() where (try? old.isGone(list)) == true { recorder.forget(list) }
  }

  /// Runs until it is cancelled. Call it after the inbox has recovered.
  func run() async {
    while !Task.isCancelled {
      let seen = bell.version
      await onDisk { removeDue() }
      let now = clock.wallTime()
      if let pause = retention.pause(until: ended().map(\.time), now: now) {
        await bell.change(after: seen, within: pause, on: clock)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  /// A removal that fails is tried again at the next look.
  private func removeDue() {
    let old = OldLists(lists)
    for list in due() {
      if Task.isCancelled { return }
      // Asked for each: a removal takes long, and a retry may have begun meanwhile.
      if needed().contains(list) { continue }
      guard (try? old.isRemovable(list)) == true, (try? old.remove(list)) != nil else { continue }
      recorder.forget(list)
      index.forget(list)
    }
    let now = clock.wallTime()
    let unknown = try? old.unknown { list in recorder.ledger { $0[list] != nil } }
    for (list, since) in unknown ?? [] where retention.isOver(since: since, now: now) {
      try? old.remove(list)
      // The record forgets the oldest lists by itself.
      index.forget(list)
    }
  }

  /// The ended lists whose prints an open list may still take over.
  private func needed() -> Set<ListID> {
    Set(recorder.ledger { $0.openLists.map(\.id) }.flatMap(index.predecessors))
  }

  private var retention: Retention { Retention(settings.current.record.keepLists) }

  private func due() -> [ListID] {
    let now = clock.wallTime()
    return ended().filter { retention.isOver(since: $0.time, now: now) }.map(\.list)
  }

  private func ended() -> [(list: ListID, time: UInt64)] {
    recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }.map { ($0.id, $0.endedTime) }
    }
  }
}
