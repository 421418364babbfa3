// SPDX-License-Identifier: Apache-2.0
// Removes ended lists at the wish of their owners, each with the earlier lists that it has taken over from. Decides
// by one durable rename; then removes the prints and files, records `Removed`, and reports. A removal that a crash
// or trouble interrupts is continued at the next start, or a minute later. `remove` raises a `Failure`: `final`
// if the list cannot be removed, `machine` if the removal has begun and goes on by itself, or if the disk does not tell
// whether it has, and `cancelled` at the stop.
// Concurrency model: the task in `run` alone removes, after `resume` at the start; other tasks send letters, which it
// reads in order. What may hang is done in children of that task: a return that ends, and a ledger that is silent, hold up
// the later orders for their own list alone. Such an order has three letters:
//
//   order     → examined; a child takes the lists out of the keeper, and reports entries with results to the ledger
//   left      → examined again and withdrawn; a child gives the pictures of a list without results back, and reports it
//   released  → hidden
//   next      → one of the hidden lists is removed, in turns between the users; the last one of an order answers it
//
// An entry without results is reported last, when the rename alone can still fail: no other node makes its results then.

import Accept
import Files
import Linux
import Record
import Report
import Return
import Vocabulary

final class ListRemover: Sendable {
  private enum Letter: Sendable {
    case order(RemovalOrder)
    /// Its lists are out of the keeper, unless that failed.
    case left(RemovalOrder, [ListID], Failure?)
    /// Of these lists the second ones are withdrawn, and nothing else needs them, unless that failed.
    case released(RemovalOrder, [ListID], [ListID], Failure?)
    /// One list of a line goes.
    case next
    /// The removals that have begun are tried again.
    case again
    /// The next removal of the round is tried.
    case more
  }

  private static let pause = Duration.seconds(60)

  private let recorder: Recorder
  private let index: ListIndex
  private let lists: OpenLists
  private let removal: ListRemoval
  private let rules: RemovalRules
  private let returns: ReturnFolder
  private let narrator: Narrator
  private let health: HealthBoard
  private let clock: any Timekeeper
  private let keeper: ListKeeper
  /// Nil for a machine that works alone.
  private let entries: EntryDesk?
  private let letters: AsyncStream<Letter>
  private let mail: AsyncStream<Letter>.Continuation

  init(
    _ recorder: Recorder, _ index: ListIndex, _ lists: OpenLists, _ keeper: ListKeeper,
    _ narrator: Narrator, _ health: HealthBoard, clock: any Timekeeper, entries: EntryDesk? = nil
  ) {
    (self.keeper, self.entries) = (keeper, entries)
    (self.recorder, self.index, self.lists) = (recorder, index, lists)
    (self.narrator, self.health, self.clock) = (narrator, health, clock)
    (letters, mail) = AsyncStream.makeStream()
    removal = Self.removal(lists.folders, in: lists.folders.prints)
    rules = RemovalRules(
      recorder: recorder, index: index, folders: lists.folders, health: health,
      isNode: entries != nil)
    returns = ReturnFolder(
      done: lists.folders.done, failed: lists.folders.failed, lists: lists.folders.lists,
      groups: recorder, copies: lists.copies)
  }

  static func removal(_ folders: StateFolders, in prints: any Folder) -> ListRemoval {
    ListRemoval(lists: folders.lists, prints: prints, done: folders.done, failed: folders.failed)
  }

  /// For a list whose prints are in a folder of this folder.
  private func removal(in prints: any Folder) -> ListRemoval {
    Self.removal(lists.folders, in: prints)
  }

  /// Returns when the list and its files are gone and that is recorded. If its copy waits, because the list in its folder
  /// is lost, the wait ends.
  /// - Parameter isSparing: a list that has no results, because one of its files is lost, stays.
  func remove(
    _ list: ListID, by caller: UInt32, isSparing: Bool = false
  ) async throws(Failure) {
    let failure = await Reply.wait { reply in
      let order = RemovalOrder(list: list, caller: caller, reply: reply, isSparing: isSparing)
      send(.order(order), or: reply)
    }
    if let failure { throw failure }
  }

