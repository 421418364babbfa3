// SPDX-License-Identifier: Apache-2.0
// The effects of a list's life: records changes, opens lists for the chains, takes over prints, returns
// lists, reports. Here a list's life meets the stages. Raises nothing: returns each failure, as an event for
// the life.
// Concurrency: immutable. Work that may wait for a disk runs in `onDisk`.

import Accept
import Catalog
import Chain
import Download
import Files
import Linux
import Output
import Record
import Return
import Vocabulary

struct ListWork: ListEffects, OnGround {
  let ground: Ground
  let chains: ChainRunner<PhotoStages>
  let notes: PhotoNotes
  let returns: ReturnFolder
  let downloader: Downloader
  let retention: ListRetention
  let hooks: HookDesk
  let sheets: ContactSheets
  /// A takeover reads both lists, however long they are.
  let takeovers = UserLines()
  /// Nil for a machine that works alone.
  var cluster: ClusterNode?

  // MARK: the record

  func record(
    _ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?
  ) async -> Failure? {
    let (change, user) = (turn.change(of: list), user(asker))
    return await failure { () async throws(Failure) in
      if asker != .ledger, let entry = entry(list) { try await entry.order(turn, of: list) }
      try await recorder.record([change], by: user)
    }
  }

  /// A later list acts for its owner.
  private func user(_ asker: ListLife.Asker?) -> UInt32? {
    switch asker {
    case .person(_, let user): user
    case .successor(let list): index[list]?.owner
    case .ledger, nil: nil
    }
  }

  private func failure(_ act: () async throws(Failure) -> Void) async -> Failure? {
    do throws(Failure) {
      try await act()
      return nil
    } catch { return error }
  }

  // MARK: before the chains

  func takeOver(_ list: ListID) async -> Failure? {
    guard let earlier = index[list]?.terms.revises else { return nil }
    let revision = Revision(
      list: list, earlier: earlier, lists: lists, recorder: recorder, turns: takeovers)
    let failure = await failure { () async throws(Failure) in
      let count = try await onDisk { () async throws(Failure) in try await revision.carry() }
      if count > 0 { narrator.progress(list) }
    }
    if failure == nil || failure?.kind == .final {
      await onDisk { index.predecessors(of: list).forEach(removeOriginals) }
    }
    return failure
  }

  /// First ends the chains that the list still has.
  func open(_ list: ListID) async -> Failure? {
    chains.giveUp(list)
    await chains.idle(list)
    return await failure { () async throws(Failure) in
      try await onDisk { () throws(Failure) in try checkHome(of: list) }
      if let entry = entry(list) { return try await entry.open(list) }
      let lines = try await onDisk { () throws(Failure) in try readLines(of: list) }
      chains.add(list, lines, isPaused: true)
    }
  }

  /// A list is developed by the nodes of a cluster, or by one machine alone, from its acceptance to its end.
  private func checkHome(of list: ListID) throws(Failure) {
    guard let terms = index.read(list, from: lists.folders.lists)?.terms else { return }
    switch (terms.origin, cluster) {
    case (.some, nil):
      throw Failure(
        .machine, code: "list.cluster",
        reason: "it is a list of a cluster, and Ledger= is not set",
        advice: "Set Ledger= as before until the list is over; a cancel ends it here alone")
    case (nil, .some):
      throw Failure(
        .machine, code: "list.cluster",
        reason: "it is a list of this machine alone, and Ledger= is set",
        advice: "Remove Ledger= until the list is over, or cancel it and drop it again")
    default: return
    }
  }

  private func readLines(of list: ListID) throws(Failure) -> ListLines {
    guard let entry = recorder.ledger({ $0[list] }), !entry.state.isFinal else { throw .cancelled }
    // The label may be missing because `about` was damaged at the start.
    _ = index.read(list, from: lists.folders.lists)
    let open = try lists.begin(list)
    if let made = try open.workFolders().made, entry.counts.filtered > 0 {
      health.lostPrints(of: list, entry.counts.filtered, in: made)
    }
    let (now, uptime) = (clock.wallTime(), clock.uptime())
    let waiting = entry.retries.map { number, plan in
      (number: number, due: uptime + .milliseconds(Int64(plan.wait(now: now))))
    }
    return ListLines(
      entry.acceptance.serviceClass, owner: open.about.owner, open.catalog, waiting: waiting)
  }

