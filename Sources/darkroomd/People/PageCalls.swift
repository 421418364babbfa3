// SPDX-License-Identifier: Apache-2.0
// Answers the calls of a page on which people look at a list: `Open`, `Redeem`, `States`, `Colours`, `Find` and
// `Picture`. Decides for whom a caller with a view acts, and what such a caller may ask. Raises `ControlError`.
// Concurrency model: `state` guards tokens and key; files are read and written in `onDisk`, outside of it. `making` lets
// one thread of `onDisk` at a time read or make the file of the key.

import Catalog
import Files
import Linux
import Output
import Record
import Steer
import Synchronization
import Vocabulary

final class PageCalls: Sendable {
  private struct State {
    var tokens = ViewTokens()
    var key: ViewKey?
  }

  /// A view lasts for a day; `darkroomctl open` makes another.
  private static let lifetime: UInt32 = 24 * 3600
  private static let keyName = FileName(literal: "view-key")
  /// The number of photos of a group that are asked for their colours, about.
  private static let photosOfGroup: UInt64 = 4
  /// Names that one call looks at.
  private static let namesAtOnce: UInt32 = 100_000

  private let views: Views
  private let folder: any Folder
  private let state = Mutex(State())
  private let making = Mutex(())
  /// - Parameter folder: keeps the key of the views.
  init(_ views: Views, in folder: any Folder) { (self.views, self.folder) = (views, folder) }

  // MARK: views

