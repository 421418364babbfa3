// SPDX-License-Identifier: Apache-2.0
// Keeps the contact sheets of the lists at work: writes the pages that have changed, every few seconds at most, and all
// that are left when the list ends. Trouble with a page changes nothing else; the next look tries it again. `make`
// raises a `Failure`.
// Concurrency model: one Mutex. `run` and the end of a list may write the same page at once, under different hidden
// names; a page of `run` gets its name under the lock, and only as long as the list has not ended.

import Accept
import Catalog
import Linux
import Output
import Present
import Record
import Steer
import Synchronization
import Vocabulary

final class ContactSheets: Sendable {
  private struct State {
    /// What the written pages show, by their numbers.
    var pages: [ListID: [UInt32: Int]] = [:]
    /// Lists whose last pages are written.
    var ended: Set<ListID> = []
    /// Lists whose sheet a person is having made.
    var making: Set<ListID> = []
  }

  /// Between two looks at the lists. A look that takes long is followed by a longer pause.
  private static let pause = Duration.seconds(4)
  private static let pauseFactor = 20
  /// Prints whose thumbnails are made at once.
  private static let batch: UInt32 = 32

  private let maker: SheetMaker
  private let index: ListIndex
  private let workers: any Workers
  private let settings: LiveSettings
  private let clock: any Timekeeper
  private let changes: ChangeSignal
  private let printsPath: String
  private let state = Mutex(State())

  init(_ ground: Ground, _ maker: SheetMaker, _ index: ListIndex, workers: any Workers) {
    self.maker = maker
    self.index = index
    self.workers = workers
    settings = ground.settings
    clock = ground.clock
    changes = ground.changes
    printsPath = ground.places.prints
  }

  private var recorder: Recorder { maker.recorder }

  // MARK: lists at work

  func run() async {
    while !Task.isCancelled {
      let (seen, start) = (changes.version, clock.uptime())
      await onDisk { update() }
      await clock.rest(max(Self.pause, (clock.uptime() - start) * Self.pauseFactor))
      await changes.change(after: seen)
    }
  }

  private func update() {
    for list in recorder.ledger({ $0.openLists.map(\.id) }) {
      if Task.isCancelled { return }
      if index[list]?.terms.hasSheet == true { try? write(list, isEnd: false) }
    }
  }

  /// Writes the pages that have changed. `isEnd`: for the last time, before the list is returned.
  private func write(_ list: ListID, isEnd: Bool) throws(Failure) {
    guard let subject = try maker.subject(list),
      // A later list has taken over the folder.
      index.printer(into: subject.open.terms.prints) ?? list <= list
    else { return }
    let rows = try recorder.results.reader(list)
    for page in 1...subject.pages {
      if Task.isCancelled { throw .cancelled }
      let mark = maker.mark(page, of: subject)
      let known = state.withLock { $0.pages[list]?[page] }
      if known == mark { continue }
      let draft = try maker.draft(page, of: subject, rows, as: isEnd ? "end" : "work")
      try asMachine { () throws(SystemError) in
        try show(draft, page, subject, mark: mark, isEnd: isEnd)
      }
    }
    guard isEnd else { return }
    try asMachine { () throws(SystemError) in
      try maker.removePages(from: subject.pages + 1, of: subject)
      // A crash may have left a draft.
      try subject.prints.sweep(list)
    }
  }

  private func show(
    _ draft: FileName, _ page: UInt32, _ subject: SheetMaker.Subject, mark: Int, isEnd: Bool
  ) throws(SystemError) {
    let result = state.withLock { state -> Result<Bool, SystemError> in
      if !isEnd, state.ended.contains(subject.id) { return .success(false) }
      do throws(SystemError) {
        try maker.show(draft, as: page, of: subject)
        state.pages[subject.id, default: [:]][page] = mark
        return .success(true)
      } catch { return .failure(error) }
    }
    guard try !result.get() else { return }
    try subject.prints.folder.removeIfThere(draft)
  }

  // MARK: the end

  /// The list is over, and is about to be returned. May wait for a disk.
  func finish(_ list: ListID) {
    guard let terms = index[list]?.terms else { return }
    state.withLock { _ = $0.ended.insert(list) }
    if terms.hasSheet {
      try? write(list, isEnd: true)
    } else if let earlier = terms.revises, index[earlier]?.terms.hasSheet == true {
      // A page of the earlier list would show prints that are not there any more.
      guard let subject = try? maker.subject(list) else { return }
      try? maker.removePages(from: 1, of: subject)
    }
  }

  func forget(_ list: ListID) {
    state.withLock { state in
      state.pages[list] = nil
      state.ended.remove(list)
    }
  }

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
      let prints = subject.open.terms.prints
      if let printer = index.printer(into: prints), printer > list {
        throw Self.refusal("list \(printer) has taken over its prints; name that one")
      }
      let thumbnails = try await makeThumbnails(of: subject)
      state.withLock { $0.pages[list] = nil }
      try write(list, isEnd: true)
      forget(list)
      let folder = String(decoding: prints.bytes, as: UTF8.self)
      return SheetReport(
        page: "\(printsPath)/\(folder)/\(SheetPage.file(1))", pages: Int(subject.pages),
        thumbnails: thumbnails)
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
      let last = min(first + Self.batch - 1, subject.head.total)
      var wanted: [ResultRow] = []
      for number in first...last {
        guard let row = try? rows.row(number), row.state == .filtered else { continue }
        if row.thumbnail == nil || (try? sheet?.has(number)) != true { wanted.append(row) }
      }
      let fresh = await thumbnails(of: wanted, subject, height)
      if !fresh.isEmpty {
        try await recorder.record([], after: fresh.map { .row(subject.id, $0) })
      }
      made += fresh.count
      first = last + 1
    }
    return made
  }

  /// The rows of those that could be made.
  private func thumbnails(
    of rows: [ResultRow], _ subject: SheetMaker.Subject, _ height: UInt16
  ) async -> [ResultRow] {
    let draw = ThumbnailDraw(
      open: subject.open, prints: subject.prints, workers: workers,
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
  let workers: any Workers
  let settings: Settings.Filter
  let height: UInt16

  func make(_ row: ResultRow) async -> ResultRow? {
    let photo = PhotoID(list: open.id, number: row.photo)
    guard let entry = try? open.catalog.entry(row.photo),
      let format = PictureFormat(rawValue: row.format),
      let print = try? prints.folder.open(open.printName(row.photo, entry.name, format), .read),
      // The worker writes a print, too, which is thrown away.
      let copy = try? prints.draft(photo), let small = prints.thumbnailDraft(photo)
    else { return nil }
    defer { prints.discard(copy) }
    let order = DevelopOrder(
      owner: open.about.owner, serviceClass: .utility, filter: .sepia(thousandths: 0),
      metadata: .strip, maximumPixels: settings.maximumPixels,
      maximumMemory: settings.maximumMemory, timeout: settings.timeout)
    let developed = try? await workers.develop(
      print, into: copy.file, thumbnail: Thumbnail.Order(file: small.file, height: height), order)
    guard let thumbnail = developed?.thumbnail, prints.show(small, of: row.photo) else {
      prints.discard(small)
      return nil
    }
    var row = row
    row.thumbnail = thumbnail
    return row
  }
}