  func isOpen(_ list: ListID) -> Bool {
    recorder.ledger { $0[list]?.state.isFinal == false }
  }

  func idle(_ list: ListID) async {
    await chains.idle(list)
    if let entry = entry(list), !isOpen(list) { await entry.over(list) }
  }

  /// Nil unless all nodes develop the list.
  private func entry(_ list: ListID) -> EntryDesk? {
    index[list]?.terms.isEntry == true ? cluster?.entries : nil
  }

  func pauseChains(_ list: ListID) { chains.pause(list) }
  func resumeChains(_ list: ListID) { chains.resume(list) }
  func dropChains(_ list: ListID) { chains.giveUp(list) }
  func setClass(_ serviceClass: ServiceClass, of list: ListID) {
    chains.setClass(serviceClass, of: list)
  }

  // MARK: after the chains

  func giveBack(_ list: ListID) async -> Failure? {
    await failure { () async throws(Failure) in
      // It was removed for its age while its copy waited.
      if recorder.ledger({ $0[list] }) == nil { return }
      try await onDisk { () throws(Failure) in try learn(list) }
      if index.isShare(list) { return try await handIn(list) }
      // With its results there, its age may remove it at any time.
      let entry = entry(list).flatMap { desk in index[list].map { (desk: desk, terms: $0.terms) } }
      let loss = try await onDisk { () async throws(Failure) in try await returnFiles(list) }
      // No other node returns a list that has its results, even if the copy never follows.
      let isOut = await onDisk { loss == nil || hadResults(list) }
      if isOut, let entry { try await entry.desk.returned(entry.terms) }
      if let loss { throw loss }
    }
  }

  /// Returns the loss that keeps a part of the list.
  private func returnFiles(_ list: ListID) async throws(Failure) -> Failure? {
    do throws(Failure) { try await makeFiles(list) } catch {
      guard ListLoss(error) != nil else { throw error }
      return error
    }
    return nil
  }

  private func makeFiles(_ list: ListID) async throws(Failure) {
    let dropped: AboutFile?
    do throws(Failure) { dropped = try self.dropped(list) } catch {
      throw ListLoss.failure(reading: error)
    }
    do throws(Failure) {
      // A photo that failed may have left one, if the disk was in trouble as well.
      if recorder.ledger({ ($0[list]?.counts.failed ?? 0) > 0 }) { try removeDrafts(of: list) }
      sheets.finish(list)
      try await returns.giveBack(
        list, named: dropped?.name, to: dropped?.owner,
        of: dropped.map { FileCopy.Sum(size: $0.size, sha256: $0.sha256) },
        telling: { () throws(Failure) in try outcome(of: list) },
        lacking: { health.noResults(of: list, $0) },
        leaving: { names throws(SystemError) in try orderHooks(of: list, names) })
    } catch {
      guard error.kind == .final else { throw error }
      // Removed meanwhile: it was returned, or its age ended the wait for its copy.
      if error.code == "list.gone", recorder.ledger({ $0[list] == nil || $0.isArchived(list) }) {
        return
      }
      try asMachine { () throws(SystemError) in try orderHooks(of: list, nil) }
      try? returns.giveUp(list, to: dropped?.owner)
      returned(list)
      throw error
    }
    returned(list)
  }

  /// Without results no age removes a list.
  private func hadResults(_ list: ListID) -> Bool {
    let old = OldLists(lists.folders.lists)
    return (try? old.isRemovable(list)) == true || (try? old.isGone(list)) == true
  }

  /// The name of a list may not have been readable at the start. A damaged one is read again at the next.
  private func learn(_ list: ListID) throws(Failure) {
    do throws(Failure) { try index.learn(list, from: lists.folders.lists) } catch {
      if [AboutFile.damage, FrozenSettings.damage].contains(error.code) { return }
      throw error.scope == .one ? ListLoss.nameless.failure(error.reason) : error
    }
  }

  /// Its files are not in their places, or the disk does not tell now. May wait for a disk.
  func isPending(_ list: ListID) -> Bool { (try? returns.isPending(list)) ?? true }

  /// Its name can be read, or is lost for good. May wait for a disk.
  func hasName(_ list: ListID) -> Bool { (try? learn(list)) != nil }

