// SPDX-License-Identifier: Apache-2.0
// Removes the prints of lists that ended longer ago than KeepPrints=, and the folders of those that ended longer ago
// than KeepLists=, and forgets those lists. A list that has prints to remove is kept until then. A clock that has just
// been set removes nothing. A crash leaves the whole list, or a record without a folder, which the next start forgets;
// prints that were hidden are removed after the next start. Raises nothing: a failed removal is tried again later, and
// that of prints is reported.
// Concurrency model: the task in `run` alone removes, after `forgetRemoved` and `resume` at the start; other
// tasks ring. A look reads all ended lists, so the end of a list does not ring while `isTimed`. A clock that was set is
// noticed at the next look, a day later at most.

import Linux
import Record
import Return
import Synchronization
import Vocabulary

final class ListRetention: Sendable {
  private struct Progress: Sendable {
    var steady: SteadyClock
    /// The lists whose prints are hidden and not removed yet.
    var hidden: Set<ListID>
    /// The next look for lists that the record has forgotten, which reads the names of all folders.
    var survey = Duration.zero
    var isSurveyed = true
  }

  /// The pause before prints that are hidden are removed again.
  private static let again = Duration.seconds(60)
  /// Between two looks for lists that the record has forgotten.
  private static let surveyPause = Duration.seconds(60)

  private let recorder: Recorder
  private let index: ListIndex
  private let folders: StateFolders
  private let settings: LiveSettings
  private let narrator: Narrator
  private let health: HealthBoard
  private let clock: any Timekeeper
  /// At the start.
  private let steady: SteadyClock
  let bell = ChangeSignal()
  /// The next look comes by itself, before a list that ends now may be removed.
  private let timed = Atomic(false)

  init(
    _ recorder: Recorder, _ index: ListIndex, _ folders: StateFolders, settings: LiveSettings,
    _ narrator: Narrator, _ health: HealthBoard, clock: any Timekeeper
  ) {
    self.recorder = recorder
    self.index = index
    self.folders = folders
    self.settings = settings
    self.narrator = narrator
    self.health = health
    self.clock = clock
    steady = SteadyClock(wall: clock.wallTime(), uptime: clock.uptime())
  }

  private var lists: any Folder { folders.lists }

  private func expiry(in prints: any Folder) -> PrintsExpiry {
    PrintsExpiry(lists: folders.lists, prints: prints)
  }

  /// Those from before this machine became a node are apart.
  private var expiries: [PrintsExpiry] {
    ([folders.prints] + (folders.alone.map { [$0] } ?? [])).map { expiry(in: $0) }
  }

  /// Call when KeepLists= or KeepPrints= has changed.
  func look() { bell.changed() }

  /// Call when a list has ended.
  func listEnded() { if !isTimed { look() } }

  var isTimed: Bool { timed.load(ordering: .sequentiallyConsistent) }

  /// Call at the start: forgets lists whose folders an earlier run removed. May wait for a disk.
  /// - Parameter isNode: this machine is a node, or was one: shares of a cluster are removed when they end, whatever their age.
  func forgetRemoved(isNode: Bool) {
    let old = OldLists(lists)
    try? old.sweep()
    // Not for the clock's sake: nothing is left of them that a wrong clock could cost.
    let (keep, now) = (keepLists, clock.wallTime())
    for list in ended() where isNode || keep.isOver(since: list.since, now: now) {
      if (try? old.isGone(list.list)) == true { recorder.forget(list.list) }
    }
  }

  /// Call at the start, when the index has been read and before a new list is accepted: notes the lists whose prints a
  /// crash has left hidden, and returns them. May wait for a disk.
  func resume() -> [ListID] {
    let pending = expiries.flatMap { (try? $0.pending()) ?? [] }
    let swept = ((try? folders.unwanted?.all()) ?? []).map(\.list)
    for list in pending + swept {
      guard let prints = index[list]?.terms.prints, index.expiry(of: list) == nil else { continue }
      note([list] + index.forerunners(of: list), prints, at: clock.wallTime())
    }
    return pending
  }

