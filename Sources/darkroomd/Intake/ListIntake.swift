// SPDX-License-Identifier: Apache-2.0
// Accepts the lists that the inbox claims: has a worker read each list, fixes its terms, records it, and
// hands it to the keeper. Decides whether a list is let in, and into which folder it prints. An accepted list
// is durable before it is reported. Raises a `Failure`.
// Concurrency: immutable; called by the inbox's thread, several lists at once.

import Accept
import Catalog
import Files
import Linux
import Output
import Record
import Report
import Return
import Vocabulary

struct ListIntake: IntakeRules, OnGround {
  let ground: Ground
  let claims: PrintClaims
  let workers: any Workers
  let keeper: ListKeeper
  let departures: InboxDepartures
  let space: SpaceWatch
  let witness: NumberWitness
  let hooks: HookDesk
  /// The lists are developed in parts.
  var part: PartOrder?
  /// All nodes of a cluster develop the lists.
  var isNode = false
  var footing = Footing()

  // MARK: rules

  func standing() async -> IntakeStanding? {
    await ground.stop.unlessOn { [self] in
      var standing = rooms()
      let trouble = footing.seat?.trouble ?? health.health.standstill
      standing.record = footing.held.trouble
      standing.machine = trouble ?? standing.machine
      return standing
    }
  }

  var copies: CopyRoom { lists.copies }

  private func rooms() -> IntakeStanding {
    let freeSpace = settings.current.download.freeSpace
    let folders = lists.folders
    var standing = IntakeStanding()
    for folder in folders.store == nil ? [folders.state, folders.prints] : [folders.state] {
      guard let room = try? folder.room() else { continue }
      let floor = SpaceFloor.intake(freeSpace, of: room.total)
      guard room.free >= floor else {
        standing.machine = Self.full(
          "almost no room is left on the file system of \(folder.path)", OpenShare(),
          "make room, or lower FreeSpace= in darkroomd.conf")
        return standing
      }
      if folder === folders.state {
        standing.left = room.free - floor
        standing.most = room.total - min(room.total, floor)
        standing.device = (try? folder.device()) ?? 0
      }
    }
    return standing
  }

  func nextNumber() -> ListID { recorder.newList() }

  func largestPicture() -> UInt64 { settings.current.download.maximumSize }

  func isRecorded(_ list: ListID) -> Bool { recorder.ledger { $0[list] != nil } }

  /// The newest such list, if it is at work and can be opened.
  func twin(of file: FileName, owner: UInt32, sha256: String) -> ListID? {
    guard let list = newest(ListName(file), owner), index[list]?.sha256 == sha256,
      recorder.ledger({ $0[list]?.state.isFinal }) == false, (try? lists.look(list)) != nil
    else { return nil }
    return list
  }

  /// The newest list of this name and owner, even one that is over. Lists of pictures have no revisions: two folders
  /// of one name have different pictures.
  private func newest(_ name: ListName, _ owner: UInt32) -> ListID? {
    let known = index.lists(called: name, of: owner)
      .filter { index[$0]?.terms.isRoll != true && !index.isShare($0) }
    return recorder.ledger { ledger in known.filter { ledger[$0] != nil }.max() }
  }

  func fullness(
    for user: UInt32, besides lists: Int, adding bytes: UInt64, on standing: IntakeStanding
  ) -> Failure? {
    if let trouble = standing.trouble { return trouble }
    let limits = settings.current.inbox
    if let failure = holding(of: user, limits) { return failure }
    let open = recorder.ledger { $0.open }
    let hasManyLists = open.lists + lists >= limits.maximumLists
    if hasManyLists || open.photos >= limits.maximumPhotos {
      // Lists of others, which may be paused, do not shut out a user with less than an equal share.
      let (own, users) = recorder.ledger { ledger in
        let share = ledger.shares[user]
        return (share ?? OpenShare(), ledger.shares.count + (share == nil ? 1 : 0))
      }
      if hasManyLists,
        own.lists + lists >= max(1, limits.maximumLists / users)
          || open.lists + lists >= 2 * limits.maximumLists
      {
        // With those that are let in and not recorded yet.
        return Self.full(
          "\(max(open.lists, limits.maximumLists)) lists are at work already", own,
          "raise MaximumLists= in darkroomd.conf")
      }
      if open.photos >= limits.maximumPhotos,
        own.photos >= limits.maximumPhotos / users || open.photos >= 2 * limits.maximumPhotos
      {
        return Self.full(
          "\(open.photos) photos wait already", own, "raise MaximumPhotos= in darkroomd.conf")
      }
    }
    let others = copies.promised(on: standing.device)
    if bytes <= standing.left - min(standing.left, others) { return nil }
    let path = self.lists.folders.state.path
    // Only for these pictures: smaller ones are let in.
    return bytes > standing.most
      ? Self.tooLarge(bytes, standing.most, path)
      : CopyRoom.lack(of: bytes, left: standing.left, "its copy needs", path)
  }

