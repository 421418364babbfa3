// SPDX-License-Identifier: Apache-2.0
// Removes the prints of lists that ended longer ago than KeepPrints=, and the folders of lists that ended longer ago
// than KeepLists=, and forgets those lists. A list that has prints to remove is kept until then. A start, a clock that
// was set and a setting that was changed remove nothing for an hour, and prints rest for a day before they go (see
// ExpiryGrace). It reports at the start, and after a change of either setting, what goes within a day. A crash leaves
// the whole list, or a record without a folder, which the next start removes; prints that were hidden are removed after
// the next start, when they have rested. Raises nothing: a failed removal is tried again later, and of prints reported.
// Concurrency model: the task in `run` alone removes, after `forgetRemoved` and `resume` at the start; other
// tasks ring. One Mutex holds the state that people are told. A look reads all ended lists, so the end of a list does not
// ring while `isTimed`. A clock that was set is noticed at the next look, a day later at most.

import Linux
import Record
import Report
import Return
import Synchronization
import Vocabulary

final class ListRetention: Sendable {
  private typealias Terms = RetentionTerms
  private typealias Outlook = RetentionOutlook
  private typealias Progress = RetentionProgress

  /// The pause before the disk is asked again which prints are hidden.
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
  private let grace: ExpiryGrace
  /// Nil where no list is returned.
  private let keeper: ListKeeper?
  /// At the start.
  private let first: (terms: Terms, steady: SteadyClock)
  let bell = ChangeSignal()
  /// The next look comes by itself, before a list that ends now may be removed.
  private let timed = Atomic(false)
  private let outlook: Mutex<Outlook>

  init(
    _ recorder: Recorder, _ index: ListIndex, _ folders: StateFolders, settings: LiveSettings,
    _ narrator: Narrator, _ health: HealthBoard, clock: any Timekeeper,
    grace: ExpiryGrace = .full, keeper: ListKeeper? = nil
  ) {
    self.keeper = keeper
    (self.recorder, self.index, self.folders) = (recorder, index, folders)
    self.settings = settings
    self.narrator = narrator
    self.health = health
    self.clock = clock
    self.grace = grace
    first = (
      Terms(settings.current.record),
      SteadyClock(wall: clock.wallTime(), uptime: clock.uptime(), proof: grace.proof)
    )
    outlook = Mutex(
      Outlook(
        terms: first.terms, believed: clock.uptime() + grace.proof, steady: first.steady))
  }

  private var lists: any Folder { folders.lists }

  private func expiry(in prints: any Folder) -> PrintsExpiry {
    PrintsExpiry(lists: lists, prints: prints)
  }

  /// Those from before this machine became a node are apart.
  private func expiries(_ isForeign: Bool) -> [PrintsExpiry] {
    let shared = folders.isShared && isForeign ? [] : [folders.prints]
    return (shared + [folders.alone].compactMap(\.self)).map { expiry(in: $0) }
  }

  /// Call when KeepLists= or KeepPrints= has changed.
  func look() { bell.changed() }
  func listEnded() { if !isTimed { look() } }

  var isTimed: Bool { timed.load(ordering: .sequentiallyConsistent) }

  /// Call at the start: forgets lists whose folders an earlier run removed. May wait for a disk.
  /// - Parameter isNode: this machine is a node, or was one: shares of a cluster are removed when they end, whatever their age.
  func forgetRemoved(isNode: Bool) {
    let old = OldLists(lists)
    try? old.sweep()
    // Not for the clock's sake: nothing is left that a wrong clock could cost.
    let (keep, now) = (first.terms.lists, clock.wallTime())
    for list in ended() where isNode || keep.isOver(since: list.since, now: now) {
      if (try? old.isGone(list.list)) == true { recorder.forget(list.list) }
    }
  }

  /// Call at the start, when the index has been read and before a new list is accepted: notes the lists whose prints a
  /// crash has left hidden, and returns them; nil if the disk does not tell now. May wait for a disk.
  func resume() -> [ListID]? { isForeign ? nil : pending(false) }

