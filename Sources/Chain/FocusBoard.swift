// SPDX-License-Identifier: Apache-2.0
// The photos that people look at now: the leases of their viewers, the order in which their photos go first,
// and the photos that make room for them. A value: no clock, no lock; `Admission` asks it. A restart loses it.
//
// A focused photo takes a turn of its owner, never one of another owner; one turn in eight of the owner goes
// to its other photos, so that none starves. Viewers of one owner take turns.

package import Vocabulary

package struct FocusBoard: Sendable {
  package struct Viewer: Hashable, Sendable {
    package let list: ListID
    package let user: UInt32
    /// Tells the viewers of one user apart.
    package let name: OutsideText

    package init(_ list: ListID, user: UInt32, name: OutsideText = "") {
      self.list = list
      self.user = user
      self.name = name
    }
  }

  /// The list is not being worked on, or not yet.
  package static let notAtWork = Failure(
    .final, code: "focus.early",
    reason: "the list is not at work yet; 'darkroomctl why' says why")
  package static let tooManyViewers = Failure(
    .final, code: "focus.full",
    reason: "at most \(mostOfList) viewers may have a focus on a list, "
      + "\(mostOfOwner) on the lists of one user, and \(mostViewers) in all")

  package static let mostPhotos = 1000
  package static let mostViewers = 256
  /// The most viewers of all lists of one owner, so that one user alone cannot use up `mostViewers`.
  package static let mostOfOwner = 32
  /// The most viewers of one list.
  package static let mostOfList = 16
  package static let longestLease = Duration.seconds(3600)
  /// How long a focused photo waits for a place before a transfer makes room. A photo without a transfer makes
  /// room at once.
  package static let patience = Duration.milliseconds(250)

  private struct Lease: Sendable {
    let owner: UInt32
    var until: Duration
    /// When the photos were named.
    var since: Duration
    let photos: Set<UInt32>
    /// Those that were not looked at yet, the next one last.
    var queue: [UInt32]
  }

  struct Candidate: Sendable {
    let photo: PhotoID
    var prospect: Admission.Prospect?
  }

  struct Waiting: Sendable {
    let photo: PhotoID
    var host: String
    let since: Duration
  }

  /// The use of the place of a photo that makes room.
  enum Heir: Equatable, Sendable {
    /// The next focused photo of the owner gets its place in the window.
    case window
    /// This photo gets the place in the window, and the place at the host of both photos.
    case host(PhotoID)
    /// The photo itself, which begins again in another class.
    case itself
    /// Only its connection was needed.
    case none
  }

  private var leases: [Viewer: Lease] = [:]
  private var turns: [Viewer] = []
  /// The number of leases that name each photo.
  private var marks: [PhotoID: Int] = [:]
  private var candidates: [UInt32: Candidate] = [:]
  /// By owner, in order of arrival.
  private(set) var atHosts: [UInt32: [Waiting]] = [:]
  /// The places that an owner has got since its focus began.
  private var given: [UInt32: Int] = [:]
  /// Photos whose chains are being cancelled to make room.
  private(set) var heirs: [PhotoID: Heir] = [:]
  /// Photos that have made room once. They do not make room again until they are done.
  private(set) var displaced: Set<PhotoID> = []
  /// The number of places in the window that each owner's focus is still to get from other photos.
  private var owed: [UInt32: Int] = [:]
  /// Photos that have a place, and whose chains can begin.
  private var granted: [PhotoID] = []

  // MARK: leases

  package var isEmpty: Bool { leases.isEmpty }
  package var nextEnd: Duration? { leases.values.map(\.until).min() }
  package func isFocused(_ photo: PhotoID) -> Bool { marks[photo] != nil }
  package func holds(_ viewer: Viewer) -> Bool { leases[viewer] != nil }

  /// Begins or renews a lease. A photo that an earlier lease of the viewer has named too is looked at again.
  mutating func set(
    _ viewer: Viewer, of owner: UInt32, _ photos: [UInt32], until: Duration, now: Duration
  ) throws(Failure) {
    let old = leases[viewer]
    if old == nil {
      let own = leases.keys.count { $0.list == viewer.list }
      let owned = leases.values.count { $0.owner == owner }
      guard leases.count < Self.mostViewers, owned < Self.mostOfOwner, own < Self.mostOfList else {
        throw Self.tooManyViewers
      }
      turns.append(viewer)
    }
    var seen: Set<UInt32> = []
    let queue = photos.filter { seen.insert($0).inserted }
    for number in seen { marks[PhotoID(list: viewer.list, number: number), default: 0] += 1 }
    if let old { unmark(viewer.list, old.photos) }
    leases[viewer] = Lease(
      owner: owner, until: until, since: old?.photos == seen ? old?.since ?? now : now,
      photos: seen, queue: queue.reversed())
  }

  /// Returns false if there is no such lease.
  mutating func end(_ viewer: Viewer) -> Bool {
    guard let lease = leases.removeValue(forKey: viewer) else { return false }
    turns.removeAll { $0 == viewer }
    unmark(viewer.list, lease.photos)
    if !leases.values.contains(where: { $0.owner == lease.owner }) {
      (given[lease.owner], owed[lease.owner]) = (nil, nil)
    }
    return true
  }

  mutating func expire(_ now: Duration) {
    for (viewer, lease) in leases where lease.until <= now { _ = end(viewer) }
  }

  private mutating func unmark(_ list: ListID, _ numbers: Set<UInt32>) {
    for number in numbers {
      let photo = PhotoID(list: list, number: number)
      let left = (marks[photo] ?? 1) - 1
      marks[photo] = left > 0 ? left : nil
    }
    for (owner, waiting) in atHosts {
      let left = waiting.filter { marks[$0.photo] != nil }
      atHosts[owner] = left.isEmpty ? nil : left
    }
    candidates = candidates.filter { marks[$0.value.photo] != nil }
  }

  /// The list is not worked on any more.
  mutating func drop(_ list: ListID) {
    for viewer in turns where viewer.list == list { _ = end(viewer) }
    heirs = heirs.filter { $0.key.list != list }
    displaced = displaced.filter { $0.list != list }
    granted.removeAll { $0.list == list }
  }

  // MARK: turns

  /// True if the next place of the owner is for a focused photo.
  func goesFirst(_ owner: UInt32) -> Bool { given[owner, default: 0] % 8 != 7 }

  /// The owner has got a place.
  mutating func gave(_ owner: UInt32) { given[owner, default: 0] += 1 }

  /// True if a photo of the list was not looked at yet.
  func waits(_ list: ListID) -> Bool {
    leases.contains { $0.key.list == list && !$0.value.queue.isEmpty }
      || candidates.values.contains { $0.photo.list == list }
  }

  /// The owner's next photo, of the viewer whose turn it is.
  mutating func next(_ owner: UInt32, unless isStill: (ListID) -> Bool) -> Candidate? {
    if let candidate = candidates[owner] {
      if !isStill(candidate.photo.list) { return candidate }
      again(candidate.photo)
      candidates[owner] = nil
    }
    let viewer = turns.first { viewer in
      leases[viewer].map { $0.owner == owner && !$0.queue.isEmpty } == true && !isStill(viewer.list)
    }
    guard let viewer, let number = leases[viewer]?.queue.popLast() else { return nil }
    turns.removeAll { $0 == viewer }
    turns.append(viewer)
    let candidate = Candidate(photo: PhotoID(list: viewer.list, number: number))
    candidates[owner] = candidate
    return candidate
  }

  /// Returns false if the photo is not a candidate.
  mutating func learn(_ photo: PhotoID, _ prospect: Admission.Prospect) -> Bool {
    guard let owner = candidates.first(where: { $0.value.photo == photo })?.key else {
      return false
    }
    candidates[owner]?.prospect = prospect
    return true
  }

  /// The owner's candidate has been looked at.
  mutating func looked(_ owner: UInt32) { candidates[owner] = nil }

  /// A photo has come back: it is looked at before the others of its lease.
  mutating func again(_ photo: PhotoID) {
    guard marks[photo] != nil else { return }
    let viewer = turns.first {
      $0.list == photo.list && leases[$0]?.photos.contains(photo.number) == true
    }
    guard let viewer, leases[viewer]?.queue.contains(photo.number) == false else { return }
    leases[viewer]?.queue.append(photo.number)
  }

  // MARK: hosts

  mutating func waits(_ photo: PhotoID, of owner: UInt32, at host: String, now: Duration) {
    guard atHosts[owner]?.contains(where: { $0.photo == photo }) != true else { return }
    atHosts[owner, default: []].append(Waiting(photo: photo, host: host, since: now))
  }

  /// A photo that waits, in the focus or not, waits at another host now.
  mutating func moved(_ photo: PhotoID, of owner: UInt32, to host: String) {
    guard let place = atHosts[owner]?.firstIndex(where: { $0.photo == photo }) else { return }
    atHosts[owner]?[place].host = host
  }

  mutating func left(_ photo: PhotoID, of owner: UInt32) {
    guard let waiting = atHosts[owner] else { return }
    let rest = waiting.filter { $0.photo != photo }
    atHosts[owner] = rest.isEmpty ? nil : rest
  }

  // MARK: making room

  /// The photos of each lease that wait for a place in the window, and since when.
  var queues: [(list: ListID, owner: UInt32, photos: Int, since: Duration)] {
    turns.compactMap { viewer in
      leases[viewer].map { (viewer.list, $0.owner, $0.queue.count, $0.since) }
    }
  }

  mutating func displace(_ photo: PhotoID, for heir: Heir) {
    heirs[photo] = heir
    if heir != .itself { displaced.insert(photo) }
  }

  /// The photo's chain has ended. The facts that were learned before it may not be true any more.
  mutating func ended(_ photo: PhotoID, isDone: Bool) -> Heir? {
    for (owner, candidate) in candidates where candidate.photo == photo {
      candidates[owner]?.prospect = nil
    }
    if isDone { displaced.remove(photo) }
    return heirs.isEmpty ? nil : heirs.removeValue(forKey: photo)
  }

  mutating func owe(_ owner: UInt32) { owed[owner, default: 0] += 1 }
  var debtor: UInt32? { owed.keys.min() }

  /// The debt has been paid, or cannot be.
  mutating func paid(_ owner: UInt32, all: Bool) {
    let left = (owed[owner] ?? 1) - 1
    owed[owner] = all || left <= 0 ? nil : left
  }

  mutating func grant(_ photo: PhotoID) { granted.append(photo) }
  mutating func takeGranted() -> PhotoID? { granted.isEmpty ? nil : granted.removeFirst() }
}
