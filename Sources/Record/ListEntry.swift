// SPDX-License-Identifier: Apache-2.0
// One list in the ledger: a byte for each photo until the list is final, then only the counts. A value:
// transitions in, no clock, no lock, no I/O.

package import Vocabulary

package struct ListEntry: Equatable, Sendable {
  /// The list's state. A paused list has the state to return to.
  package enum Standing: Equatable, Sendable {
    case accepted
    case running
    case paused(wasRunning: Bool)
    case finished
    case cancelled

    var state: ListState {
      switch self {
      case .accepted: .accepted
      case .running: .running
      case .paused: .paused
      case .finished: .finished
      case .cancelled: .cancelled
      }
    }
  }

  package let id: ListID
  /// With the class that the list has now.
  package internal(set) var acceptance: Acceptance
  /// Milliseconds since 1970; only for display.
  package let acceptedTime: UInt64
  /// 0 until the list is finished or cancelled.
  package internal(set) var endedTime: UInt64 = 0
  package internal(set) var standing: Standing = .accepted
  /// The user who paused or cancelled the list.
  package internal(set) var halter: UInt32?
  package internal(set) var counts: PhotoCounts
  /// By photo number, for photos with work left.
  package internal(set) var retries: [UInt32: RetryPlan] = [:]
  /// The downloaded originals, for photos in state `downloaded`.
  package internal(set) var originals: [UInt32: Contents] = [:]
  /// How many workers died over a photo, for photos with work left.
  package internal(set) var deaths: [UInt32: UInt32] = [:]
  /// The raw `PhotoState` of each photo; empty once the list is final.
  var states: [UInt8]

  init(id: ListID, _ acceptance: Acceptance, time: UInt64) {
    self.id = id
    self.acceptance = acceptance
    acceptedTime = time
    counts = PhotoCounts(new: acceptance.photos)
    states = [UInt8](repeating: PhotoState.new.rawValue, count: Int(acceptance.photos))
  }

  package var state: ListState { standing.state }

  package func state(of photo: UInt32) -> RecordedState {
    if let state = kept(photo) { return .known(state) }
    guard photo >= 1, photo <= acceptance.photos else { return .unknown }
    return switch standing {
    case .finished: .finished
    case .cancelled: .cancelled
    case .accepted, .running, .paused: .unknown
    }
  }

  private func kept(_ photo: UInt32) -> PhotoState? {
    guard photo >= 1, photo <= UInt32(states.count) else { return nil }
    return PhotoState(rawValue: states[Int(photo) - 1])
  }

  /// The next photo with work left after `photo`, in file order; 0 starts with the first photo.
  package func nextUnfinished(after photo: UInt32) -> UInt32? {
    guard counts.unfinished > 0, Int(photo) < states.count else { return nil }
    for place in Int(photo)..<states.count where states[place] <= PhotoState.downloaded.rawValue {
      return UInt32(place + 1)
    }
    return nil
  }

  /// Attempts recorded in the photo's current stage.
  package func attempts(of photo: UInt32) -> UInt32 { retries[photo]?.attempt ?? 0 }

  /// How many workers have died over the photo.
  package func deaths(of photo: UInt32) -> UInt32 { deaths[photo] ?? 0 }

  var rules: ListRules { ListRules(standing, unfinished: counts.unfinished) }

  /// Returns false, and changes nothing, when the change is against the rules.
  mutating func apply(_ transition: Transition) -> Bool {
    let change = transition.change
    let photo = change.photo?.number
    let before = photo.flatMap { kept($0) }
    var (after, rules) = (before, rules)
    guard rules.take(change, &after) else { return false }
    standing = rules.standing
    if let photo, let before, let after, before != after {
      states[Int(photo) - 1] = after.rawValue
      counts.move(from: before, to: after)
    }
    remember(transition)
    return true
  }

  /// Updates everything but the states and their counts.
  private mutating func remember(_ transition: Transition) {
    switch transition.change {
    case .accepted, .rejected, .removed: break
    case .paused: halter = transition.user
    case .resumed: halter = nil
    case .cancelled, .finished:
      halter = transition.user
      end(transition.time)
    case .quality(_, let serviceClass): acceptance.serviceClass = serviceClass
    case .downloaded(let photo, let contents):
      originals[photo.number] = contents
      if !retries.isEmpty { retries[photo.number] = nil }
    case .filtered(let photo, _), .failed(let photo, _, _, _): forget(photo.number)
    case .retry(let photo, let stage, _, let attempt, let after, let until):
      retries[photo.number] = RetryPlan(stage: stage, attempt: attempt, after: after, until: until)
    case .lost(let photo):
      originals[photo.number] = nil
      retries[photo.number] = nil
    case .died(let photo):
      // A count read from a snapshot may be the maximum.
      let before = deaths[photo.number] ?? 0
      if before < .max { deaths[photo.number] = before + 1 }
    }
  }

  /// The originals of a list that is over go: what was only downloaded counts as what was not begun, as its rows say.
  private mutating func end(_ time: UInt64) {
    endedTime = time
    counts.dropOriginals()
    states = []
    retries = [:]
    originals = [:]
    deaths = [:]
  }

  private mutating func forget(_ photo: UInt32) {
    if !originals.isEmpty { originals[photo] = nil }
    if !retries.isEmpty { retries[photo] = nil }
    if !deaths.isEmpty { deaths[photo] = nil }
  }
}
