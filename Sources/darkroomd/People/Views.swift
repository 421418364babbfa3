// SPDX-License-Identifier: Apache-2.0
// The reports that users see: the daemon's state, its lists, their photos, downloads, the inbox. Changes
// nothing. Raises `ControlError`.
// Concurrency: immutable; disks are read in `onDisk` or by the inbox's thread.

import Accept
import Catalog
import Chain
import Digests
import Download
import Linux
import Output
import Record
import Return
import Steer
import Vocabulary

struct Views: OnGround {
  let ground: Ground
  let chains: ChainRunner<PhotoStages>
  let notes: PhotoNotes
  let downloader: Downloader
  let inbox: Inbox
  let departures: InboxDepartures
  let started: UInt64
  let scans = PhotoScans()

  var paces: ListPaces { narrator.paces }

  // MARK: the daemon

  func status(isStopping: Bool, for peer: ControlPeer) -> StatusReport {
    let sight = sight(of: peer)
    let counts = chains.counts()
    let shares = index.shares.keys
    let open = recorder.ledger { $0.open(besides: shares).others }
    let closed = sight.each(chains.closedHosts())
    let now = clock.wallTime()
    let health = health.health
    let state =
      isStopping ? "stopping" : sight.hold(in: health).map { "waiting: \($0.reason)" } ?? "running"
    var work = WorkCounts(
      lists: open.lists, photosWaiting: max(0, open.photos - counts.inFlight),
      photosRunning: counts.inFlight, downloads: counts.downloading, filters: counts.filtering,
      outputs: counts.outputting)
    (work.pausedLists, work.paused) = paused()
    var report = StatusReport(
      version: Release.version, state: state, since: started, work: work,
      degraded: sight.troubles(of: health), mistakes: sight.mistakes(in: health),
      prints: places.shownPrints, inbox: places.inbox,
      residentBytes: UInt64(max(0, ThisProcess.residentBytes)), sandbox: self.health.sandbox,
      hosts: closed.prefix(HostSummary.mostShown).map { sight.host($0, now: now) },
      moreHosts: max(0, closed.count - HostSummary.mostShown),
      waitingFiles: health.files.waiting, unreadableFiles: health.files.unreadable)
    report.pictureRefusal = settings.current.pictureRefusal
    report.largestPicture = settings.current.download.maximumSize
    return report
  }

  /// The owners with the most paused lists.
  private func paused() -> (all: Int, owners: [PausedLists]) {
    let paused = recorder.ledger { ledger in
      ledger.open.paused == 0
        ? []
        : ledger.lists.values.filter { $0.state == .paused }.map { ($0.id, $0.acceptance.owner) }
    }.filter { !index.isShare($0.0) }
    let owners = Dictionary(grouping: paused) { id, owner in index[id]?.owner ?? owner ?? 0 }
      .map { PausedLists(owner: $0, lists: $1.count) }
      .sorted { ($1.lists, $0.owner) < ($0.lists, $1.owner) }
    return (paused.count, Array(owners.prefix(PausedLists.mostShown)))
  }

  /// Every setting, in the order of the sample file.
  func settingSummaries() -> [SettingSummary] {
    func places(_ origin: SettingOrigins.Origin) -> [SettingPlace] {
      origin.places.map { SettingPlace(file: $0.file, line: $0.line) }
    }
    return SettingEntry.all.map { entry in
      let (inForce, next) = settings.see(entry)
      return SettingSummary(
        section: entry.section, key: entry.key, value: inForce.text, places: places(inForce),
        next: next?.text, nextPlaces: next.map(places) ?? [])
    }
  }

  /// True if photos are being worked on.
  var isAtWork: Bool { chains.counts().inFlight > 0 }

  func cache() -> CacheReport {
    let counts = downloader.cache?.counts ?? CacheCounts()
    return CacheReport(
      limit: counts.limit, entries: counts.entries, bytes: counts.bytes, hits: counts.hits,
      misses: counts.misses)
  }

  // MARK: lists

  func isKnown(_ list: ListID) -> Bool { recorder.ledger { $0[list] != nil } }

  /// The lists that the reference may mean, but no others of very many.
  private func candidates(for reference: ListReference) -> [ListReference.Candidate] {
    let numbered = reference.number.map { [ListID($0)] } ?? []
    let meant = reference.spellings.map { index.lists(spelled: $0).union(numbered) }
    let entries = recorder.ledger { ledger in
      meant.map { $0.compactMap { ledger[$0] } } ?? Array(ledger.lists.values)
    }
    return zip(entries, index.labels(of: entries.map(\.id))).compactMap {
      entry, label -> ListReference.Candidate? in
      if label?.terms.share != nil { return nil }
      return (
        entry.id.number, label?.name.text ?? "list \(entry.id)",
        label?.owner ?? entry.acceptance.owner ?? 0, entry.state.isFinal
      )
    }
  }

