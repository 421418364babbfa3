// SPDX-License-Identifier: Apache-2.0
// Takes in what the inbox claims: reads it through a worker, settles its terms, records it, and hands
// it on to the chains. Called from the inbox's thread alone.
// Concurrency model: what is in trouble and what waits have a lock each; the rest is immutable.

import Accept
import Catalog
import Output
import Record
import Report
import Synchronization
import Vocabulary

final class FrontDesk: Reception {
  private let shelf: ListShelf
  private let recorder: Recorder
  private let workers: any Workers
  private let settings: LiveSettings
  private let teller: Teller
  private let tally: RunTally
  private let inboxPath: String
  private let turnstile: Turnstile
  private let accepted: @Sendable (ListID) -> Void
  private let trouble = Mutex<Failure?>(nil)
  private let shortcoming = Mutex<String?>(nil)
  private let waiting = Mutex<[FileName: String]>([:])
  private static let maximumWaiting = 100
  let departures = InboxDepartures()

  init(
    shelf: ListShelf, recorder: Recorder, workers: any Workers, settings: LiveSettings,
    teller: Teller, tally: RunTally, inboxPath: String,
    turnstile: Turnstile, accepted: @escaping @Sendable (ListID) -> Void
  ) {
    self.shelf = shelf
    self.recorder = recorder
    self.workers = workers
    self.settings = settings
    self.teller = teller
    self.tally = tally
    self.inboxPath = inboxPath
    self.turnstile = turnstile
    self.accepted = accepted
  }

  /// What is wrong with the inbox now, if anything.
  var inboxTrouble: Failure? { trouble.withLock { $0 } }

  /// The same for people, with what to do, and what its file system lacks.
  var inboxWords: [String] {
    [inboxTrouble?.words, shortcoming.withLock { $0 }].compactMap { $0 }
  }

  /// Files in the inbox that wait for this machine or may not be read, and why.
  var waitingFiles: [String] {
    waiting.withLock { $0.map { "\($0.key): \($0.value)" } }.sorted()
  }

  func nextNumber() -> ListID { recorder.newList() }

  func isRecorded(_ list: ListID) -> Bool { recorder.ledger { $0[list] != nil } }

  func readList(_ list: any OpenFile, catalog: any OpenFile) async throws(Failure) {
    try await workers.readList(list, catalog: catalog, limits: limits)
  }

  func foresee() { workers.foreseeList(limits) }

