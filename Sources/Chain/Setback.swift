// SPDX-License-Identifier: Apache-2.0
// Trouble of one list on this machine: a folder has the name of a print, or the print folder is not writable.
// A photo that meets it is tried again after growing pauses; the attempt does not count. After several
// failures in a row the list is blocked, and one photo at a time tests whether the trouble is over. Trouble
// begins with the first photo that meets it and ends with the last. A plain value.

import Vocabulary

struct Setback: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    /// The number of photos that met it since one got through. → blocked
    case counting(Int)
    /// No photo of the list is admitted before then. → trying
    case blocked(until: Duration)
    /// One photo at a time. → counting, blocked
    case trying
  }

  /// After this many failures in a row the whole list waits.
  static let mostStrikes = 8
  private static let waits = Backoff(.seconds(1), to: .seconds(30))

  private(set) var phase = Phase.counting(0)
  private(set) var failure: Failure
  /// How often each photo has met it.
  private var photos: [UInt32: Int] = [:]
  private var wait = waits

  init(_ failure: Failure) { self.failure = failure }

  var isOver: Bool { photos.isEmpty }
  /// The photos that have met it.
  var numbers: [UInt32] { photos.keys.sorted() }
  var isBlocked: Bool { if case .blocked = phase { true } else { false } }

  /// A photo met the trouble. Returns how long it waits: twice its own pause, so that another photo can test
  /// the list first.
  mutating func met(_ number: UInt32, _ failure: Failure, now: Duration) -> Duration {
    self.failure = failure
    photos[number, default: 0] += 1
    switch phase {
    case .counting(let strikes) where strikes + 1 < Self.mostStrikes:
      phase = .counting(strikes + 1)
    case .counting, .trying:
      phase = .blocked(until: now + wait.take())
    case .blocked: break
    }
    return Self.waits.after(photos[number] ?? 1) * 2
  }

  /// A photo of the list got through, or failed for another reason.
  mutating func passed(_ number: UInt32) {
    photos[number] = nil
    phase = .counting(0)
    wait.reset()
  }

  /// Ends the block when its time has come; true if it did.
  mutating func unblock(now: Duration) -> Bool {
    guard case .blocked(let until) = phase, until <= now else { return false }
    phase = .trying
    return true
  }
}

/// The setbacks of all lists in trouble.
struct Setbacks: Sendable {
  /// A list's trouble has begun (a failure) or is over (nil).
  struct News: Equatable, Sendable {
    let list: ListID
    let failure: Failure?
  }

  private var all: [ListID: Setback] = [:]
  private var news: [News] = []

  subscript(_ list: ListID) -> Setback? { all[list] }

  /// When the next blocked list is tried again.
  var nextDue: Duration? {
    all.values.compactMap { setback in
      if case .blocked(let until) = setback.phase { until } else { nil }
    }.min()
  }

  /// Returns how long the photo waits.
  mutating func met(_ photo: PhotoID, _ failure: Failure, now: Duration) -> Duration {
    if all[photo.list] == nil {
      all[photo.list] = Setback(failure)
      news.append(News(list: photo.list, failure: failure))
    }
    return all[photo.list]?.met(photo.number, failure, now: now) ?? .zero
  }

  /// True if the list has a setback, whose phase may have changed.
  mutating func passed(_ photo: PhotoID) -> Bool {
    guard all[photo.list] != nil else { return false }
    all[photo.list]?.passed(photo.number)
    if all[photo.list]?.isOver == true {
      all[photo.list] = nil
      news.append(News(list: photo.list, failure: nil))
    }
    return true
  }

  /// Ends the blocks whose time has come; returns their lists.
  mutating func unblock(now: Duration) -> [ListID] {
    if all.isEmpty { return [] }
    return all.keys.sorted().filter { all[$0]?.unblock(now: now) == true }
  }

  /// Ends the troubles with this code, whose cause is over, whatever their photos show later. Returns the photos that
  /// have met them, by list.
  mutating func end(_ code: String) -> [(list: ListID, photos: [UInt32])] {
    let over = all.filter { $0.value.failure.code == code }.sorted { $0.key < $1.key }
    return over.map { list, setback in
      forget(list)
      return (list, setback.numbers)
    }
  }

  /// The list is gone, and its trouble with it.
  mutating func forget(_ list: ListID) {
    if all.removeValue(forKey: list) != nil { news.append(News(list: list, failure: nil)) }
  }

  mutating func takeNews() -> [News] {
    defer { news = [] }
    return news
  }
}