  /// The files of the list that a removal leaves, in words with the reason; nil if it leaves none. May wait for a disk.
  func rest(of list: ListID) -> String? { (try? rules.rest(of: list)) ?? nil }

  private func send(_ letter: Letter, or reply: Reply<Failure?>) {
    if case .terminated = mail.yield(letter) { reply.give(.cancelled) }
  }

  /// Refuses every later order; `run` returns.
  func stop() { mail.finish() }

  /// Call at the start, before a new list is accepted: the prints of a removed list have no successor. Returns the
  /// removals that have begun; nil if the disk does not tell now. May wait for a disk.
  func resume() -> [ListID]? {
    let pending: [ListID]
    do throws(SystemError) { pending = try removal.pending() } catch {
      health.set(error.machineFailure, for: .removals)
      return nil
    }
    for list in pending {
      guard let file = (try? removal.about(list))?.file, let label = try? ListLabel(file) else {
        continue
      }
      let (owner, terms) = (label.owner, label.terms)
      index.reserve(list, label)
      guard case .folder(let home) = lists.folders.place(of: terms),
        rules.foreignPlace(of: list, terms) == nil
      else { continue }
      if index.printer(into: terms.prints, ofCluster: terms.isOfCluster) == list,
        !index.hasStranger(to: owner, in: terms.prints, ofCluster: terms.isOfCluster)
      {
        try? removal(in: home).hidePrints(terms.prints, of: list, terms.mark(of: list))
      }
    }
    return pending
  }

  /// Runs until `stop`. `pending`: the removals that have begun, if the disk has told.
  func run(_ pending: [ListID]?) async {
    var work = RemovalWork()
    for list in pending ?? [] { work.begun.updateValue(nil, forKey: list) }
    var isKnown = pending != nil
    await withDiscardingTaskGroup { group in
      var (isWaiting, isGoingOn) = (false, false)
      if work.hasLeftovers || !isKnown { mail.yield(.again) }
      for await letter in letters {
        switch letter {
        case .order(let order): await take(order, &work, &group)
        case .left(let order, let lists, let failure):
          var answer = failure
          if answer == nil { answer = await withdraw(order, lists, &group) }
          if let answer { await end(order, lists, answer, &work) }
        case .released(let order, let lists, let line, let failure):
          var answer = failure
          if answer == nil { answer = await decide(order, lists, line, &work) }
          if let answer { await end(order, lists, answer, &work) }
        case .next:
          isGoingOn = false
          await goOn(&work)
        case .again:
          isWaiting = false
          if !isKnown {
            let found = await onDisk { resume() }
            isKnown = found != nil
            for list in found ?? [] where !work.begun.keys.contains(list) {
              work.begun.updateValue(nil, forKey: list)
            }
          }
          if work.tried.isEmpty { await finish(&work, isKnown: isKnown) }
        case .more: await finish(&work, isKnown: isKnown)
        }
        if !isGoingOn, work.lines.count > 0 {
          isGoingOn = true
          mail.yield(.next)
        }
        if !work.hasLeftovers && isKnown || isWaiting { continue }
        isWaiting = true
        group.addTask { [clock, mail] in
          await clock.rest(Self.pause)
          mail.yield(.again)
        }
      }
      group.cancelAll()
      work.departures.refuse()
      work.lines.refuse(Self.begun("this daemon stops"))
    }
  }

  // MARK: before a removal

  /// Performs the order, unless its lists have to leave first, or such a list does for an earlier order.
  private func take(
    _ order: RemovalOrder, _ work: inout RemovalWork, _ group: inout DiscardingTaskGroup
  ) async {
    // It may be readable again.
    if index[order.list] == nil {
      _ = await onDisk { index.read(order.list, from: lists.folders.lists) }
    }
    let line = rules.line(of: order.list)
    if work.departures.hold(order, line, index) { return }
    if work.begun.keys.contains(order.list) {
      return order.reply.give(Self.begun("not all of it could be removed yet"))
    }
    guard line.contains(where: isBound) else { return await perform(order, line, &work) }
    var order = order
    if !line.allSatisfy(rules.isArchived), let lives = await keeper.lives() {
      order.lost = Set(line.filter { lives[$0]?.loss != nil })
    }
    do throws(Failure) {
      try await onDisk { [order] () throws(Failure) in
        try rules.examine(line, lost: order.lost, isSparing: order.isSparing)
      }
    } catch { return order.reply.give(error) }
    work.departures.begin(line)
    group.addTask { [self, order] in
      var failure: Failure?
      do throws(Failure) { for list in line { try await leave(list, order) } } catch {
        failure = error
      }
      send(.left(order, line, failure), or: order.reply)
    }
  }

