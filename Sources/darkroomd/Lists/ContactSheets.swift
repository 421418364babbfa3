// SPDX-License-Identifier: Apache-2.0
// Keeps the contact sheets of the lists at work: writes the pages that have changed, every few seconds at most, and all
// that are left when the list ends. Trouble with a page changes nothing else; the next look tries it again, even after
// the end of the list. `make` raises a `Failure`.
// Concurrency model: two locks. `run` and the end of a list may write the same page at once, under different hidden
// names; a page gets its name under the lock `naming`, a page of `run` only while the list is open in the record. A
// disk may hang under `naming`, so only threads that may wait for a disk take it; `state` is held for moments.

import Accept
import Catalog
import Linux
import Output
import Present
import Record
import Steer
import Synchronization
import Vocabulary

final class ContactSheets: OnGround {
  private struct State {
    /// The written pages, by their numbers.
    var pages: [ListID: [UInt32: Shown]] = [:]
    /// Lists whose sheet a person is having made, or whose last pages are tried again.
    var making: Set<ListID> = []
    /// Ended lists whose last pages this machine could not write yet.
    var unfinished: Set<ListID> = []

    /// The pages that have failed photos, in order.
    func failing(_ list: ListID) -> [UInt32] {
      pages[list, default: [:]].filter(\.value.hasFailures).keys.sorted()
    }
  }

  private struct Shown {
    let mark: Int
    let isWhole: Bool
    let hasFailures: Bool
  }

  /// Each has its own drafts.
  private enum Pass: String {
    case work, end, again, made

    var isEnd: Bool { self != .work }
  }

  private static let mostUnfinished = 64

  /// Between two looks at the lists. A look that takes long is followed by a longer pause.
  private static let pause = Duration.seconds(4)
  private static let pauseFactor = 20
  /// Prints whose thumbnails are made at once.
  private static let batch: UInt32 = 32

  let ground: Ground
  private let maker: SheetMaker
  private let workers: any Workers
  private let state = Mutex(State())
  private let naming = Mutex(())

  init(_ ground: Ground, workers: any Workers) {
    self.ground = ground
    maker = SheetMaker(ground: ground)
    self.workers = workers
  }

  // MARK: lists at work

  func run() async {
    while !Task.isCancelled {
      let (seen, start) = (changes.version, clock.uptime())
      let isDone = await onDisk { update() }
      await clock.rest(max(Self.pause, (clock.uptime() - start) * Self.pauseFactor))
      if isDone { await changes.change(after: seen) }
    }
  }

  /// False if another look is due even if nothing changes.
  private func update() -> Bool {
    let lists = recorder.ledger { $0.openLists.map { ($0.id, $0.acceptedTime) } }
    let now = clock.wallTime()
    var isDone = true
    for (list, accepted) in lists {
      if Task.isCancelled { return true }
      // Most short lists are over before their first page is due: theirs is written once, at the end.
      if accepted <= now, .milliseconds(now - accepted) < Self.pause {
        isDone = false
        continue
      }
      guard index[list]?.terms.hasSheet == true, let subject = try? maker.subject(list) else {
        continue
      }
      try? write(subject, .work)
    }
    for list in state.withLock({ $0.unfinished }) {
      if Task.isCancelled { return true }
      endAgain(list)
    }
    return isDone && state.withLock { $0.unfinished.isEmpty }
  }

  /// A later list that has taken over the folder.
  private func heir(of subject: SheetMaker.Subject) -> ListID? {
    index.heir(of: subject.id, in: subject.open.terms.prints)
  }

  /// Writes the pages that have changed. One that fails does not keep the others from it.
  private func write(_ subject: SheetMaker.Subject, _ pass: Pass) throws(Failure) {
    if heir(of: subject) != nil { return }
    let rows = try recorder.results.reader(subject.id)
    var trouble: Failure?
    // The first page links the pages with failed photos, so it has a second turn; the first one makes it appear early.
    for page in Array(1...subject.pages) + (subject.pages > 1 ? [1] : []) {
      if Task.isCancelled { throw .cancelled }
      do throws(Failure) { try write(page, of: subject, rows, pass) } catch {
        trouble = trouble ?? error
      }
    }
    if let trouble { throw trouble }
    guard pass.isEnd else { return }
    try asMachine { () throws(SystemError) in
      try maker.removePages(from: subject.pages + 1, of: subject)
      // A crash may have left a draft. Those of a list at work are gone since it began.
      if maker.lists.known(subject.id) == nil { try subject.prints.sweep(subject.id) }
    }
  }