  /// No room that anyone makes is enough.
  private static func tooLarge(_ bytes: UInt64, _ most: UInt64, _ path: String) -> Failure {
    let (needed, most) = (SpaceFloor.words(bytes), SpaceFloor.words(most))
    return Failure(
      .final, code: "pictures.large",
      reason: "its copy needs \(needed), and the whole file system of \(path) has \(most)",
      advice: "Drop it in parts, each when the last one is done")
  }

  /// Lists that are over stay for a long time: without a limit, one user could fill the disk with them. Those in progress
  /// do not count: the limit may be passed by these few.
  private func holding(of user: UInt32, _ limits: Settings.Inbox) -> Failure? {
    let count = recorder.ledger { $0.holdings[user] ?? 0 }
    if count < limits.listsPerUser || ThisProcess.keepers.contains(user) { return nil }
    return Failure(
      .final, code: "inbox.lists",
      reason:
        "\(count) list\(count == 1 ? "" : "s") of user \(user) \(count == 1 ? "is" : "are") kept, which is the limit",
      advice: "Remove lists that are over, with their prints, by darkroomctl prune, "
        + "or raise ListsPerUser= in darkroomd.conf")
  }

  private static func full(
    _ reason: String, _ own: OpenShare, _ advice: String
  ) -> Failure {
    let paused = own.paused == 1 ? "the paused list" : "some of the \(own.paused) paused lists"
    return Failure(
      .machine, code: "inbox.full", reason: "queue full: \(reason), so new lists wait",
      advice: own.paused == 0 ? "Wait, or \(advice)" : "Resume or cancel \(paused), or \(advice)")
  }

  // MARK: a list

  private var limits: ListLimits {
    ListLimits(size: settings.current.inbox.maximumListSize)
  }

  func foresee(for user: UInt32) { workers.foreseeList(of: user, limits) }