  /// It is to leave the keeper, or the ledger is to know that it is over.
  private func isBound(_ list: ListID) -> Bool { !rules.isArchived(list) || entry(list) != nil }

  private func entry(_ list: ListID) -> FrozenSettings? {
    guard entries != nil, let terms = index[list]?.terms, terms.isEntry else { return nil }
    return terms
  }

  /// Otherwise a node would return the list again. The ledger first: a silent one leaves everything as it is.
  private func leave(_ list: ListID, _ order: RemovalOrder) async throws(Failure) {
    if !order.lost.contains(list), let entry = entry(list) { try await entries?.returned(entry) }
    // A list that still waits for its copy leaves the keeper.
    if !rules.isArchived(list), await !keeper.abandon(list) { throw .cancelled }
  }

  /// Returns why the lists stay; nil if the letter `released` follows.
  private func withdraw(
    _ order: RemovalOrder, _ lists: [ListID], _ group: inout DiscardingTaskGroup
  ) async -> Failure? {
    let line: [ListID]
    do throws(Failure) {
      line = try await onDisk { () throws(Failure) in try check(order, lists) }
    } catch { return error }
    group.addTask { [self] in
      var failure: Failure?
      do throws(Failure) {
        for list in line where order.lost.contains(list) { try await release(list) }
      } catch { failure = error }
      send(.released(order, lists, line, failure), or: order.reply)
    }
    return nil
  }

  /// Of a list that lost files. It waits on, if its removal does not begin.
  private func release(_ list: ListID) async throws(Failure) {
    try await onDisk { () throws(Failure) in try returnPictures(of: list) }
    guard let terms = index.reserved(list)?.terms, terms.isEntry else { return }
    try await entries?.returned(terms)
  }

  /// The pictures of a list that has no results are nowhere else.
  private func returnPictures(of list: ListID) throws(Failure) {
    let areBack = try asMachine { () throws(SystemError) in
      try OldLists(lists.folders.lists).isRemovable(list)
    }
    if areBack { return }
    let owner = index.reserved(list)?.owner ?? recorder.ledger { $0[list]?.acceptance.owner }
    try returns.givePictures(of: list, to: owner)
  }

  private func end(
    _ order: RemovalOrder, _ lists: [ListID], _ answer: Failure?, _ work: inout RemovalWork
  ) async {
    if answer != nil {
      let whole = lists.filter { !work.begun.keys.contains($0) }
      await onDisk { giveBack(whole) }
    }
    order.reply.give(answer)
    for later in work.departures.end(lists) { send(.order(later), or: later.reply) }
  }

  // MARK: a removal

  /// - Parameter lists: the list and those that go with it; they are bound to nothing.
  private func perform(_ order: RemovalOrder, _ lists: [ListID], _ work: inout RemovalWork) async {
    let line: [ListID]
    do throws(Failure) {
      line = try await onDisk { () throws(Failure) in try check(order, lists) }
    } catch { return order.reply.give(error) }
    work.departures.begin(lists)
    if let failure = await decide(order, lists, line, &work) {
      await end(order, lists, failure, &work)
    }
  }

  /// Returns why nothing goes on; nil if the removal has begun. The order is answered when the lists are gone.
  /// - Parameter line: withdrawn.
  private func decide(
    _ order: RemovalOrder, _ lists: [ListID], _ line: [ListID], _ work: inout RemovalWork
  ) async -> Failure? {
    if Task.isCancelled { return .cancelled }
    do throws(Failure) {
      try await onDisk { () throws(Failure) in
        let lack = rules.missing(order.list)
        let rest = rules.isNameless(order.list) ? try rules.rest(of: order.list) : nil
        try asMachine { () throws(SystemError) in try removal.hide(line) }
        if let rest { narrator.tell(.printsMissing(order.list, rest)) }
        if let lack { narrator.missed(line, lack.standing, of: lack.prints, in: lack.home) }
      }
    } catch { return await undecided(order, line, error, &work.begun) }
    for list in line { work.begun[list] = .some(order.caller) }
    work.lines.add(RemovalLines.Line(order: order, departed: lists, line))
    return nil
  }

