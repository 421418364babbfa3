// SPDX-License-Identifier: Apache-2.0
// The rest of the daemon, scripted: a list is good if it ends in "end", and "killer" kills its
// worker. Records survive a restart, as on a disk.

import Accept
import Files
import Linux
import Support
import Synchronization
import Vocabulary

final class ScriptedRules: IntakeRules {
  struct State {
    var last: UInt64 = 0
    var recorded: [ListID: AboutFile] = [:]
    /// Lists that were prepared, and neither recorded nor given up.
    var drafts: Set<ListID> = []
    var accepts = 0
    var reads = 0
    /// For each death of a worker, whether it was the last one allowed.
    var deaths: [Bool] = []
    var rejected: [(list: ListID, name: FileName, code: String)] = []
    var ignored: [String: IgnoredReason] = [:]
    var troubles: [String?] = []
    var isClosed = false
    var setAside: [ListID] = []
    var skipped: [ListID] = []
    /// True if recorded lists stay at work, so that a copy is a twin; otherwise they are over at
    /// once.
    var knowsTwins = false
    var repeated: [ListID] = []
    var fullness: Failure?
    var standing: Failure?
    /// By the users whom it concerns alone.
    var full: [UInt32: Failure] = [:]
    /// The looks at the disks, and the questions whether there is room.
    var looks = 0
    var questions = 0
    var largestPicture = UInt64.max
    /// The most lists at work, if they are limited; a recorded list stays at work.
    var mostLists: Int?
    /// The room for lists, if it is limited.
    var room: UInt64?
    /// The room that an empty disk has.
    var most = UInt64.max
    /// Entries are `PATH: REASON`.
    var left: [String] = []
    var surveys: [String] = []
    var overflows: [Int] = []
    /// Entries are `NAME: code` or `NAME: over`.
    var waits: [String] = []
    /// Entries are `WHOSE: code` or `WHOSE: over`.
    var crowds: [String] = []
    /// The failure of the next read, used once.
    var readFailure: Failure?
    /// The files that workers have written. They keep them.
    var written: [any OpenFile] = []
    /// The owner has another list of the name.
    var isLate = false
    /// Each runs once: after a list is read, and before it is recorded.
    var onPrepare: (@Sendable () -> Void)?
    var onAccept: (@Sendable () -> Void)?
  }

  let state = Mutex(State())
  let copies = CopyRoom()
  /// Lists longer than a megabyte are read until this changes.
  let longRead = ChangeSignal()
  let cut: Cut
  /// Events as they happen, such as `accepted a.plist` or `trouble over`.
  let events: AsyncStream<String>
  private let feed: AsyncStream<String>.Continuation

  init(_ cut: Cut = Cut()) {
    self.cut = cut
    (events, feed) = AsyncStream.makeStream()
  }

  var recorded: [ListID: AboutFile] { state.withLock { $0.recorded } }
  var names: [String] { recorded.values.map { "\($0.name)" }.sorted() }
  var rejectedCodes: [String] { state.withLock { $0.rejected.map(\.code) } }

  var waits: [String] { state.withLock { $0.waits } }

  func nextNumber() -> ListID {
    state.withLock { state in
      state.last += 1
      return ListID(state.last)
    }
  }

  func standing() async -> IntakeStanding? {
    // As the look at a disk does.
    await Task.yield()
    return state.withLock { state in
      state.looks += 1
      return IntakeStanding(
        record: state.standing, machine: state.fullness, left: state.room ?? .max,
        most: state.most)
    }
  }

  func isRecorded(_ list: ListID) -> Bool { state.withLock { $0.recorded[list] != nil } }

  func largestPicture() -> UInt64 { state.withLock { $0.largestPicture } }

  func twin(of name: FileName, owner: UInt32, sha256: String) -> ListID? {
    guard state.withLock({ $0.knowsTwins }) else { return nil }
    return recorded.first { $0.value.name == name && $0.value.sha256 == sha256 }?.key
  }

  func foresee(for user: UInt32) {}

  func tell(_ news: InboxNews) {
    switch news {
    case .repeated(let name, let list, _):
      state.withLock { $0.repeated.append(list) }
      feed.yield("repeated \(name)")
    case .workerDied(_, _, _, let isLast): state.withLock { $0.deaths.append(isLast) }
    case .ignored(let name, let reason):
      state.withLock { $0.ignored["\(name)"] = reason }
      feed.yield("ignored \(name)")
    case .left(let files):
      state.withLock { $0.left += files.map { "\($0.text): \($0.reason)" } }
    case .waits(let name, let failure):
      state.withLock { $0.waits.append("\(name): \(failure?.code ?? "over")") }
    case .crowded(let crowd, let failure):
      state.withLock { $0.crowds.append("\(crowd): \(failure?.code ?? "over")") }
    case .troubled(let failure, let isClosed):
      state.withLock { state in
        state.troubles.append(failure?.code)
        state.isClosed = isClosed
      }
      feed.yield("trouble \(failure?.code ?? "over")")
    case .surveyed(_, let words): state.withLock { $0.surveys.append(words) }
    case .overflowed(let names): state.withLock { $0.overflows.append(names) }
    case .setAside(let list, _): state.withLock { $0.setAside.append(list) }
    case .skipped(let list, _): state.withLock { $0.skipped.append(list) }
    case .changed: break
    }
  }