  func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile
  ) async throws(Failure) {
    try await workers.readList(list, of: owner, catalog: catalog, limits: limits)
  }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let catalog = try await onDisk { () throws(Failure) in
      let catalog = try CatalogFile(draft.catalog, limits: OpenList.limits)
      try OpenList.settleNames(catalog, in: draft.folder)
      return catalog
    }
    let photos = CatalogPart(catalog, part: part?.range)
    if photos.count == 0, let range = part?.range { throw PartOrder.empty(range, catalog.count) }
    let options = catalog.options
    // The end of a part is not the end of the list.
    let notify = part == nil ? options.notify : nil
    if let notify { try settings.current.hooks.checkWebhook(notify) }
    let standard = settings.current.filter
    // A list takes over the prints of the earlier list of the same name.
    // In a cluster the ledger decides about earlier lists, and no list prints into the folder of another.
    let known = draft.isRoll ? nil : newest(ListName(draft.name), draft.owner)
    let earlier = isNode ? nil : known
    if let earlier, earlier > draft.list { throw .late }
    // A list in the folder of a private one would open its prints.
    let isPrivate =
      options.isPrivate ?? standard.privatePrints
      || known.flatMap { index[$0]?.terms.isPrivate } == true
    let (prints, line) = try await home(
      of: draft, after: earlier.flatMap { index[$0]?.terms }, isPrivate: isPrivate)
    if let earlier, index[earlier] == nil || index.isExpiring(prints) { throw .late }
    // None of the tasks that share a list has a page of the whole, and a store has no pages.
    let hasSheet =
      part == nil && lists.folders.store == nil
      && (options.contactSheet ?? settings.current.output.contactSheet)
    let terms = FrozenSettings(
      prints: prints, line: line, filter: options.filter ?? standard.function,
      quality: options.quality ?? standard.quality,
      metadata: options.metadata ?? standard.metadata, title: options.title, revises: earlier,
      isRoll: draft.isRoll, notify: notify, isPrivate: isPrivate, hasSheet: hasSheet,
      kind: try isNode ? .entry(FrozenSettings.newOrigin()) : .own(part?.range))
    return ListTerms(
      photos: photos.count, serviceClass: options.serviceClass ?? .default,
      settings: terms.text)
  }

  func continuation(of draft: ListDraft) async throws(Failure) -> RepeatOrder? {
    if draft.isRoll || isNode { return nil }
    for stem in ListName(draft.name).continued {
      let name = ListName(Array(stem + ".plist".utf8))
      guard let earlier = newest(name, draft.owner) else { continue }
      if earlier > draft.list { throw .late }
      // A cancelled list would do all that is missing, and a paused one would go on.
      let state = recorder.ledger { $0[earlier]?.state }
      guard state != .cancelled, state != .paused else { continue }
      if let order = try await continuation(of: draft, earlier) { return order }
    }
    return nil
  }

  private func continuation(
    of draft: ListDraft, _ earlier: ListID
  ) async throws(Failure) -> RepeatOrder? {
    let standard = settings.current.filter
    return try await onDisk { () async throws(Failure) in
      let drop = RetryDrop(
        catalog: try CatalogFile(draft.catalog, limits: OpenList.limits), standard: standard)
      let old: OpenList
      do throws(Failure) {
        old = try lists.look(earlier)
        try old.checkCopy(in: lists.folders)
      } catch {
        // A list whose files are gone or damaged cannot be continued.
        guard error.kind == .final else { throw error }
        return nil
      }
      let choice = try await drop.choice(of: old, try recorder.results.reader(earlier))
      return choice.map {
        RepeatOrder(
          earlier, of: draft.owner, photos: $0, serviceClass: drop.catalog.options.serviceClass)
      }
    }
  }

  func prepare(
    _ draft: ListDraft, again order: RepeatOrder, _ old: ListTerms
  ) async throws(Failure) -> ListTerms {
    let earlier = order.earlier
    try await onDisk { () throws(Failure) in
      let catalog = try CatalogFile(draft.catalog, limits: OpenList.limits)
      try OpenList.settleNames(catalog, in: draft.folder)
    }
    var terms = try FrozenSettings(text: old.settings)
    let newest =
      terms.isRoll
      ? index.successors(of: earlier).max() ?? earlier
      : newest(ListName(draft.name), draft.owner)
    guard newest == earlier else {
      throw Failure(
        .final, code: "list.superseded",
        reason:
          "list \(newest.map { "\($0)" } ?? "of a later drop") of the same name has taken over from it",
        advice: "Retry that one")
    }
    if terms.isRoll, try await isForeign(terms, to: draft.list) {
      // Its pictures are there as prints, and nowhere else.
      throw PrintsStanding.foreign.failure(of: terms.prints, in: lists.folders.prints)
    }
    (terms.revises, terms.again) = (earlier, order.photos)
    (terms.prints, terms.line) = try await home(
      of: draft, after: terms, isPrivate: terms.isPrivate)
    if index[earlier] == nil || index.isExpiring(terms.prints) { throw .late }
    // The class of the earlier list may have been changed since.
    let changed = recorder.ledger { $0[earlier]?.acceptance.serviceClass }
    return ListTerms(
      photos: old.photos, serviceClass: order.serviceClass ?? changed ?? old.serviceClass,
      settings: terms.text)
  }

  /// The folder of the earlier list, unless another list has its prints there by now; otherwise a new folder.
  private func home(
    of draft: ListDraft, after earlier: FrozenSettings?, isPrivate: Bool
  ) async throws(Failure) -> (prints: FileName, line: String?) {
    let isUnmarked = part != nil || isNode
    if let earlier, isUnmarked || (earlier.line != nil && !earlier.isOfCluster),
      try await !isForeign(earlier, to: draft.list)
    {
      await onDisk { claims.giveUp(draft.list) }
      // Before the record, so that the prints are neither removed nor expire in the meantime.
      index.note(draft.list, into: earlier.prints)
      return (earlier.prints, earlier.line)
    }
    let prints = try await onDisk { () throws(Failure) in
      try asMachine { () throws(SystemError) in
        try claimFolder(for: draft, isPrivate ? .user(draft.owner) : .group)
      }
    }
    return (prints, isUnmarked ? nil : try FrozenSettings.newLine())
  }

  /// After a restore of an older state folder, a list that is not known may have its prints there.
  private func isForeign(_ earlier: FrozenSettings, to list: ListID) async throws(Failure) -> Bool {
    guard let mark = earlier.mark(of: list) else { return false }
    return try await onDisk { () throws(Failure) in
      let prints = lists.folders.prints
      let standing = try asMachine { () throws(SystemError) in
        try PrintsStanding(of: earlier.prints, in: prints, for: mark)
      }
      // What is there may be read later.
      if standing == .unreadable { throw standing.failure(of: earlier.prints, in: prints) }
      return standing == .foreign
    }
  }

  /// A folder that no list of another name or owner has used, or ever will, nor another program, nor a list of another
  /// daemon: it is the draft's until that is given up.
  private func claimFolder(
    for draft: ListDraft, _ readers: FileReaders
  ) throws(SystemError) -> FileName {
    let name = ListName(draft.name).text
    let choices = PrintName.folders(list: name, number: draft.list.number)
    // The other parts of the list print there as well. In a cluster the ledger has the last word.
    if part != nil || isNode {
      index.note(draft.list, into: choices[0])
      return choices[0]
    }
    try sweepClaims()
    // An earlier attempt may have made a folder for other readers, who would go on to see its names.
    try claims.takeBack(draft.list)
    for folder in choices where index.claim(folder, for: draft.list) {
      if try claims.make(folder, for: draft.list, readers: readers) { return folder }
    }
    throw SystemError(
      .exists, call: "mkdirat", thing: "\(lists.folders.prints.path)/\(choices[choices.count - 1])")
  }

  /// Frees the folders of the drafts that a crash has left.
  func sweepClaims() throws(SystemError) { try claims.sweep(except: isRecorded) }

  func claimed(_ draft: ListID) -> [SyncStep] { claims.steps(of: draft) }

  func folderKey(of name: ListName) -> String {
    PrintName.collisionKey(folder: PrintName.folder(list: name.text, number: nil))
  }

  func giveUp(_ draft: ListID) async {
    // A record whose answer failed may be there all the same.
    if isRecorded(draft) { return await onDisk { claims.keep(draft) } }
    // First: another draft may get the name.
    await onDisk { claims.giveUp(draft) }
    index.giveUp(draft)
  }

  func accept(
    _ list: ListID, _ acceptance: Acceptance, _ about: AboutFile, by user: UInt32?
  ) async throws(Failure) {
    if isRecorded(list) { return }
    let label = try ListLabel(about)
    try await recorder.record([.accepted(list, acceptance)], by: user)
    index.add(list, label)
    witness.note(list)
    if about.wasDropped {
      // Pictures came as a folder, whose name has no ending.
      let name = label.terms.isRoll ? Array(label.name.stem) : about.droppedName.bytes
      departures.note(list, String(decoding: name, as: UTF8.self), of: label.owner)
    }
    narrator.accepted(list, by: user)
    space.look()
    keeper.begin(
      ListLives.Birth(
        list, .accepted, of: label.owner, prints: label.terms.prints,
        revises: label.terms.revises, serviceClass: acceptance.serviceClass))
  }

  func reject(
    _ list: ListID, name: FileName, owner: UInt32, _ failure: Failure
  ) async throws(Failure) {
    try await recorder.record([.rejected(list, code: failure.code)], by: owner)
    witness.note(list)
    let file = String(decoding: name.bytes, as: UTF8.self)
    departures.note(list, file, of: owner, rejected: failure.reason)
    narrator.tell(.listRejected(list, name: file, owner: Person(owner), failure))
    await onDisk { hooks.rejected(list, name: name, owner: owner, failure) }
  }

  // MARK: news

  /// Files named one by one when many stay.
  private static let mostNamed = 100

  func tell(_ news: InboxNews) {
    switch news {
    case .repeated(let name, let list, let owner):
      let file = String(decoding: name.bytes, as: UTF8.self)
      departures.note(list, file, of: owner)
      narrator.tell(
        .fileIgnored(name: file, reason: "the same list is already at work as list \(list)"))
    case .workerDied(let list, let name, let failure, let isLast):
      narrator.tell(
        .workerDied(
          list, listName: ListName(name).text, photo: nil, reason: failure.reason,
          next: isLast ? "it is set aside" : "trying again"))
    case .ignored(let name, let reason):
      narrator.tell(
        .fileIgnored(name: String(decoding: name.bytes, as: UTF8.self), reason: "\(reason)"))
    case .left(let files):
      for file in files.prefix(Self.mostNamed) {
        narrator.tell(.fileIgnored(name: file.text, reason: "\(file.reason)"))
      }
      let more = files.count - Self.mostNamed
      if more > 0, let folder = files.first?.path.first {
        narrator.tell(
          .fileIgnored(name: "\(folder)", reason: "\(more) more files in it are not pictures"))
      }
    case .waits(let name, let failure): health.set(failure, for: .file(name))
    case .crowded(let crowd, let failure): health.set(failure, for: .crowd(crowd))
    case .troubled(let failure, let isClosed): health.setInbox(failure, isClosed: isClosed)
    case .surveyed(let nature, let words):
      let isGood = nature.hasLeases && !nature.isShared
      health.surveyed(words, shortcoming: isGood ? nil : "the inbox is \(words)")
    case .overflowed(let names): narrator.tell(.inboxOverflowed(names: UInt64(names)))
    case .setAside(let list, let failure):
      narrator.tell(
        .machineTrouble(failure, waits: "list \(list) is set aside in the state folder"))
    case .skipped(let list, let failure):
      narrator.tell(.machineTrouble(failure, waits: "list \(list) waits"))
    case .changed(let counts):
      health.note(counts)
      narrator.changed()
    }
  }
}