  /// Removes one list, and answers its order after the last one.
  private func goOn(_ work: inout RemovalWork) async {
    guard var line = work.lines.next(), let list = line.takeNext() else { return }
    var answer: Failure?
    do throws(Failure) {
      try await finish(list, by: line.order.caller)
      work.begun.removeValue(forKey: list)
      if line.hasNext { return work.lines.putBack(line) }
    } catch {
      answer = error
      if error.kind == .machine, work.begun.keys.contains(list) {
        health.set(error, for: .removals)
        answer = Self.begun(error)
      }
    }
    await end(line.order, line.departed, answer, &work)
  }

  /// Lists whose removal has not begun stay. Where the disk does not tell now, `finish` asks again.
  private func undecided(
    _ order: RemovalOrder, _ line: [ListID], _ failure: Failure, _ begun: inout RemovalWork.Begun
  ) async -> Failure {
    let standings = await onDisk { line.map { (list: $0, isWhole: isWhole($0)) } }
    for (list, isWhole) in standings where isWhole != true { begun[list] = .some(order.caller) }
    let whole = standings.filter { $0.isWhole == true }.map(\.list)
    await onDisk { giveBack(whole) }
    if whole.count < line.count { health.set(failure, for: .removals) }
    switch standings.first?.isWhole {
    case false?: return Self.begun(failure)
    case nil:
      return Self.trouble(
        failure, "it is not known whether its removal has begun, because \(failure.reason)")
    case true?:
      guard let earlier = standings.first(where: { $0.isWhole == false })?.list else {
        return failure
      }
      return Self.trouble(
        failure, "\(failure.reason); the removal of list \(earlier), which goes with it, has begun")
    }
  }

  /// Returns the lists that go; the index does not have them any more.
  private func check(_ order: RemovalOrder, _ departed: [ListID]) throws(Failure) -> [ListID] {
    let line = rules.line(of: order.list)
    // Its label has come back meanwhile, and it may still be bound.
    if let new = line.first(where: { !departed.contains($0) }) {
      throw RemovalRules.refusal("list \(new), whose name is known again, goes with it; try again")
    }
    try rules.examine(line, lost: order.lost, isSparing: order.isSparing)
    guard index.withdraw(line) else {
      throw RemovalRules.refusal(
        "a list that takes over from it is being accepted, or it or its prints are being removed for their age; try again"
      )
    }
    // The looks at the disk took time, in which a list may have been accepted, or this one removed because of its age.
    do throws(Failure) {
      try rules.refuseHeir(of: order.list)
      try rules.refuseUnknown(order.list)
    } catch {
      giveBack(line)
      throw error
    }
    return line
  }

  private static func begun(_ failure: Failure) -> Failure {
    trouble(failure, "its removal has begun and goes on by itself, but \(failure.reason)")
  }

  private static func begun(_ why: String) -> Failure {
    begun(Failure(.machine, scope: .one, code: "list.removal", reason: why))
  }

  /// Of a removal that may have begun.
  private static func trouble(_ failure: Failure, _ reason: String) -> Failure {
    Failure(
      .machine, scope: .one, code: failure.code, reason: reason, advice: failure.advice)
  }

  /// The index gets those back whose removal has not begun, and the keeper those that wait for their copy.
  private func giveBack(_ line: [ListID]) {
    let old = OldLists(lists.folders.lists)
    for list in line {
      let isGone = (try? old.isGone(list)) == true
      if isGone { index.free(list) } else { index.giveBack(list) }
      let label = index.read(list, from: lists.folders.lists)
      if !isGone, !rules.isArchived(list), let entry = recorder.ledger({ $0[list] }) {
        keeper.begin(ListLives.Birth(entry, label))
      }
    }
  }

