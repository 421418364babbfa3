// SPDX-License-Identifier: Apache-2.0
// The state in memory: every list by its number. Transitions change it through `apply` alone, in recovery and
// in live work. A transition against the rules is counted and changes nothing else.

package import Vocabulary

package struct Ledger: Equatable, Sendable {
  /// The most photos of a list, whatever the settings say. Each takes one byte of memory.
  package static let maximumPhotos: UInt32 = 50_000_000
  /// The number of archived lists of a user to remember, if no other is set. At a tenth more, the lowest numbers are
  /// forgotten; their folders keep the results.
  package static let finalListsKept = 10_000

  package private(set) var lists: [ListID: ListEntry] = [:]
  /// The number of the next list. No number is used twice, not even that of a rejected list.
  package private(set) var nextList = ListID(1)
  /// How many transitions were against the rules.
  package private(set) var refused: UInt64 = 0
  /// Final lists whose files are in their final place. A list forgotten earlier would be taken for a new one
  /// at the next start. By owner, so that no user drives out the lists of another.
  private var archivedLists: [UInt32?: Set<ListID>] = [:]
  /// Counted with each change: a sum over the users at each end would take long if there are many.
  private var archivedCount = 0
  /// As many archived lists of a user are remembered. Not part of the recorded state.
  package var mostArchived = Ledger.finalListsKept
  /// As many of all users. Beyond it, a tenth of the lists of the user with most are forgotten, the lowest numbers first.
  package var mostOfAll = 200_000
  /// The number of lists and photos with work left.
  package private(set) var open = OpenTotal()
  /// Those of each user. A list whose record names no owner is missing.
  package private(set) var shares: [UInt32: OpenShare] = [:]
  /// The number of all lists of each user, even of lists that are over.
  package private(set) var holdings: [UInt32: Int] = [:]
  package private(set) var bequests = Bequests()

  package init() {}

  package init(nextList: ListID, refused: UInt64, entries: [ListEntry]) {
    for entry in entries { lists[entry.id] = entry }
    for entry in lists.values {
      Self.count(entry, 1, &open, &shares)
      hold(entry, 1)
    }
    self.nextList = nextList
    self.refused = refused
  }

  package subscript(_ list: ListID) -> ListEntry? { lists[list] }

  /// Lists that are not final, by number.
  package var openLists: [ListEntry] {
    lists.values.filter { !$0.state.isFinal }.sorted { $0.id < $1.id }
  }

  /// The totals of the other open lists, and of these.
  package func open(
    besides some: some Sequence<ListID>
  ) -> (others: OpenTotal, these: OpenTotal) {
    var (others, these) = (open, OpenTotal())
    for list in some {
      guard let entry = lists[list], !entry.state.isFinal else { continue }
      others.add(entry, -1)
      these.add(entry, 1)
    }
    return (others, these)
  }

  package func state(of photo: PhotoID) -> RecordedState {
    guard let entry = lists[photo.list] else { return .unknown }
    return entry.state(of: photo.number)
  }

  /// New lists get higher numbers than this one. A number that leaves no higher ones is ignored: no list of
  /// ours has it.
  package mutating func reserve(upTo list: ListID) {
    guard list >= nextList, list.number < JournalFolder.endOfNumbers else { return }
    nextList = ListID(list.number + 1)
  }

  /// Counts changes that were against the rules and not written. The count ends at the largest number that a
  /// snapshot can have.
  package mutating func refuse(_ count: Int) {
    refused = min(refused + UInt64(count), LineCursor.largest)
  }

  @discardableResult
  package mutating func apply(_ transition: Transition) -> Bool {
    let isLegal = step(transition)
    if !isLegal { refuse(1) }
    return isLegal
  }

  /// True if the list may be accepted if its number is free.
  static func mayAccept(_ list: ListID, _ acceptance: Acceptance) -> Bool {
    list.number > 0 && acceptance.photos <= maximumPhotos
  }

  private mutating func step(_ transition: Transition) -> Bool {
    switch transition.change {
    case .accepted(let list, let acceptance):
      guard lists[list] == nil, Self.mayAccept(list, acceptance) else { return false }
      let entry = ListEntry(id: list, acceptance, time: transition.time)
      Self.count(entry, 1, &open, &shares)
      hold(entry, 1)
      lists[list] = entry
      reserve(upTo: list)
      return true
    case .rejected(let list, _):
      guard list.number > 0, lists[list] == nil else { return false }
      reserve(upTo: list)
      return true
    case .removed(let list):
      guard lists[list]?.state.isFinal == true else { return false }
      forget(list)
      return true
    default:
      // An entry is large, so it is changed in place.
      let list = transition.change.list
      guard let place = lists.index(forKey: list) else { return false }
      // A second reference to the originals would make every other change copy them.
      let bequest: [UInt32: Contents]? =
        if case .cancelled = transition.change { lists.values[place].originals } else { nil }
      guard Self.step(transition, &lists.values[place], &open, &shares) else { return false }
      if let bequest { bequests[list] = bequest }
      return true
    }
  }

  private static func step(
    _ transition: Transition, _ entry: inout ListEntry, _ open: inout OpenTotal,
    _ shares: inout [UInt32: OpenShare]
  ) -> Bool {
    count(entry, -1, &open, &shares)
    defer { count(entry, 1, &open, &shares) }
    return entry.apply(transition)
  }

  private static func count(
    _ entry: borrowing ListEntry, _ sign: Int, _ open: inout OpenTotal,
    _ shares: inout [UInt32: OpenShare]
  ) {
    guard !entry.state.isFinal else { return }
    open.add(entry, sign)
    guard let owner = entry.acceptance.owner else { return }
    shares[owner, default: OpenShare()].add(entry, sign)
    if shares[owner]?.lists == 0 { shares[owner] = nil }
  }

  private mutating func hold(_ entry: borrowing ListEntry, _ sign: Int) {
    guard let owner = entry.acceptance.owner else { return }
    let count = holdings[owner, default: 0] + sign
    holdings[owner] = count > 0 ? count : nil
  }

  /// Forgets a final list; ignores any other. Its number is not reused. Not a transition.
  package mutating func forget(_ list: ListID) {
    guard let entry = lists[list], entry.state.isFinal else { return }
    hold(entry, -1)
    lists[list] = nil
    let owner = entry.acceptance.owner
    if archivedLists[owner]?.remove(list) != nil { archivedCount -= 1 }
    if archivedLists[owner]?.isEmpty == true { archivedLists[owner] = nil }
    bequests[list] = [:]
  }

  /// The originals of a cancelled list are gone, or no list can take them over. Not a transition.
  package mutating func dropBequest(of list: ListID) { bequests[list] = [:] }

  /// The files of the final list are in their final place.
  package func isArchived(_ list: ListID) -> Bool {
    guard let entry = lists[list] else { return false }
    return archivedLists[entry.acceptance.owner]?.contains(list) == true
  }

  /// Marks a final list that may be forgotten when it is old; ignores any other. Not a transition: the caller
  /// must repeat it after a recovery.
  package mutating func archived(_ list: ListID) {
    guard let entry = lists[list], entry.state.isFinal else { return }
    let owner = entry.acceptance.owner
    guard archivedLists[owner, default: []].insert(list).inserted, let own = archivedLists[owner]
    else { return }
    archivedCount += 1
    if own.count > mostArchived + mostArchived / 10 {
      for old in own.sorted().prefix(own.count - mostArchived) { forget(old) }
    }
    guard archivedCount > mostOfAll else { return }
    let most = archivedLists.values.max { $0.count < $1.count } ?? []
    for old in most.sorted().prefix(max(1, most.count / 10)) { forget(old) }
  }
}