  /// Runs until it is cancelled. Call it after the inbox has recovered. `hidden`: from `resume`.
  func run(_ hidden: [ListID]) async {
    var progress = Progress(steady: steady, hidden: Set(hidden))
    while !Task.isCancelled {
      // A list that ends from here on rings, or is seen below.
      timed.store(false, ordering: .sequentiallyConsistent)
      let seen = bell.version
      progress = await onDisk { [progress] in removeDue(progress) }
      if let pause = pause(progress) {
        timed.store(
          pause <= min(keepLists.time, keepPrints?.time ?? keepLists.time),
          ordering: .sequentiallyConsistent)
        await bell.change(after: seen, within: pause, on: clock)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  // MARK: prints

  /// Prints go before the lists, which may wait for that.
  private func removeDue(_ before: Progress) -> Progress {
    var progress = before
    progress.steady.note(wall: clock.wallTime(), uptime: clock.uptime())
    let old = OldLists(lists)
    let forgotten = survey(old, &progress)
    if let keep = keepPrints, wait(keep, progress) == .zero {
      // Their folders of prints may be those of lists that are known.
      for list in forgotten { _ = index.read(list.list, from: lists) }
      let now = clock.wallTime()
      for (list, since) in ended() + forgotten where keep.isOver(since: since, now: now) {
        if Task.isCancelled { return progress }
        guard holdsPrints(list), (try? old.isRemovable(list)) == true else { continue }
        if expire(list, at: now) { progress.hidden.insert(list) }
      }
    }
    clear(&progress.hidden)
    if wait(keepLists, progress) == .zero { removeLists(old, forgotten) }
    return progress
  }

  /// The lists that the record has forgotten, if a look for them is due.
  private func survey(
    _ old: OldLists, _ progress: inout Progress
  ) -> [(list: ListID, since: UInt64)] {
    let now = clock.uptime()
    progress.isSurveyed = progress.survey <= now
    guard progress.isSurveyed else { return [] }
    progress.survey = now + Self.surveyPause
    return (try? old.unknown { list in recorder.ledger { $0[list] != nil } }) ?? []
  }

  /// True if there were prints, which are hidden now.
  private func expire(_ list: ListID, at time: UInt64) -> Bool {
    guard let prints = index.beginExpiry(of: list) else { return false }
    let line = [list] + index.forerunners(of: list)
    do throws(SystemError) {
      switch place(of: list) {
      case .folder(let home):
        let isHidden = try expiry(in: home).hide(prints, of: list)
        note(line, prints, at: isHidden ? time : 0)
        return isHidden
      case .stored:
        // `StoreSweeper` removes and reports them.
        try folders.unwanted?.add(list, prints)
        note(line, prints, at: time)
      case .elsewhere: index.endExpiry(prints, of: line, at: nil)
      }
    } catch { index.endExpiry(prints, of: line, at: nil) }
    return false
  }

  private func place(of list: ListID) -> StateFolders.PrintsPlace {
    index[list].map { folders.place(of: $0.terms) } ?? .elsewhere
  }

  /// True if this machine can remove the list's prints, and has not.
  private func holdsPrints(_ list: ListID) -> Bool {
    if case .elsewhere = place(of: list) { false } else { index.holdsPrints(list) }
  }

  /// The newest list comes last: without its note, the next start repeats the others.
  private func note(_ line: [ListID], _ prints: FileName, at time: UInt64) {
    for list in line.reversed() where (try? expiries[0].note(list, at: time)) == nil { break }
    index.endExpiry(prints, of: line, at: time)
    narrator.changed()
  }

  private func clear(_ hidden: inout Set<ListID>) {
    var trouble: Failure?
    for list in hidden.sorted() {
      if Task.isCancelled { return }
      let time = index.expiry(of: list) ?? clock.wallTime()
      do throws(SystemError) {
        for expiry in expiries {
          try expiry.note(list, at: time)
          try expiry.clear(list)
        }
      } catch {
        trouble = trouble ?? error.machineFailure
        continue
      }
      hidden.remove(list)
      narrator.expired(list)
    }
    health.set(trouble, for: .expiry)
  }

  // MARK: lists

  /// A removal that fails is tried again at the next look.
  private func removeLists(_ old: OldLists, _ forgotten: [(list: ListID, since: UInt64)]) {
    let (keep, now) = (keepLists, clock.wallTime())
    // `StoreSweeper` reports the end of their prints.
    let unswept = Set(((try? folders.unwanted?.all()) ?? []).map(\.list))
    for (list, time) in ended() where keep.isOver(since: time, now: now) {
      if Task.isCancelled { return }
      // Asked for each: a removal takes long, and a retry may have begun meanwhile.
      if needed().contains(list) || waitsForPrints(list) || unswept.contains(list) { continue }
      guard (try? old.isRemovable(list)) == true, (try? old.remove(list)) != nil else { continue }
      recorder.forget(list)
      index.forget(list)
    }
    for (list, since) in forgotten where keep.isOver(since: since, now: now) {
      if waitsForPrints(list) || unswept.contains(list) { continue }
      try? old.remove(list)
      // The record forgets the oldest lists by itself.
      index.forget(list)
    }
  }

  /// The ended lists whose prints an open list may still take over.
  private func needed() -> Set<ListID> {
    Set(recorder.ledger { $0.openLists.map(\.id) }.flatMap(index.predecessors))
  }

  /// Only a known list can tell where its prints are.
  private func waitsForPrints(_ list: ListID) -> Bool {
    keepPrints != nil && holdsPrints(list)
  }

  // MARK: time

  private var keepLists: Retention { Retention(settings.current.record.keepLists) }
  private var keepPrints: Retention? { settings.current.record.keepPrints.map { Retention($0) } }

  /// How long it takes until the clock is believed.
  private func wait(_ keep: Retention, _ progress: Progress) -> Duration {
    progress.steady.wait(for: keep.time, at: clock.uptime())
  }

  private func ended() -> [(list: ListID, since: UInt64)] {
    recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }.map { ($0.id, $0.endedTime) }
    }
  }

  /// Nil until a list ends.
  private func pause(_ progress: Progress) -> Duration? {
    let now = clock.wallTime()
    let ended = ended()
    func pause(_ keep: Retention, _ lists: [UInt64]) -> Duration? {
      keep.pause(until: lists, now: now).map { max($0, wait(keep, progress)) }
    }
    let pauses = [
      pause(keepLists, ended.filter { !waitsForPrints($0.list) }.map(\.since)),
      keepPrints.flatMap { keep in
        pause(keep, ended.filter { holdsPrints($0.list) }.map(\.since))
      },
      progress.hidden.isEmpty ? nil : Self.again,
      progress.isSurveyed ? nil : progress.survey - clock.uptime(),
    ]
    return pauses.compactMap { $0 }.min()
  }
}