  private func write(
    _ page: UInt32, of subject: SheetMaker.Subject, _ rows: ResultReader, _ pass: Pass
  ) throws(Failure) {
    let (known, failing) = state.withLock { state in
      (state.pages[subject.id]?[page], page == 1 ? state.failing(subject.id) : [])
    }
    let mark = maker.mark(page, of: subject, failing: failing)
    // Only the first page shows the state of the list.
    if let known, known.mark == mark || (page > 1 && known.isWhole) { return }
    let draft = try maker.draft(page, of: subject, rows, failing: failing, as: pass.rawValue)
    let shown = Shown(mark: mark, isWhole: draft.isWhole, hasFailures: draft.hasFailures)
    try asMachine { () throws(SystemError) in try show(draft, page, subject, shown, pass) }
  }

  private func show(
    _ draft: SheetMaker.Draft, _ page: UInt32, _ subject: SheetMaker.Subject, _ shown: Shown,
    _ pass: Pass
  ) throws(SystemError) {
    let result = naming.withLock { _ -> Result<Bool, SystemError> in
      let isOpen = recorder.ledger { $0[subject.id]?.state.isFinal == false }
      guard pass.isEnd || isOpen else { return .success(false) }
      do throws(SystemError) {
        try maker.show(draft, as: page, of: subject)
        state.withLock { $0.pages[subject.id, default: [:]][page] = shown }
        return .success(true)
      } catch { return .failure(error) }
    }
    switch result {
    case .success(true): return
    case .success(false): try subject.prints.folder.removeIfThere(draft.name)
    case .failure(let error):
      try? subject.prints.folder.removeIfThere(draft.name)
      throw error
    }
  }

  // MARK: the end

  /// The list is over, and is about to be returned. May wait for a disk.
  func finish(_ list: ListID) {
    do throws(Failure) { try end(list, .end) } catch {
      guard error.kind == .machine else { return }
      state.withLock { state in
        guard state.unfinished.count < Self.mostUnfinished else { return }
        state.unfinished.insert(list)
      }
    }
  }

  private func end(_ list: ListID, _ pass: Pass) throws(Failure) {
    guard let terms = index[list]?.terms, terms.hasSheet || terms.revises != nil,
      let subject = try maker.subject(list), heir(of: subject) == nil
    else { return }
    // Its takeover may have been cancelled half-way. Without its thumbnail a print is still shown.
    if terms.revises != nil { try? SheetFolder(of: subject.prints.folder)?.settle(list) }
    if terms.hasSheet { return try write(subject, pass) }
    // A page of an earlier list would show prints that are not there any more.
    try asMachine { () throws(SystemError) in try maker.removePages(from: 1, of: subject) }
  }

  /// Tries the last pages again that this machine could not write.
  private func endAgain(_ list: ListID) {
    guard state.withLock({ $0.making.insert(list).inserted }) else { return }
    let isOver = didEnd(list)
    state.withLock { state in
      state.making.remove(list)
      guard isOver else { return }
      state.unfinished.remove(list)
      state.pages[list] = nil
    }
  }

  /// True if another attempt would change nothing.
  private func didEnd(_ list: ListID) -> Bool {
    do throws(Failure) {
      try end(list, .again)
      return true
    } catch { return error.kind != .machine && error.kind != .cancelled }
  }

  func forget(_ list: ListID) { state.withLock { $0.pages[list] = nil } }

  // MARK: by order

  /// Makes the thumbnails that are missing and all pages of a list that is over.
  func make(_ list: ListID) async throws(Failure) -> SheetReport {
    guard state.withLock({ $0.making.insert(list).inserted }) else {
      throw Self.refusal("its contact sheet is being made already")
    }
    defer { state.withLock { _ = $0.making.remove(list) } }
    return try await onDisk { () async throws(Failure) in
      guard let subject = try maker.subject(list) else {
        throw Self.refusal("its prints are not there any more")
      }
      try check(subject)
      // Closes the file of the rows again.
      defer { if recorder.ledger({ $0.isArchived(list) }) { recorder.archived(list) } }
      let thumbnails = try await makeThumbnails(of: subject)
      try check(subject)
      forget(list)
      try write(subject, .made)
      state.withLock { state in
        state.pages[list] = nil
        state.unfinished.remove(list)
      }
      let page = SheetPage.file(1)
      return SheetReport(
        page: places.shownPrints(of: subject.open.terms).map { page.path(in: $0) } ?? "\(page)",
        pages: Int(subject.pages), thumbnails: thumbnails)
    }
  }