  private var isForeign: Bool { health.health.foreignPlace != nil }

  private func pending(_ isForeign: Bool) -> [ListID]? {
    var pending: [ListID] = []
    do throws(SystemError) {
      for expiry in expiries(isForeign) { pending += try expiry.pending() }
    } catch {
      health.set(error.machineFailure, for: .expiry)
      return nil
    }
    let swept = ((try? folders.unwanted?.all()) ?? []).map(\.list)
    for list in pending + swept {
      guard let prints = index[list]?.terms.prints, index.expiry(of: list) == nil else { continue }
      note([list] + index.forerunners(of: list), prints, at: clock.wallTime())
      if pending.contains(list), rests { narrator.expired(list, isResting: true) }
    }
    return pending
  }

  /// Runs until it is cancelled. Call it after the inbox has recovered. `hidden`: from `resume`.
  func run(_ hidden: [ListID]?) async {
    var progress = Progress(
      terms: first.terms, steady: first.steady, hidden: hidden.map(rests(of:)))
    outlook.withLock { $0.resting = progress.hidden ?? [:] }
    announce()
    while !Task.isCancelled {
      // A list that ends from here on rings, or is seen below.
      timed.store(false, ordering: .sequentiallyConsistent)
      let seen = bell.version
      progress.lives = await keeper?.lives()
      progress = await onDisk { [progress] in removeDue(progress) }
      // A copy that is kept makes the keeper's next change copy all lives.
      progress.lives = nil
      show(progress)
      if let pause = pause(progress) {
        timed.store(pause <= progress.terms.shortest, ordering: .sequentiallyConsistent)
        await bell.change(after: seen, within: pause, on: clock)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  private func show(_ progress: Progress) {
    guard let hidden = progress.hidden else { return }
    let unseen = outlook.withLock { $0.resting }.filter { isUndecided($0.key, progress) }
    outlook.withLock { $0.resting = unseen.merging(hidden) { $1 } }
  }

  // MARK: prints

  /// Prints go before the lists, which may wait for that. Nothing goes until the prints are known that are hidden. While the
  /// shared place may be another one, its lists stay: they would be noted as lists without prints.
  private func removeDue(_ before: Progress) -> Progress {
    var progress = before
    judge(&progress)
    progress.isForeign = isForeign
    if progress.isForeign || before.isForeign { progress.hidden = nil }
    progress.hidden = progress.hidden ?? pending(progress.isForeign).map(rests(of:))
    guard var hidden = progress.hidden else { return progress }
    let old = OldLists(lists)
    let forgotten = survey(old, &progress)
    let isBelieved = wait(progress) == .zero && health.health.standstill == nil
    var trouble: Failure?
    if let keep = progress.terms.prints, isBelieved {
      // Their folders of prints may belong to lists that are known.
      for list in forgotten { _ = index.read(list.list, from: lists) }
      let now = clock.wallTime()
      for (list, since) in ended() + forgotten where keep.isOver(since: since, now: now) {
        progress.hidden = hidden
        if Task.isCancelled { return progress }
        guard !isUndecided(list, progress), holdsPrints(list), (try? old.isRemovable(list)) == true
        else { continue }
        if expire(list, at: now, &progress.left, &trouble) { hidden[list] = now }
      }
    }
    if isBelieved { clear(&hidden, expiries(progress.isForeign), trouble) }
    progress.hidden = hidden
    if isBelieved { removeLists(old, forgotten, progress) }
    return progress
  }

  /// The settings are read once for a look: a changed setting begins the proof again.
  private func judge(_ progress: inout Progress) {
    let (wall, uptime) = (clock.wallTime(), clock.uptime())
    progress.steady.note(wall: wall, uptime: uptime)
    let terms = Terms(settings.current.record)
    let isChanged = terms != progress.terms
    if isChanged {
      progress.terms = terms
      progress.steady = SteadyClock(wall: wall, uptime: uptime, proof: grace.proof)
    }
    let believed = uptime + progress.steady.wait(at: uptime)
    outlook.withLock { ($0.terms, $0.believed) = (terms, believed) }
    if isChanged { announce() }
  }

  /// The lists that the record has forgotten, if a look for them is due.
  private func survey(
    _ old: OldLists, _ progress: inout Progress
  ) -> [(list: ListID, since: UInt64)] {
    let now = clock.uptime()
    progress.isSurveyed = progress.survey <= now
    guard progress.isSurveyed else { return [] }
    progress.survey = now + Self.surveyPause
    let found = (try? old.unknown { list in recorder.ledger { $0[list] != nil } }) ?? []
    let ends = found.map { EndTimes.End($0.list, ended: $0.since) }
    return progress.ends.since(ends, now: clock.wallTime(), uptime: now)
  }

  /// True if there were prints, which are hidden now.
  private func expire(
    _ list: ListID, at time: UInt64, _ left: inout Set<ListID>, _ trouble: inout Failure?
  ) -> Bool {
    guard let prints = index.beginExpiry(of: list) else { return false }
    let line = [list] + index.forerunners(of: list)
    do throws(SystemError) {
      switch place(of: list) {
      case .folder(let home):
        let mark = index[list]?.terms.mark(of: list)
        let isHidden = try expiry(in: home).hide(prints, of: list, mark)
        let wasLeft = left.remove(list) != nil
        if !isHidden {
          let standing = try PrintsStanding(of: prints, in: home, for: mark)
          if !wasLeft { narrator.missed(line, standing, of: prints, in: home) }
          if standing.isLeft {
            left.insert(list)
            index.endExpiry(prints, of: line, at: nil)
            return false
          }
        }
        note(line, prints, at: isHidden ? time : 0)
        if isHidden, rests { narrator.expired(list, isResting: true) }
        return isHidden
      case .stored:
        // `StoreSweeper` removes and reports them.
        try folders.unwanted?.add(list, prints)
        note(line, prints, at: time)
      case .elsewhere: index.endExpiry(prints, of: line, at: nil)
      }
    } catch {
      index.endExpiry(prints, of: line, at: nil)
      trouble = trouble ?? error.machineFailure
    }
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
    let expiry = expiry(in: folders.prints)
    for list in line.reversed() where (try? expiry.note(list, at: time)) == nil { break }
    index.endExpiry(prints, of: line, at: time)
    narrator.changed()
  }

  /// Removes the prints that have rested.
  /// - Parameter earlier: of prints that could not be set aside.
  private func clear(
    _ hidden: inout [ListID: UInt64], _ expiries: [PrintsExpiry], _ earlier: Failure?
  ) {
    var trouble = earlier
    let now = clock.wallTime()
    // Of a wrong clock.
    for (list, time) in hidden where !EndTimes.isPossible(time, now: now) { hidden[list] = now }
    for (list, time) in hidden.sorted(by: { $0.key < $1.key })
    where rest.isOver(since: time, now: now) {
      if Task.isCancelled { return }
      do throws(SystemError) {
        for expiry in expiries { try expiry.clear(list) }
      } catch {
        trouble = trouble ?? error.machineFailure
        continue
      }
      hidden[list] = nil
      if !rests { narrator.expired(list, isResting: false) }
    }
    health.set(trouble, for: .expiry)
  }

  // MARK: lists

  /// A removal that fails is tried again at the next look. A list stays as long as its prints rest, because its folder
  /// has the time.
  private func removeLists(
    _ old: OldLists, _ forgotten: [(list: ListID, since: UInt64)], _ progress: Progress
  ) {
    let (keep, now) = (progress.terms.lists, clock.wallTime())
    // `StoreSweeper` reports the end of their prints.
    let unswept = Set(((try? folders.unwanted?.all()) ?? []).map(\.list))
    for (list, time) in ended() where keep.isOver(since: time, now: now) {
      if Task.isCancelled { return }
      // Asked for each: a removal takes long, and a retry may have begun meanwhile.
      if needed().contains(list) || unswept.contains(list) { continue }
      if waitsForPrints(list, progress) { continue }
      // Other nodes may not know yet that it was returned.
      if index[list]?.terms.isEntry == true,
        health.health[.ledger] != nil || isReturning(list, progress)
      {
        continue
      }
      guard (try? old.isRemovable(list)) == true else { continue }
      if remove(list, old) { recorder.forget(list) }
    }
    for (list, since) in forgotten where keep.isOver(since: since, now: now) {
      if waitsForPrints(list, progress) || unswept.contains(list) { continue }
      // The recorder drops the oldest lists by itself.
      _ = remove(list, old)
    }
  }

  /// Its life is not over, and does not wait for a person alone.
  private func isReturning(_ list: ListID, _ progress: Progress) -> Bool {
    guard keeper != nil else { return false }
    guard let lives = progress.lives else { return true }
    return lives[list].map { $0.loss == nil } ?? false
  }

  /// False if it fails, or the list's owner removes it now.
  func remove(_ list: ListID, _ old: OldLists) -> Bool {
    guard index.beginRemoval(of: list) else { return false }
    defer { index.endRemoval(of: list) }
    // A copy that waits for a person is not awaited any more.
    recorder.archived(list)
    guard (try? old.remove(list)) != nil else { return false }
    index.forget(list)
    return true
  }

  /// The ended lists whose prints an open list may still take over.
  private func needed() -> Set<ListID> {
    Set(recorder.ledger { $0.openLists.map(\.id) }.flatMap(index.predecessors))
  }

  /// Only a known list can tell where its prints are.
  private func waitsForPrints(_ list: ListID, _ progress: Progress) -> Bool {
    progress.hidden?[list] != nil || isUndecided(list, progress)
      || progress.terms.prints != nil && holdsPrints(list) && !progress.left.contains(list)
  }

  private func isUndecided(_ list: ListID, _ progress: Progress) -> Bool {
    progress.isForeign && index[list]?.terms.isOfCluster ?? true
  }

  // MARK: time

  private var rest: Retention { Retention(grace.rest) }
  private var rests: Bool { grace.rest > .zero }

  private func rests(of lists: [ListID]) -> [ListID: UInt64] {
    Dictionary(lists.map { ($0, restStart(of: $0)) }) { first, _ in first }
  }

  /// Prints that nothing is known about begin to rest now.
  private func restStart(of list: ListID) -> UInt64 {
    let noted = index.expiry(of: list) ?? 0
    return noted == 0 ? clock.wallTime() : noted
  }

  /// How long it takes until the clock is believed.
  private func wait(_ progress: Progress) -> Duration { progress.steady.wait(at: clock.uptime()) }

  /// The uptime at which the clock is believed.
  var graceEnd: Duration { outlook.withLock { $0.believed } }

  // MARK: old lists

  /// The lists that ended at least that time ago. The clock must have been right for as long as for the removal of old prints, or
  /// the reason is raised why an age is not believed.
  func old(_ age: Duration) throws(Failure) -> [ListID] {
    noteClock()
    let (wall, uptime) = (clock.wallTime(), clock.uptime())
    if wall < Release.date { throw .wrongClock(wall, so: "the age of no list is known") }
    let wait = outlook.withLock { $0.steady.wait(at: uptime) }
    if wait > .zero { throw ExpiryForecast.unbelieved(wait) }
    let keep = Retention(age)
    return ended().filter { keep.isOver(since: $0.since, now: wall) }.map(\.list).sorted()
  }

  /// A jump counts from the moment in which it is noticed: call often.
  func noteClock() {
    let (wall, uptime) = (clock.wallTime(), clock.uptime())
    let hasJumped = outlook.withLock { outlook in
      let before = outlook.steady
      outlook.steady.note(wall: wall, uptime: uptime)
      return outlook.steady != before
    }
    // Otherwise the next look notices the jump, a day later at most.
    if hasJumped { look() }
  }

  // MARK: what is ahead

  /// Within this time, prints are announced.
  private static let ahead = Duration.seconds(86_400)

  /// Counts the prints and lists that new settings remove soon, for the administrator at a reload.
  func forecast(_ new: Settings.Record, after old: Settings.Record) -> [String] {
    let wait = Terms(old) == Terms(new) ? max(.zero, graceEnd - clock.uptime()) : grace.proof
    return forecast(after: wait).clauses(new, within: wait).map(\.words)
  }

  /// The prints that go within a day and those that rest, one clause each. Does not wait for a disk.
  func expiring() -> [String] {
    let (forecast, record) = current()
    // Without KeepPrints= no list needs a look, however many there are.
    let prints = record.keepPrints == nil ? [] : ahead(forecast, record).filter(\.costsPrints)
    return prints.map(\.words) + [forecast.restingWords].compactMap(\.self)
  }

  /// A setting that was changed before a start is noticed in time.
  private func announce() {
    let (forecast, record) = current()
    for clause in ahead(forecast, record) {
      narrator.tell(.expiryAhead(clause.words, costsPrints: clause.costsPrints))
    }
  }

  private func ahead(
    _ forecast: ExpiryForecast, _ record: Settings.Record
  ) -> [ExpiryForecast.Clause] {
    // Only tests do without the rest.
    rests ? forecast.clauses(record, within: Self.ahead) : []
  }

  /// With the settings in force.
  private func current() -> (ExpiryForecast, Settings.Record) {
    let record = settings.current.record
    let (terms, believed) = outlook.withLock { ($0.terms, $0.believed) }
    let isJudged = terms == Terms(record)
    return (
      forecast(after: isJudged ? max(.zero, believed - clock.uptime()) : grace.proof), record
    )
  }

  private func forecast(after wait: Duration) -> ExpiryForecast {
    // Notices the ends that cannot be.
    _ = ended()
    let (now, uptime) = (clock.wallTime(), clock.uptime())
    let (ends, resting) = outlook.withLock {
      ($0.ends.corrected(now: now, uptime: uptime), $0.resting)
    }
    return ExpiryForecast(
      recorder: recorder, index: index, hasStore: folders.unwanted != nil,
      resting: rests ? resting : [:], rest: rest, ends: ends, now: now, wait: wait)
  }

  private func ended() -> [(list: ListID, since: UInt64)] {
    let ends = recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }
        .map { EndTimes.End($0.id, accepted: $0.acceptedTime, ended: $0.endedTime) }
    }
    let (now, uptime) = (clock.wallTime(), clock.uptime())
    return outlook.withLock { $0.ends.since(ends, now: now, uptime: uptime) }
  }

  /// Nil until a list ends.
  private func pause(_ progress: Progress) -> Duration? {
    let now = clock.wallTime()
    let ended = ended()
    func pause(_ keep: Retention, _ lists: [UInt64]) -> Duration? {
      keep.pause(until: lists, now: now).map { max($0, wait(progress)) }
    }
    let pauses = [
      pause(
        progress.terms.lists, ended.filter { !waitsForPrints($0.list, progress) }.map(\.since)),
      progress.terms.prints.flatMap { keep in
        pause(
          keep,
          ended.filter { holdsPrints($0.list) && !progress.left.contains($0.list) }.map(\.since))
      },
      progress.hidden.map { pause(rest, Array($0.values)) } ?? Self.again,
      progress.isForeign ? Self.again : nil,
      progress.isSurveyed ? nil : progress.survey - clock.uptime(),
    ]
    return pauses.compactMap { $0 }.min()
  }
}
