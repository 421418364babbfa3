// SPDX-License-Identifier: Apache-2.0
// The chains of the world: the loop that admits photos, one answer at a time, and the photos on their way.

import Output
import Record
import Support
import Vocabulary

@testable import Chain
@testable import darkroomd

/// A photo with a chain.
struct JointTrip {
  enum Step { case download, filter, output, recording }

  var step: Step
  /// Its host was asked, and the record does not have its original yet.
  var isAsked: Bool
  /// No other step of it begins.
  var isStopping = false
}

extension JointWorld {
  // MARK: the loop

  /// The loop takes a step, or answers the one that it has taken.
  mutating func pump() {
    guard let step = memory.held else {
      memory.held = memory.admission.next(now: now)
      return tellChains()
    }
    memory.held = nil
    switch step {
    case .seek(let list, let after):
      memory.admission.sought(list, disk.ledger[list]?.nextUnfinished(after: after))
    case .ask(let photo): memory.admission.learn(photo, prospect(photo))
    case .give(let admitted): begin(admitted.photo)
    }
    if chance(8) { makeRoom() }
  }

  private func prospect(_ photo: PhotoID) -> Admission.Prospect {
    let standing = disk.ledger.standing(of: photo)
    return Admission.Prospect(
      host: standing?.state == .new ? (photo.number == 3 ? "b" : "a") : nil,
      isTried: standing.map { $0.attempts > 0 } == true, isDone: standing == nil)
  }

  private mutating func begin(_ photo: PhotoID) {
    let found = disk.ledger.standing(of: photo)
    guard let standing = memory.admission.begin(photo, found, now: now) else { return }
    // The list may have been given up since.
    guard memory.admission.holds(photo) else { return }
    if memory.trips[photo] != nil { book.violate("\(photo) is on its way twice") }
    if disk.ledger[photo.list]?.state.isFinal != false {
      book.violate("\(photo) begins, and its list is over or gone")
    }
    if !disk.ledger.state(of: photo).isUnfinished { book.violate("\(photo) begins, and is done") }
    if book.still.contains(photo.list) { book.violate("\(photo) begins after its cancel") }
    let isNew = standing.state == .new
    if isNew { book.asked(photo) }
    memory.trips[photo] = JointTrip(step: isNew ? .download : .filter, isAsked: isNew)
  }

  private mutating func tellChains() {
    for news in memory.admission.setbacks.takeNews() {
      memory.mail.append((.troubled(news.failure), news.list))
    }
    for list in memory.admission.doneLists where memory.toldDone.insert(list).inserted {
      memory.mail.append((.photosDone, list))
    }
  }

  private mutating func makeRoom() {
    let movables = memory.trips.sorted {
      ($0.key.list, $0.key.number) < ($1.key.list, $1.key.number)
    }
    .map { photo, trip in
      Admission.Movable(
        photo, admitted: .zero, trip.step == .download ? .transfers : .settled)
    }
    for photo in memory.admission.makeRoom(movables, now: now) {
      memory.trips[photo]?.isStopping = true
    }
  }

  // MARK: photos on their way

  func isBusy(_ list: ListID) -> Bool { memory.trips.keys.contains { $0.list == list } }

  mutating func stopTrips(of list: ListID) {
    for photo in memory.trips.keys where photo.list == list {
      memory.trips[photo]?.isStopping = true
    }
  }

  mutating func dropChains(_ list: ListID) {
    memory.admission.drop(list, now: now)
    memory.toldDone.remove(list)
    stopTrips(of: list)
  }

  /// A photo goes on, or its chain notices that it has been stopped.
  mutating func move() {
    let moving = memory.trips.filter { $0.value.step != .recording }.keys
      .sorted { ($0.list, $0.number) < ($1.list, $1.number) }
    guard let place = pick(moving.count), let trip = memory.trips[moving[place]] else { return }
    let photo = moving[place]
    if book.still.contains(photo.list) { book.violate("\(photo) runs after its cancel") }
    // A running step may end by itself first.
    if trip.isStopping, chance(2) { return end(photo, .stopped) }
    switch trip.step {
    case .download: download(photo)
    case .filter:
      switch random.number(below: 10) {
      case 0: tryAgain(photo, .filter)
      case 1: record(photo, [.lost(photo)], .retry(after: .zero))
      default: memory.trips[photo]?.step = .output
      }
    case .output:
      // The recorder makes no print of a list that is over.
      if disk.ledger[photo.list]?.state.isFinal == false { print(photo) }
      record(photo, [.filtered(photo, Contents(size: 1, hash: 1))], .filtered)
    case .recording: break
    }
  }

  private mutating func download(_ photo: PhotoID) {
    let choice = random.number(below: 10)
    let failure = Failure(.passing, code: "connect.reset", reason: "the connection broke")
    _ = memory.admission.answered(
      photo, choice == 0 ? .failed(failure) : .answered, now: now, jitter: 0)
    switch choice {
    case 0: tryAgain(photo, .download)
    case 1:
      record(photo, [.failed(photo, .download, code: "http.404", attempt: 1)], .failed)
    default: record(photo, [.downloaded(photo, Contents(size: 1, hash: 1))], nil)
    }
  }

  private mutating func tryAgain(_ photo: PhotoID, _ stage: Stage) {
    record(
      photo, [.retry(photo, stage, code: "x", attempt: 1, after: 1, until: 1)],
      .retry(after: .seconds(1)))
  }

  private mutating func print(_ photo: PhotoID) {
    guard let folder = disk.labels[photo.list]?.terms.prints else { return }
    if let other = disk.prints[folder]?[photo.number],
      disk.families[other] != disk.families[photo.list]
    {
      book.violate("\(photo) replaces a print of \(other)")
    }
    disk.prints[folder, default: [:]][photo.number] = photo.list
  }

  private mutating func record(_ photo: PhotoID, _ changes: [Change], _ end: PhotoEnd?) {
    memory.trips[photo]?.step = .recording
    memory.requests.append(Request(changes: changes, then: .photo(photo, end)))
  }

  /// - Parameter end: nil if the photo goes on.
  mutating func recorded(_ photo: PhotoID, _ last: PhotoEnd?, _ failure: Failure?) {
    if failure == .overtaken { return end(photo, .stopped) }
    if failure != nil { return end(photo, .retry(after: .zero)) }
    if let last {
      // A retry and a failure explain the request as well.
      memory.trips[photo]?.isAsked = false
      return end(photo, last)
    }
    memory.trips[photo]?.isAsked = false
    memory.trips[photo]?.step = .filter
    if memory.trips[photo]?.isStopping == true { end(photo, .stopped) }
  }

  private mutating func end(_ photo: PhotoID, _ end: PhotoEnd) {
    guard let trip = memory.trips.removeValue(forKey: photo) else { return }
    book.left(photo, trip)
    memory.admission.ended(photo, end, now: now)
  }
}