  /// The name of a list that is almost the reference. Very many names take several turns.
  func suggestion(for reference: ListReference) async -> String? {
    guard var search = reference.suggestible.flatMap({ Suggestion.Search($0) }) else { return nil }
    let lists = recorder.ledger { Array($0.lists.keys) }
    for start in stride(from: 0, to: lists.count, by: Self.listsAtOnce) {
      if start > 0 { await giveWay() }
      if Task.isCancelled { return nil }
      let some = lists[start..<min(lists.count, start + Self.listsAtOnce)]
      for case let label? in index.labels(of: Array(some)) where label.terms.share == nil {
        search.look(at: label.name.text)
      }
    }
    return search.found
  }

  private func owner(of entry: ListEntry) -> UInt32 {
    index[entry.id]?.owner ?? entry.acceptance.owner ?? 0
  }

  /// The list that the caller means, also one that the caller may not look at.
  func choose(_ reference: ListReference, by peer: ControlPeer) throws(ControlError) -> ListID {
    // Pages ask by number, and often: the names of all lists would take long.
    if let number = reference.number, isKnown(ListID(number)), !index.isShare(ListID(number)) {
      return ListID(number)
    }
    return ListID(try reference.choose(among: candidates(for: reference), for: peer.user))
  }

  func chooseExactly(
    _ reference: ListReference, by peer: ControlPeer
  ) throws(ControlError) -> ListID {
    ListID(try reference.chooseExactly(among: candidates(for: reference), for: peer.user))
  }

  /// The caller has a list that is meant, so nothing of other users is.
  func hasOwn(_ reference: ListReference, _ peer: ControlPeer) -> Bool {
    reference.meansOwn(among: candidates(for: reference), of: peer.user)
  }

  /// The reason why the newest file of this reference was rejected, if its number is above `list`. The files of others
  /// are meant only if none of the caller is.
  func rejection(
    of reference: ListReference, after list: UInt64, for peer: ControlPeer
  ) -> OwnersReason? {
    if let own = departures.newest(of: reference, after: list, where: { $0.owner == peer.user }) {
      return own.rejection
    }
    // Most calls have no such file, and the names of all lists would take long.
    lazy var isOwnMeant = hasOwn(reference, peer)
    return departures.newest(of: reference, after: list, where: { _ in !isOwnMeant })?.rejection
  }

  /// Lists that are read in one turn.
  private static let listsAtOnce = 256

  /// Every list, the oldest first. Many lists take several turns.
  func summaries(
    for peer: ControlPeer, openAlone: Bool = false
  ) async throws(ControlError) -> [ListSummary] {
    let sight = sight(of: peer)
    let lists = recorder.ledger { ledger in
      openAlone
        ? ledger.lists.values.filter { !$0.state.isFinal }.map(\.id) : Array(ledger.lists.keys)
    }.sorted()
    var summaries: [ListSummary] = []
    for (place, list) in lists.enumerated() {
      if place % Self.listsAtOnce == 0 {
        if place > 0 { await giveWay() }
        try PhotoScans.checkCaller()
      }
      // A list may have been removed meanwhile.
      guard !index.isShare(list), let entry = recorder.ledger({ $0[list] }) else { continue }
      var summary = summary(entry)
      summary.title = sight.title(of: list)
      summaries.append(summary)
    }
    return summaries
  }

  func summary(_ list: ListID) throws(ControlError) -> ListSummary {
    guard let entry = recorder.ledger({ $0[list] }) else { throw .noSuchList(name: "\(list)") }
    return summary(entry)
  }

  private func summary(_ entry: ListEntry) -> ListSummary {
    let label = index[entry.id]
    var summary = ListSummary(
      id: entry.id.number, name: index.name(of: entry.id), title: label?.terms.title ?? "",
      owner: owner(of: entry), halter: entry.halter, state: entry.state,
      serviceClass: entry.acceptance.serviceClass, total: entry.acceptance.photos,
      new: entry.counts.new, downloaded: entry.counts.downloaded,
      filtered: entry.counts.filtered, failed: entry.counts.failed, accepted: entry.acceptedTime,
      ended: entry.endedTime, pace: paces.pace(of: entry.id, at: clock.uptime()))
    summary.end.isReturned = recorder.ledger { $0.isArchived(entry.id) }
    noteExpiry(entry, &summary)
    return summary
  }