  /// It has its folder: its removal has not begun. Nil if the disk does not tell.
  private func isWhole(_ list: ListID) -> Bool? {
    do throws(SystemError) { return try removal.decided(list) == nil } catch { return nil }
  }

  /// One of the removals that a crash or trouble has interrupted, the newest first.
  private func finish(_ work: inout RemovalWork, isKnown: Bool) async {
    if Task.isCancelled { return }
    let left = work.left
    if let list = left.max() {
      work.tried.insert(list)
      do throws(Failure) {
        try await finish(list, by: work.begun[list] ?? nil)
        work.begun.removeValue(forKey: list)
      } catch { work.trouble = error }
      if left.count > 1 {
        mail.yield(.more)
        return
      }
    }
    if !Task.isCancelled, isKnown { health.set(work.trouble, for: .removals) }
    (work.tried, work.trouble) = ([], nil)
  }

  /// Every step may be repeated. A list whose removal has not begun stays, in the record as well.
  private func finish(_ list: ListID, by caller: UInt32?) async throws(Failure) {
    let decided = try await onDisk { () throws(Failure) in
      try asMachine { () throws(SystemError) in try removal.decided(list) }
    }
    guard let decided else { return await onDisk { giveBack([list]) } }
    let facts = try await onDisk { () throws(Failure) in try clear(decided) }
    if let facts {
      do throws(Failure) { try await recorder.record([.removed(list)], by: caller) } catch {
        // The record has forgotten it meanwhile.
        guard error == .overtaken else { throw error }
      }
      narrator.removed(facts, by: caller)
    }
    try await onDisk { () throws(Failure) in
      try asMachine { () throws(SystemError) in try removal.finish(decided) }
    }
    index.free(list)
  }

  /// Removes the files; returns the facts for the report, nil if the record does not have the list.
  private func clear(_ decided: ListRemoval.Decided) throws(Failure) -> ListFacts? {
    let list = decided.list
    lists.close(list)
    let (about, known) = try removal.about(list)
    // A sector may have become bad since the removal was decided.
    let label = index.reserved(list)
    let terms = known ?? label?.terms
    let prints = terms?.prints
    // A later list may have the folder: its prints are not this one's.
    let (owner, isOfCluster) = (about?.owner ?? label?.owner, terms?.isOfCluster ?? false)
    let isPrinter =
      prints.map { prints in
        (index.printer(into: prints, ofCluster: isOfCluster) ?? list) <= list
          && owner.map {
            !index.hasStranger(to: $0, in: prints, ofCluster: isOfCluster)
          } == true
      } ?? false
    let place = terms.map { lists.folders.place(of: $0) } ?? .elsewhere
    var removal = self.removal
    if case .folder(let home) = place { removal = self.removal(in: home) }
    // It began when they were in reach.
    if case .elsewhere = place, let terms, rules.hasPrints(list), try !removal.isExpired(list) {
      let refusal = RemovalRules.outOfReach(terms)
      throw Self.trouble(refusal, refusal.reason)
    }
    if let failure = rules.foreignPlace(of: list, terms), try !removal.isExpired(list) {
      throw failure
    }
    try asMachine { () throws(SystemError) in
      if let prints, isPrinter {
        switch place {
        case .folder: try removal.hidePrints(prints, of: list, terms?.mark(of: list))
        // `StoreSweeper` removes them.
        case .stored: try lists.folders.unwanted?.add(list, prints)
        case .elsewhere: break
        }
      }
      try lists.folders.removeOriginals(of: list)
      try removal.clear(decided, named: about?.name, about.map { ($0.size, $0.sha256) })
    }
    guard let entry = recorder.ledger({ $0[list] }) else { return nil }
    return ListFacts(
      id: list,
      name: (about.map { ListName($0.name) } ?? label?.name)?.text ?? "list \(list)",
      total: entry.acceptance.photos, done: entry.counts.filtered, failed: entry.counts.failed,
      serviceClass: entry.acceptance.serviceClass, revises: terms?.revises,
      owner: (owner ?? entry.acceptance.owner).map { Person($0) })
  }
}
