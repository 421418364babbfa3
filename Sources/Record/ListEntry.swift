// SPDX-License-Identifier: Apache-2.0
// What the ledger knows of one list: one byte a photo while work is left, counts for ever. A plain
// value: transitions in, no clock, no lock, no I/O.

package import Vocabulary

package struct ListEntry: Equatable, Sendable {
  /// Where the list stands. A paused one remembers where it goes back to.
  package enum Standing: Equatable, Sendable {
    case accepted
    case running
    case paused(wasRunning: Bool)
    case finished
    case cancelled
  }

  package let id: ListID
  package let acceptance: Acceptance
  /// Milliseconds since 1970, for people.
  package let acceptedTime: UInt64
  /// 0 until the list is finished or cancelled.
  package internal(set) var endedTime: UInt64 = 0
  package internal(set) var standing: Standing = .accepted
  package internal(set) var counts: PhotoCounts
  /// By photo number; of photos that have work left.
  package internal(set) var retries: [UInt32: RetryPlan] = [:]
  /// What was downloaded; of photos that are `downloaded` now.
  package internal(set) var originals: [UInt32: Contents] = [:]
  /// How many workers died over a photo; of photos that have work left.
  package internal(set) var deaths: [UInt32: UInt32] = [:]
  /// One raw `PhotoState` a photo; empty once the list is final.
  var states: [UInt8]
  /// In an excerpt, instead of `states`: those of the photos that it is about.
  private var excerpted: [UInt32: PhotoState]?

  init(id: ListID, _ acceptance: Acceptance, time: UInt64) {
    self.id = id
    self.acceptance = acceptance
    acceptedTime = time
    counts = PhotoCounts(new: acceptance.photos)
    states = [UInt8](repeating: PhotoState.new.rawValue, count: Int(acceptance.photos))
  }

  package var state: ListState {
    switch standing {
    case .accepted: .accepted
    case .running: .running
    case .paused: .paused
    case .finished: .finished
    case .cancelled: .cancelled
    }
  }

  /// Nil for a photo that the list does not have, and for every photo of a final list.
  package func state(of photo: UInt32) -> PhotoState? {
    if let excerpted { return excerpted[photo] }
    guard photo >= 1, photo <= UInt32(states.count) else { return nil }
    return PhotoState(rawValue: states[Int(photo) - 1])
  }

  /// The next photo in file order, behind `photo`, that has work left; 0 starts at the first.
  package func nextUnfinished(after photo: UInt32) -> UInt32? {
    guard counts.unfinished > 0, Int(photo) < states.count else { return nil }
    for place in Int(photo)..<states.count where states[place] <= PhotoState.downloaded.rawValue {
      return UInt32(place + 1)
    }
    return nil
  }

  /// Attempts recorded for the photo's present stage.
  package func attempts(of photo: UInt32) -> UInt32 { retries[photo]?.attempt ?? 0 }

  /// Workers that died over the photo so far.
  package func deaths(of photo: UInt32) -> UInt32 { deaths[photo] ?? 0 }

  /// Enough to judge transitions of these photos and of the list, without its memory.
  func excerpt(of photos: [UInt32]) -> ListEntry {
    var entry = self
    entry.excerpted = [:]
    for photo in photos { entry.excerpted?[photo] = state(of: photo) }
    entry.states = []
    entry.retries = [:]
    entry.originals = [:]
    entry.deaths = [:]
    return entry
  }

  /// False where the transition is against the rules: nothing has changed then.
  mutating func apply(_ change: Change, time: UInt64) -> Bool {
    guard !state.isFinal else { return false }
    switch change {
    case .accepted, .rejected: return false
    case .paused: return pause()
    case .resumed: return resume()
    case .cancelled:
      end(.cancelled, time)
      return true
    case .finished:
      // A photo whose record was damaged has work left: the list is finished again, later.
      guard counts.unfinished == 0 else { return false }
      end(.finished, time)
      return true
    case .downloaded(let photo, let contents): return download(photo.number, contents)
    case .filtered(let photo, _): return filter(photo.number)
    case .failed(let photo, _, _, _): return fail(photo.number)
    case .retry(let photo, let stage, _, let attempt, let after, let until):
      guard isUnfinished(photo.number) else { return false }
      retries[photo.number] = RetryPlan(stage: stage, attempt: attempt, after: after, until: until)
    case .lost(let photo): return lose(photo.number)
    case .died(let photo):
      guard isUnfinished(photo.number) else { return false }
      // What a snapshot says may be as high as it goes.
      let before = deaths[photo.number] ?? 0
      if before < .max { deaths[photo.number] = before + 1 }
    }
    run()
    return true
  }

  private func isUnfinished(_ photo: UInt32) -> Bool {
    state(of: photo).map { !$0.isFinal } ?? false
  }

  private mutating func pause() -> Bool {
    switch standing {
    case .accepted: standing = .paused(wasRunning: false)
    case .running: standing = .paused(wasRunning: true)
    case .paused, .finished, .cancelled: return false
    }
    return true
  }

  private mutating func resume() -> Bool {
    guard case .paused(let wasRunning) = standing else { return false }
    standing = wasRunning ? .running : .accepted
    return true
  }

  /// What was under way when a list was paused still ends, and is recorded.
  private mutating func run() {
    switch standing {
    case .accepted: standing = .running
    case .paused: standing = .paused(wasRunning: true)
    case .running, .finished, .cancelled: break
    }
  }

  private mutating func end(_ last: Standing, _ time: UInt64) {
    standing = last
    endedTime = time
    states = []
    retries = [:]
    originals = [:]
    deaths = [:]
  }

  private mutating func move(_ photo: UInt32, from: PhotoState, to: PhotoState) {
    if excerpted == nil { states[Int(photo) - 1] = to.rawValue } else { excerpted?[photo] = to }
    counts.move(from: from, to: to)
    run()
  }

  private mutating func download(_ photo: UInt32, _ contents: Contents) -> Bool {
    guard state(of: photo) == .new else { return false }
    originals[photo] = contents
    if !retries.isEmpty { retries[photo] = nil }
    move(photo, from: .new, to: .downloaded)
    return true
  }

  /// Also straight from `new`: the record says that the print is durable, and stays true where the
  /// record before it was damaged.
  private mutating func filter(_ photo: UInt32) -> Bool {
    guard let state = state(of: photo), !state.isFinal else { return false }
    forget(photo)
    move(photo, from: state, to: .filtered)
    return true
  }

  private mutating func fail(_ photo: UInt32) -> Bool {
    guard let state = state(of: photo), !state.isFinal else { return false }
    forget(photo)
    move(photo, from: state, to: .failed)
    return true
  }

  private mutating func lose(_ photo: UInt32) -> Bool {
    guard state(of: photo) == .downloaded else { return false }
    originals[photo] = nil
    retries[photo] = nil
    move(photo, from: .downloaded, to: .new)
    return true
  }

  private mutating func forget(_ photo: UInt32) {
    if !originals.isEmpty { originals[photo] = nil }
    if !retries.isEmpty { retries[photo] = nil }
    if !deaths.isEmpty { deaths[photo] = nil }
  }
}