  func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile
  ) async throws(Failure) {
    let failure = state.withLock { state in
      defer { state.readFailure = nil }
      return state.readFailure
    }
    if let failure {
      state.withLock { $0.reads += 1 }
      throw failure
    }
    do throws(SystemError) {
      if try list.status().size > 1 << 20 {
        feed.yield("reading a long list")
        await longRead.change(after: 0)
      }
      if Task.isCancelled { throw SystemError(.cancelled, call: "read", thing: "list") }
      try cut.step("read list")
      let bytes = try list.read(at: 0, upTo: 1 << 22)
      state.withLock { $0.reads += 1 }
      if bytes.elementsEqual("killer".utf8) { throw SystemError(code: -1, call: "", thing: "") }
      // The lists that Accept makes of pictures are good, too.
      let isGood = ["end", "</plist>\n"].contains {
        bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
      }
      guard isGood else {
        throw SystemError(code: 0, call: "parse", thing: "list")
      }
      try catalog.write(Array("catalog of ".utf8) + bytes, at: 0)
      state.withLock { $0.written.append(catalog) }
    } catch {
      if error.code == -1 {
        throw Failure(.passing, code: "worker.died", reason: "the worker ended with signal 11")
      }
      if error.isCancelled { throw .cancelled }
      if error.code != 0 { throw machine(error) }
      throw Failure(.final, code: "list.syntax", reason: "line 1: no end", advice: "Add it")
    }
  }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let act = state.withLock { state in
      defer { state.onPrepare = nil }
      return state.onPrepare
    }
    act?()
    if state.withLock({ $0.isLate }) { throw .late }
    state.withLock { _ = $0.drafts.insert(draft.list) }
    return ListTerms(photos: 3, serviceClass: .utility, settings: "Filter=sepia(0.8)\n")
  }

  func folderKey(of name: ListName) -> String { name.text.lowercased() }

  func claimed(_ list: ListID) -> [SyncStep] { [] }

  func giveUp(_ list: ListID) { state.withLock { _ = $0.drafts.remove(list) } }

  /// A retry list continues the newest list of its name.
  func continuation(of draft: ListDraft) async throws(Failure) -> RepeatOrder? {
    let stems = ListName(draft.name).continued
    let earlier = recorded.filter { stems.contains(ListName($0.value.name).stem) }.keys.max()
    return earlier.map { RepeatOrder($0, of: draft.owner) }
  }

  func prepare(
    _ draft: ListDraft, again order: RepeatOrder, _ terms: ListTerms
  ) async throws(Failure) -> ListTerms {
    state.withLock { _ = $0.drafts.insert(draft.list) }
    return ListTerms(
      photos: terms.photos, serviceClass: terms.serviceClass,
      settings: "again \(order.earlier)\n\(terms.settings)")
  }

  func accept(
    _ list: ListID, _ acceptance: Acceptance, _ about: AboutFile, by user: UInt32?
  ) async throws(Failure) {
    let act = state.withLock { state in
      defer { state.onAccept = nil }
      return state.onAccept
    }
    act?()
    do throws(SystemError) {
      try cut.step("record accepted")
      state.withLock { state in
        state.accepts += 1
        state.recorded[list] = about
        state.drafts.remove(list)
      }
      try cut.step("answer accepted")
    } catch { throw machine(error) }
    feed.yield("accepted \(about.name)")
  }

  func reject(
    _ list: ListID, name: FileName, owner: UInt32, _ failure: Failure
  ) async throws(Failure) {
    do throws(SystemError) {
      try cut.step("record rejected")
      state.withLock { $0.rejected.append((list, name, failure.code)) }
      try cut.step("answer rejected")
    } catch { throw machine(error) }
    feed.yield("rejected \(name)")
  }

  func fullness(
    for user: UInt32, besides lists: Int, adding bytes: UInt64, on standing: IntakeStanding
  ) -> Failure? {
    let own = state.withLock { state in
      state.questions += 1
      let isFull = state.mostLists.map { state.recorded.count + lists >= $0 } ?? false
      return isFull ? Self.noPlace : state.full[user]
    }
    if let failure = standing.machine ?? own { return failure }
    if bytes > standing.most { return Self.tooLarge }
    let others = copies.promised(on: standing.device)
    return bytes > standing.left - min(standing.left, others) ? Self.noRoom : nil
  }

  private static let tooLarge = Failure(.final, code: "pictures.large", reason: "too large")

  private static let noRoom = Failure(.machine, code: "inbox.full", reason: "no room")

  private static let noPlace = Failure(.machine, code: "inbox.full", reason: "no place")

  /// Waits until each of these events has happened.
  func wait(for wanted: Set<String>) async {
    var wanted = wanted
    for await event in events {
      wanted.remove(event)
      if wanted.isEmpty { return }
    }
  }

  private func machine(_ error: SystemError) -> Failure {
    Failure(.machine, code: "system.\(error.code)", reason: error.description)
  }
}