  private var limits: ListLimits { ListLimits(size: settings.current.maximumListSize) }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let catalog = try CatalogFile(draft.catalog, limits: ListRoom.limits)
    try await ListRoom.settleNames(catalog, in: draft.folder)
    let options = catalog.options
    let standard = settings.current
    let earlier = earlier(than: draft)
    let prints = earlier.flatMap { shelf.card($0)?.terms.prints } ?? printFolder(for: draft)
    // Taken before anything is recorded: a list that comes while this one waits for the disk sees it.
    shelf.notePrinter(draft.list, into: prints)
    let terms = FrozenSettings(
      prints: prints, filter: options.filter ?? standard.filter,
      quality: options.quality ?? standard.quality,
      metadata: options.metadata ?? standard.metadata, title: options.title, revises: earlier)
    return ListTerms(
      photos: catalog.count, serviceClass: options.serviceClass ?? .default,
      settings: terms.text)
  }

  /// The newest list of that name and owner, over or not: this one takes its prints over.
  private func earlier(than draft: ListDraft) -> ListID? { newest(draft.name, draft.owner) }

  func fullness() -> Failure? {
    let settings = settings.current
    let open = recorder.ledger { $0.open }
    if open.lists >= settings.maximumLists {
      return Self.full(
        "\(settings.maximumLists) lists are at work already",
        "raise MaximumLists= in darkroomd.conf")
    }
    if open.photos >= settings.maximumPhotos {
      return Self.full(
        "\(settings.maximumPhotos) photos wait already", "raise MaximumPhotos= in darkroomd.conf")
    }
    for folder in [shelf.folders.state, shelf.folders.prints] {
      guard let space = try? folder.freeSpace(), let total = try? folder.totalSpace(),
        space < SpaceFloor.intake(settings.freeSpace, of: total)
      else { continue }
      return Self.full(
        "hardly any room is left on the disk of \(folder.path)",
        "make room, or lower FreeSpace= in darkroomd.conf")
    }
    return nil
  }

  private static func full(_ reason: String, _ advice: String) -> Failure {
    Failure(
      .machine, code: "inbox.full", reason: "queue full: \(reason), so no list is let in",
      advice: "Wait, or \(advice)")
  }

  /// Names are the same where their bytes are, but for the ending: what cannot be shown, or only looks
  /// the same, is another list.
  private func newest(_ file: FileName, _ owner: UInt32) -> ListID? {
    let known = shelf.lists(called: ListRoom.stem(of: file), of: owner)
    return recorder.ledger { ledger in known.filter { ledger[$0] != nil }.max() }
  }

  func twin(of name: FileName, owner: UInt32, sha256: String) -> ListID? {
    // One that cannot be opened is not at work, whatever the record says.
    guard let list = newest(name, owner), shelf.card(list)?.sha256 == sha256,
      recorder.ledger({ $0[list]?.state.isFinal }) == false, (try? shelf.look(list)) != nil
    else { return nil }
    return list
  }

  func repeated(_ name: FileName, of list: ListID) {
    let file = String(decoding: name.bytes, as: UTF8.self)
    departures.note(list, file, nil)
    teller.tell(.fileIgnored(name: file, reason: "the same list is at work as list \(list)"))
  }

  /// A list of another name or owner never prints into the same folder, not even later.
  private func printFolder(for draft: ListDraft) -> FileName {
    let name = ListRoom.name(of: draft.name)
    let plain = PrintName.folder(list: name, number: nil)
    let isThere = (try? shelf.folders.prints.has(plain)) == true
    let isFree = shelf.printer(into: plain).map { earlier in
      if earlier == draft.list { return true }  // noted by an attempt before
      // One that was noted and never accepted has no card, no record and no folder.
      return shelf.card(earlier) == nil && !isRecorded(earlier) && !isThere
    }
    // A folder that nobody remembers may be anybody's.
    let isUnknown = isFree == nil && isThere
    return isFree ?? !isUnknown ? plain : PrintName.folder(list: name, number: draft.list.number)
  }

  func accept(_ list: ListID, _ acceptance: Acceptance, _ about: AboutFile) async throws(Failure) {
    if isRecorded(list) { return }
    // Nobody pauses or cancels it between the record and the chains.
    try await turnstile.pass { () async throws(Failure) in
      try await recorder.record([.accepted(list, acceptance)])
      tally.worked(on: list)
      departures.note(list, String(decoding: about.name.bytes, as: UTF8.self), nil)
      accepted(list)
    }
  }

  func reject(_ list: ListID, name: FileName, _ failure: Failure) async throws(Failure) {
    try await recorder.record([.rejected(list, code: failure.code)])
    tally.rejected()
    let file = String(decoding: name.bytes, as: UTF8.self)
    departures.note(list, file, failure.reason)
    teller.tell(.listRejected(list, name: file, failure))
  }

  func workerDied(_ list: ListID, name: FileName, _ failure: Failure, isLast: Bool) {
    teller.tell(
      .workerDied(
        list, listName: ListRoom.name(of: name), photo: nil, reason: failure.reason,
        next: isLast ? "it is set aside" : "trying once more"))
  }

  func ignored(_ name: FileName, _ reason: IgnoredReason) {
    teller.tell(
      .fileIgnored(name: String(decoding: name.bytes, as: UTF8.self), reason: "\(reason)"))
  }

  func waits(_ name: FileName, _ failure: Failure?) {
    waiting.withLock { waiting in
      guard let failure else { return waiting[name] = nil }
      guard waiting[name] != nil || waiting.count < Self.maximumWaiting else { return }
      waiting[name] = failure.reason
    }
    guard let failure else { return }
    if failure.kind == .final {
      teller.tell(
        .fileIgnored(name: String(decoding: name.bytes, as: UTF8.self), reason: failure.reason))
    } else {
      teller.tell(.machineTrouble(failure, waits: "list '\(name)' waits"))
    }
  }

  func inboxTroubled(_ failure: Failure?) {
    trouble.withLock { $0 = failure }
    if let failure {
      teller.tell(.inboxDegraded(failure, rescan: .seconds(5)))
    } else {
      teller.tell(.inboxRecovered(inbox: inboxPath))
    }
    teller.statusChanged()
  }

  func inboxSurveyed(_ nature: InboxNature, _ words: String) {
    let isGood = nature.hasLeases && !nature.isShared
    shortcoming.withLock { $0 = isGood ? nil : "the inbox is \(words)" }
    teller.tell(.inboxSurveyed(inbox: inboxPath, words: words))
  }

  func inboxOverflowed(_ names: Int) { teller.tell(.inboxOverflowed(names: UInt64(names))) }

  func setAside(_ list: ListID, _ failure: Failure) {
    teller.tell(.machineTrouble(failure, waits: "list \(list) is set aside in the state folder"))
  }

  func skipped(_ list: ListID, _ failure: Failure) {
    teller.tell(.machineTrouble(failure, waits: "list \(list) waits"))
  }
}