  /// The caller for whom the call is made: with a view, its user, who may ask about its list alone.
  func admitted(
    _ call: any ControlMethod, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlPeer {
    guard let text = peer.view else { return peer }
    let key = try await key()
    guard let right = key.right(in: text, now: views.clock.wallTime() / 1000) else {
      throw .permissionDenied(why: "this view is over; 'darkroomctl open' makes another")
    }
    guard let reference = call.viewed, reference.text == "\(right.list)" else {
      throw .permissionDenied(why: "this view is one of list \(right.list) alone")
    }
    return ControlPeer(process: peer.process, user: right.user, group: peer.group)
  }

  func open(_ order: OpenOrder, _ peer: ControlPeer) throws(ControlError) -> OpenReport {
    let list = try views.choose(order.list, for: peer)
    let random: [UInt8]
    do throws(SystemError) { random = try ThisProcess.randomBytes(ViewTokens.size) } catch {
      throw .notPossible(why: "there are no random numbers: \(error)")
    }
    let promise = ViewTokens.Promise(list: list.number, user: peer.user)
    let token = state.withLock {
      $0.tokens.make(promise, random: random, now: views.clock.uptime())
    }
    guard let token else { throw .notPossible(why: "too many pages wait to be opened") }
    return OpenReport(list: try views.summary(list), token: token)
  }

  func redeem(
    _ order: RedeemOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> RedeemReport {
    // First: a token is not used up for a view that cannot be signed.
    let key = try await key()
    let promise = state.withLock { $0.tokens.take(order.token, now: views.clock.uptime()) }
    guard let promise else {
      throw .permissionDenied(
        why: "this address was used, or is older than two minutes; 'darkroomctl open' makes another"
      )
    }
    let right = ViewRight(
      list: promise.list, user: promise.user,
      until: views.clock.wallTime() / 1000 + UInt64(Self.lifetime))
    return RedeemReport(
      list: promise.list, user: promise.user, view: key.text(of: right), seconds: Self.lifetime)
  }

  /// The key is made at the first use, and is private to the daemon. Removing its file ends all views at the next start.
  private func key() async throws(ControlError) -> ViewKey {
    if let key = state.withLock({ $0.key }) { return key }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try await onDisk { () throws(SystemError) in
        try making.withLock { (_) throws(SystemError) -> [UInt8] in try storedKey() }
      }
    } catch { throw .notPossible(why: "the key of the views cannot be read: \(error)") }
    guard let key = ViewKey(bytes) else {
      throw .notPossible(why: "the key of the views is damaged; remove \(Self.keyName)")
    }
    return state.withLock { state in
      // Two callers may have come at once: both use the key that was kept first.
      state.key = state.key ?? key
      return state.key ?? key
    }
  }

  private func storedKey() throws(SystemError) -> [UInt8] {
    if try !folder.has(Self.keyName) {
      let random = try ThisProcess.randomBytes(ViewKey.size)
      try folder.write(whole: random, as: Self.keyName, mode: 0o600)
    }
    return try folder.open(Self.keyName, .read).read(at: 0, upTo: ViewKey.size + 1)
  }

  // MARK: looking

  func states(_ order: StatesOrder, _ peer: ControlPeer) async throws(ControlError) -> StatesReport
  {
    let list = try views.choose(order.list, for: peer)
    // Before the states: a change in between is told twice, not lost.
    let record = views.recorder.tail.last
    let summary = try views.summary(list)
    let first = min(order.offset, summary.total)
    let count = min(order.limit, summary.total - first)
    let digits =
      count == 0
      ? []
      : try await views.scans.run(of: peer.user) { () throws(ControlError) in
        try self.digits(of: list, from: first, count)
      }
    return StatesReport(
      list: summary, record: record, states: String(decoding: digits, as: UTF8.self),
      mayFocus: peer.mayChange(listOf: summary.owner))
  }

  private func digits(
    of list: ListID, from first: UInt32, _ count: UInt32
  ) throws(ControlError) -> [UInt8] {
    if let digits = known(of: list, first..<(first + count)) { return digits }
    return try stored(of: list, first..<(first + count))
  }

  /// Nil for a list that is over, because its photos are no longer in memory.
  private func known(of list: ListID, _ places: Range<UInt32>) -> [UInt8]? {
    views.recorder.ledger { ledger in
      guard let entry = ledger[list], !entry.state.isFinal else { return nil }
      return places.map { place in entry.state(of: place + 1).state(with: .success(nil)).digit }
    }
  }

  private func stored(
    of list: ListID, _ places: Range<UInt32>
  ) throws(ControlError) -> [UInt8] {
    let rows = try self.rows(of: list)
    let known = views.recorder.ledger { $0.state(of: PhotoID(list: list, number: 1)) }
    var digits: [UInt8] = []
    try PhotoScans.each(of: places) { block in
      for place in block { digits.append(known.state(with: rows.look(place + 1)).digit) }
      return true
    }
    return digits
  }

  private func rows(of list: ListID) throws(ControlError) -> ResultReader {
    do throws(Failure) { return try views.recorder.results.reader(list) } catch {
      throw .notPossible(why: "its results cannot be read: \(error.reason)")
    }
  }

  /// The colours of the first of a few photos of each group that has some. A row may be from before its record: it
  /// tells nothing that is not soon told. Like pictures, they come from the list that holds the prints.
  func colours(
    _ order: ColoursOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ColoursReport {
    let list = try views.choose(order.list, for: peer)
    let (total, groups) = (try views.summary(list).total, UInt32(order.groups))
    if isSucceeded(list) {
      return ColoursReport(groups: Array(repeating: "", count: Int(groups)))
    }
    return ColoursReport(
      groups: try await views.scans.run(of: peer.user) { () throws(ControlError) in
        try self.colours(of: total, by: groups, from: try self.rows(of: list))
      })
  }

  private func colours(
    of total: UInt32, by groups: UInt32, from rows: ResultReader
  ) throws(ControlError) -> [String] {
    var colours: [String] = []
    let (total, all) = (UInt64(total), UInt64(groups))
    // Several photos of each group are read.
    try PhotoScans.each(of: 0..<groups, by: PhotoScans.block / UInt32(Self.photosOfGroup)) {
      block in
      for group in block.lazy.map(UInt64.init) {
        // As the page divides them.
        let first = (group * total + all - 1) / all
        let end = ((group + 1) * total + all - 1) / all
        let step = max(1, (end - first) / Self.photosOfGroup)
        var digits = ""
        for place in stride(from: first, to: end, by: Int(step)) where digits.isEmpty {
          digits = rows.thumbnail(UInt32(place + 1))?.grid.digits ?? ""
        }
        colours.append(digits)
      }
      return true
    }
    return colours
  }

  func find(
    _ order: FindOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> FindReport {
    let list = try views.choose(order.list, for: peer)
    return try await views.scans.run(of: peer.user) { () throws(ControlError) in
      try search(order, in: list)
    }
  }

  private func search(
    _ order: FindOrder, in list: ListID
  ) throws(ControlError) -> FindReport {
    let catalog = try views.catalog(of: list)
    let (last, isOver) = order.after.addingReportingOverflow(Self.namesAtOnce)
    let end = isOver ? catalog.count : min(catalog.count, last)
    let wanted = OutsideText(checked: order.text).lowered
    var found: UInt32?
    try PhotoScans.each(of: order.after..<max(order.after, end)) { block in
      found = block.first { place in
        guard let name = try? catalog.entry(place + 1).name else { return false }
        return OutsideText(checked: name).lowered.contains(wanted)
      }
      return found == nil
    }
    if let found { return FindReport(photo: found + 1) }
    return FindReport(more: end < catalog.count ? end : nil)
  }

  // MARK: pictures

  /// A later list prints into the folder, which may be a private one: this list has no pictures there.
  private func isSucceeded(_ list: ListID) -> Bool {
    views.index[list].map { views.index.heir(of: list, in: $0.terms.prints) != nil } ?? true
  }

  /// The file is opened here: the caller may be a process that cannot read it, but acts for a user who may.
  func picture(
    _ order: PictureOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> PictureReport {
    let list = try views.choose(order.list, for: peer)
    // A copy of a print in a store would take room on this machine for as long as a caller holds it.
    guard let label = views.index[list], views.expiry(of: list) == nil,
      label.terms.storedPrints(in: views.lists.folders) == nil
    else { return PictureReport() }
    let name: FileName
    if order.isThumbnail {
      name = Thumbnail.file(order.photo)
    } else {
      let photo = ShowOrder(list: ListReference("\(list)"), offset: order.photo - 1, limit: 1)
      let print = try await views.show(photo, for: peer).photos.first.flatMap { FileName($0.print) }
      guard let print else { return PictureReport() }
      name = print
    }
    let folders = [label.terms.prints] + (order.isThumbnail ? [Thumbnail.folder] : [])
    let file = try await onDisk { () throws(ControlError) in
      try self.open(name, in: folders, of: list, label.terms)
    }
    // A list is known before it prints: what was opened before one took over is a picture of this list.
    if isSucceeded(list) { return PictureReport() }
    let type = name.hasSuffix(".png") ? "image/png" : "image/jpeg"
    return PictureReport(type: file == nil ? nil : type, file: file)
  }

  /// Nil if it is missing, or if another list has its prints there.
  private func open(
    _ name: FileName, in folders: [FileName], of list: ListID, _ terms: FrozenSettings
  ) throws(ControlError) -> LinuxFile? {
    guard let home = views.places.printsHome(of: terms) else { return nil }
    do throws(SystemError) {
      var folder = try LinuxFolder.open(path: home)
      for name in folders {
        folder = try folder.openFolder(name, creating: false)
        if name == terms.prints, let mark = terms.mark(of: list),
          try !mark.claim(on: folder).mayPrint
        {
          return nil
        }
      }
      let file = try folder.openFile(name, .read)
      return try file.status().kind == .file ? file : nil
    } catch {
      if error.isMissing { return nil }
      throw .notPossible(why: "it cannot be read: \(error)")
    }
  }
}