  /// Why the list, which is over, is lost; nil if the disk does not tell.
  func loss(of list: ListID) async -> Failure? {
    await onDisk { (try? OldLists(lists.folders.lists).loss(of: list)) ?? nil }
  }

  /// Without prints there is nothing to tell.
  private func noteExpiry(_ entry: ListEntry, _ summary: inout ListSummary) {
    guard entry.state.isFinal, entry.counts.filtered > 0 else { return }
    summary.end.printsExpired = expiry(of: entry.id)
    let (accepted, now) = (entry.acceptedTime, clock.wallTime())
    if let keep = settings.current.record.keepPrints, index.holdsPrints(entry.id),
      EndTimes.isPossible(entry.endedTime, accepted: accepted, now: now)
    {
      summary.end.printsExpire = Retention(keep).end(since: entry.endedTime)
    }
  }

  /// When KeepPrints= has removed the list's prints; nil if it has not.
  func expiry(of list: ListID) -> UInt64? { index.expiry(of: list).flatMap { $0 > 0 ? $0 : nil } }

  // MARK: photos

  func show(
    _ order: ShowOrder, for peer: ControlPeer
  ) async throws(ControlError) -> ShowReport {
    let list = try choose(order.list, for: peer)
    var report = ShowReport(list: try summary(list))
    if order.limit == 0 { return report }
    report = try await scans.run(of: peer.user) { [report] () throws(ControlError) in
      try photos(order, of: list, after: report)
    }
    if order.verifies { try await verify(&report.photos, of: list, for: peer) }
    return report
  }