/// The downloaded originals of cancelled lists, which a revision may take over. They are not part of the state:
/// snapshots leave them out, and without them the photos are downloaded again.
package struct Bequests: Equatable, Sendable {
  private var originals: [ListID: [UInt32: Contents]] = [:]

  package internal(set) subscript(list: ListID) -> [UInt32: Contents] {
    get { originals[list] ?? [:] }
    set { originals[list] = newValue.isEmpty ? nil : newValue }
  }

  package static func == (_: Bequests, _: Bequests) -> Bool { true }
}

/// Updated with every change, so that reading it costs nothing however many lists there are.
package struct OpenTotal: Equatable, Sendable {
  package private(set) var lists = 0
  package private(set) var paused = 0
  package private(set) var photos = 0

  package init() {}

  fileprivate mutating func add(_ entry: borrowing ListEntry, _ sign: Int) {
    lists += sign
    if entry.state == .paused { paused += sign }
    photos += sign * Int(entry.counts.unfinished)
  }
}

/// The lists and photos of one user with work left. Updated as `OpenTotal` is.
package struct OpenShare: Equatable, Sendable {
  package private(set) var lists = 0
  package private(set) var paused = 0
  package private(set) var photos = 0

  package init() {}

  fileprivate mutating func add(_ entry: borrowing ListEntry, _ sign: Int) {
    lists += sign
    if entry.state == .paused { paused += sign }
    photos += sign * Int(entry.counts.unfinished)
  }
}

extension Change {
  var photo: PhotoID? {
    switch self {
    case .accepted, .rejected, .paused, .resumed, .cancelled, .finished, .removed, .quality: nil
    case .downloaded(let photo, _), .filtered(let photo, _), .failed(let photo, _, _, _),
      .retry(let photo, _, _, _, _, _), .lost(let photo), .died(let photo):
      photo
    }
  }
}