  /// A share leaves nothing behind but its prints.
  private func handIn(_ list: ListID) async throws(Failure) {
    try await cluster?.shares.handIn(list)
    try await onDisk { () throws(Failure) in
      try asMachine { () throws(SystemError) in
        guard let folder = try lists.folders.lists.folder(ifThere: ListFolder.name(list)) else {
          return
        }
        try ListMarks.noteReturn(in: folder)
      }
      returned(list)
      // If the removal fails, retention removes it later.
      try? OldLists(lists.folders.lists).remove(list)
    }
  }

  private func orderHooks(of list: ListID, _ names: ReturnedNames?) throws(SystemError) {
    guard let entry = recorder.ledger({ $0[list] }) else { return }
    try hooks.ended(entry, index[list], names)
  }

  private func returned(_ list: ListID) {
    recorder.archived(list)
    if recorder.ledger({ $0[list]?.state }) == .cancelled { try? removeDrafts(of: list) }
    // A revision removes the originals when it has taken them over.
    if index.successors(of: list).contains(where: isOpen) { return }
    let before = index.predecessors(of: list)
    removeOriginals(of: list)
    recorder.ledger { ledger in before.filter(ledger.isArchived) }.forEach(removeOriginals)
  }

  /// A crash may have left drafts of a list that was cancelled and is not opened again.
  private func removeDrafts(of list: ListID) throws(Failure) {
    guard let terms = index[list]?.terms else { return }
    try asMachine { () throws(SystemError) in
      if terms.storedPrints(in: lists.folders) != nil {
        return try PrintFolder(lists.folders.drafts()).sweep(list)
      }
      guard let folder = try lists.folders.prints.folder(ifThere: terms.prints) else { return }
      if let mark = terms.mark(of: list) {
        // Drafts stay where it cannot be read whose they are.
        guard let claim = try? mark.claim(on: folder), claim != .stranger else { return }
      }
      try PrintFolder(folder, mark: lists.folders.mark).sweep(list)
    }
  }

  private func removeOriginals(of list: ListID) {
    guard !isOpen(list) else { return }
    recorder.dropBequest(of: list)
    // If the removal fails, the next start repeats it.
    try? lists.folders.removeOriginals(of: list)
  }

  /// Keeps only the list's record and folder.
  func forget(_ list: ListID) {
    lists.close(list)
    hooks.settled(list)
    notes.forget(list)
    narrator.forget(list)
    sheets.forget(list)
    // It tells no trouble of the list from then on.
    cluster?.entries.forget(list)
    health.forget(list)
    if index.isShare(list) {
      recorder.forget(list)
      index.forget(list)
    }
    retention.listEnded()
  }

  func forgetAll() {
    downloader.discardPartials()
    ThisProcess.returnMemory()
  }

  // MARK: telling

  func tell(_ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?) {
    narrator.changed(list, turn, by: user(asker))
  }

  /// A share that cannot be read, now or at its opening, is for other nodes.
  func health(_ failure: Failure?, of list: ListID) {
    if let failure, failure.kind == .final, let shares = cluster?.shares, index.isShare(list) {
      return shares.unreadable(list, failure)
    }
    health.set(failure, for: .list(list))
  }
  func copyHealth(_ failure: Failure?, of list: ListID) { health.set(failure, for: .copy(list)) }
}

extension ListLife.Turn {
  func change(of list: ListID) -> Change {
    switch self {
    case .paused: .paused(list)
    case .resumed: .resumed(list)
    case .cancelled: .cancelled(list)
    case .finished: .finished(list)
    case .quality(let serviceClass): .quality(list, serviceClass)
    }
  }
}

extension ListLines {
  /// Each span of photos with its own service class gets its own line.
  init(
    _ serviceClass: ServiceClass, owner: UInt32, _ catalog: CatalogPart,
    waiting: [(number: UInt32, due: Duration)]
  ) {
    var parts = [Part(own: nil)]
    parts += catalog.spans.map { Part(own: $0.serviceClass, first: $0.first, last: $0.last) }
    for photo in waiting {
      let own =
        catalog.spans.isEmpty ? nil : try? catalog.entry(photo.number).options.serviceClass
      let place = parts.firstIndex { $0.holds(photo.number, own: own) } ?? 0
      parts[place].waiting.append(photo)
    }
    self.init(serviceClass, owner: owner, parts: parts)
  }
}