  /// Reads the prints that are in a store. Those in a folder are for the caller to read.
  private func verify(
    _ photos: inout [PhotoSummary], of list: ListID, for peer: ControlPeer
  ) async throws(ControlError) {
    guard let label = index[list], let stored = label.terms.storedPrints(in: lists.folders) else {
      return
    }
    guard peer.mayChange(listOf: label.owner) else {
      throw .permissionDenied(why: "only the list's owner and root can have its prints read")
    }
    // Two at a time leave threads for new prints.
    let all = photos
    let findings = await withTaskGroup(of: [(Int, PrintFinding)].self) { group in
      for part in 0..<2 {
        group.addTask { [lists] in
          var found: [(Int, PrintFinding)] = []
          for place in stride(from: part, to: all.count, by: 2) where all[place].sha256 != nil {
            let finding = await onStore {
              stored.finding(on: all[place]) { () throws(Failure) in
                try lists.folders.namelessDraft()
              }
            }
            found.append((place, finding))
            // A store that is away would take as long for each.
            if finding.kind == .unreadable { break }
          }
          return found
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for (place, finding) in findings { photos[place].finding = finding }
    let unread = findings.first { $0.1.kind == .unreadable }?.1
    for place in photos.indices where photos[place].sha256 != nil && photos[place].finding == nil {
      photos[place].finding = unread
    }
  }

  /// For words that name some of its photos.
  func named(in list: ListID) throws(ControlError) -> PhotoWords {
    PhotoWords(try catalog(of: list))
  }

  func catalog(of list: ListID) throws(ControlError) -> CatalogPart {
    do throws(Failure) { return try lists.look(list).catalog } catch {
      throw .notPossible(why: "its photos cannot be read: \(error.reason)")
    }
  }

  /// Those of the named photos that failed, and all that failed, ascending.
  func failed(
    _ words: [String], in list: ListID
  ) throws(ControlError) -> (named: [UInt32], all: [UInt32]) {
    let catalog = try catalog(of: list)
    let spans = try PhotoWords(catalog).spans(words).sorted { $0.lowerBound < $1.lowerBound }
    do throws(Failure) {
      // The photos of a list that is over are not in memory; their rows still have the states.
      let all = try recorder.results.reader(list).failed(of: catalog.count)
      var (next, reach) = (0, UInt32(0))
      let named = all.filter { number in
        while next < spans.count, spans[next].lowerBound <= number {
          reach = max(reach, spans[next].upperBound)
          next += 1
        }
        return number <= reach
      }
      return (named, all)
    } catch { throw .notPossible(why: "its results cannot be read: \(error.reason)") }
  }

  // MARK: downloads

  /// The recorded steps after `since`; without it, none.
  func followed(
    _ order: FollowOrder, for peer: ControlPeer
  ) throws(ControlError) -> FollowReport {
    let list = try order.list.map { reference throws(ControlError) in
      try choose(reference, for: peer)
    }
    let tail = recorder.tail
    let look = tail.look(after: order.since ?? tail.last, of: list, most: FollowReport.most)
    let hidden = list == nil ? sight(of: peer).hidden(look.steps.map(\.list)) : []
    let steps = look.steps.filter { step in
      if case .photo = step.state, hidden.contains(step.list) { return false }
      return !index.isShare(step.list)
    }
    return FollowReport(steps: steps.map { FollowStep($0) }, last: look.last, missed: look.isTorn)
  }

  /// The list is over. Without a list there is no end.
  func isOver(
    _ reference: ListReference?, for peer: ControlPeer
  ) throws(ControlError) -> Bool {
    guard let reference else { return false }
    let list = try choose(reference, by: peer)
    return recorder.ledger { $0[list]?.state.isFinal } != false
  }

  func watch(
    _ order: WatchOrder, for peer: ControlPeer
  ) async throws(ControlError) -> WatchReport {
    var report = WatchReport()
    if let reference = order.list {
      report.lists = [try summary(choose(reference, for: peer))]
    } else {
      report.lists = try await summaries(for: peer, openAlone: true)
    }
    let wanted = order.list == nil ? nil : report.lists.first.map { ListID($0.id) }
    let transfers = downloader.progress()
    let hidden = sight(of: peer).hidden(transfers.flatMap(\.photos).map(\.list))
    report.transfers = await onDisk {
      transfers.compactMap { progress in
        let photo = progress.photos.first { photo in
          wanted.map { $0 == photo.list } ?? !hidden.contains(photo.list)
        }
        // Of private lists of others, not even the number of photos is told.
        let photos = progress.photos.count { !hidden.contains($0.list) }
        return photo.map { summary(progress, as: $0, of: photos) }
      }
    }
    return report
  }

  private func summary(
    _ progress: DownloadProgress, as photo: PhotoID, of photos: Int
  ) -> TransferSummary {
    let entry = try? lists.look(photo.list).catalog.entry(photo.number)
    return TransferSummary(
      list: photo.list.number, photo: photo.number, name: entry?.name ?? "photo \(photo.number)",
      photos: photos, server: progress.transfer.server,
      received: progress.transfer.received, total: progress.transfer.total,
      rate: progress.transfer.rate)
  }

  // MARK: the inbox

  private static let longestInbox = 1000

  /// The files in the inbox after a new sweep, and those that left it.
  func inboxReport(for peer: ControlPeer) async -> InboxReport {
    let sweep = await inbox.look(for: SweepQuestion(user: peer.user))
    let sight = sight(of: peer)
    var files = sweep.waiting.map { file in
      sight.file(
        String(decoding: file.name.bytes, as: UTF8.self), file.isRejected ? .rejected : .waiting,
        list: file.list?.number ?? 0, why: file.waitsFor,
        becomes: file.isRejected ? "" : ListName(file.listName).text)
    }
    files += sweep.ignored.sorted { $0.key < $1.key }
      .map { name, reason in
        sight.file(
          String(decoding: name.bytes, as: UTF8.self), .ignored,
          why: OwnersReason(open: "\(reason)"))
      }
    var page = ReplyPage()
    let shown = files.prefix(Self.longestInbox).prefix { page.takes($0) }
    let all = sweep.waitingCount + sweep.ignoredCount
    let gone = departures.shown(to: peer.user).map { file in
      sight.file(
        file.file, file.rejection == nil ? .accepted : .rejected,
        list: file.rejection == nil ? file.list.number : 0, why: file.rejection)
    }
    let health = health.health
    let trouble =
      [sight.trouble(.inbox, in: health)?.words, health.shortcoming].compactMap { $0 }
      + sight.crowds(in: health)
    return InboxReport(
      files: Array(shown) + gone, more: UInt64(max(0, all - shown.count)),
      trouble: trouble.joined(separator: "; "))
  }
}

extension FollowStep {
  init(_ step: RecordedStep) {
    let (photo, state): (UInt32?, String) =
      switch step.state {
      case .list(let state): (nil, state.name)
      case .rejected: (nil, "rejected")
      case .removed: (nil, "removed")
      case .photo(let number, let state): (number, state.name)
      }
    self.init(
      record: step.record, time: step.time, list: step.list.number, photo: photo, state: state)
  }
}