  /// Its prints are still its own, and it is not being removed.
  private func check(_ subject: SheetMaker.Subject) throws(Failure) {
    let list = subject.id
    if let heir = heir(of: subject) {
      throw Self.refusal("list \(heir) has taken over its prints; name that one")
    }
    if recorder.ledger({ $0[list] == nil }) || index.reserved(list) != nil {
      throw Self.refusal("it is not known any more")
    }
  }

  private static func refusal(_ reason: String) -> Failure {
    Failure(.final, code: "sheet.none", reason: reason)
  }

  private func makeThumbnails(of subject: SheetMaker.Subject) async throws(Failure) -> Int {
    guard let height = settings.current.output.thumbnails else { return 0 }
    let rows = try recorder.results.reader(subject.id)
    let sheet = try asMachine { () throws(SystemError) in
      _ = try subject.prints.sheetFolder()
      return try SheetFolder(of: subject.prints.folder)
    }
    var made = 0
    var first: UInt32 = 1
    while first <= subject.head.total {
      if Task.isCancelled { throw .cancelled }
      try check(subject)
      let last = min(first + Self.batch - 1, subject.head.total)
      var wanted: [ResultRow] = []
      for number in first...last {
        guard let row = try? rows.row(number), row.state == .filtered else { continue }
        if row.thumbnail == nil || (try? sheet?.has(number)) != true { wanted.append(row) }
      }
      let fresh = await thumbnails(of: wanted, subject, height)
      if !fresh.isEmpty {
        try check(subject)
        try await recorder.record([], after: fresh.map { .row(subject.id, $0) })
      }
      made += fresh.count
      first = last + 1
    }
    return made
  }

  /// The rows of the thumbnails that could be made.
  private func thumbnails(
    of rows: [ResultRow], _ subject: SheetMaker.Subject, _ height: UInt16
  ) async -> [ResultRow] {
    let draw = ThumbnailDraw(
      open: subject.open, prints: subject.prints, index: index, workers: workers,
      settings: settings.current.filter, height: height)
    return await withTaskGroup(of: ResultRow?.self) { group in
      for row in rows { group.addTask { await draw.make(row) } }
      var made: [ResultRow] = []
      for await row in group { if let row { made.append(row) } }
      return made
    }
  }
}

/// Makes the thumbnail of a print that is finished: a worker reads the print through a filter that changes nothing.
/// Concurrency: immutable; runs in the disk home.
private struct ThumbnailDraw: Sendable {
  let open: OpenList
  let prints: PrintFolder
  let index: ListIndex
  let workers: any Workers
  let settings: Settings.Filter
  let height: UInt16

  func make(_ row: ResultRow) async -> ResultRow? {
    let photo = PhotoID(list: open.id, number: row.photo)
    guard let entry = try? open.catalog.entry(row.photo),
      let format = PictureFormat(rawValue: row.format),
      let print = try? prints.folder.open(open.printName(row.photo, entry.name, format), .read),
      // The worker writes a print as well, which is thrown away.
      let copy = try? prints.folder.openUnnamed(FileName(made: ".\(open.id)-\(row.photo).again")),
      let draft = prints.thumbnailDraft(photo)
    else { return nil }
    guard
      let small = try? WorkerFile(
        for: draft, in: prints.folder, as: FileName(made: ".\(open.id)-\(row.photo).small"))
    else {
      prints.discard(draft)
      return nil
    }
    let order = DevelopOrder(
      owner: open.about.owner, serviceClass: .utility, filter: .sepia(thousandths: 0),
      metadata: .strip, maximumPixels: settings.maximumPixels,
      maximumMemory: settings.maximumMemory, timeout: settings.timeout)
    let developed = try? await workers.develop(
      print, into: copy, thumbnail: Thumbnail.Order(file: small.written, height: height), order)
    guard let thumbnail = developed?.thumbnail,
      index.heir(of: open.id, in: open.terms.prints) == nil, small.show(in: prints, of: row.photo)
    else {
      prints.discard(draft)
      return nil
    }
    var row = row
    row.thumbnail = thumbnail
    return row
  }
}
