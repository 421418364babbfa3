// SPDX-License-Identifier: Apache-2.0
// The rules for changes: what a change does to its list and photo, or that it is illegal. Judging before a
// write, applying and recovery use the same rules. A small value without the list's photo states.

internal import Vocabulary

struct ListRules {
  private(set) var standing: ListEntry.Standing
  /// The number of photos with work left.
  private var unfinished: UInt32

  init(_ standing: ListEntry.Standing, unfinished: UInt32) {
    self.standing = standing
    self.unfinished = unfinished
  }

  /// `photo` is the state of the change's photo, nil if the list has no such photo. Returns false, and
  /// changes nothing, when the change is against the rules.
  mutating func take(_ change: Change, _ photo: inout PhotoState?) -> Bool {
    guard !standing.state.isFinal else { return false }
    switch change {
    case .paused: return pause()
    case .resumed: return resume()
    case .quality: break
    case .cancelled: standing = .cancelled
    case .finished:
      // A photo whose record was damaged has work left, so the list is finished again later.
      guard unfinished == 0 else { return false }
      standing = .finished
    case .downloaded:
      guard photo == .new else { return false }
      photo = .downloaded
      run()
    // Also legal from `new`: the print is durable even if the `downloaded` record was damaged.
    case .filtered: return end(&photo, .filtered)
    case .failed: return end(&photo, .failed)
    case .lost:
      guard photo == .downloaded else { return false }
      photo = .new
      run()
    // The first three have no photo: they are judged without the rules of a list.
    case .accepted, .rejected, .removed, .retry, .died:
      guard let photo, !photo.isFinal else { return false }
      run()
    }
    return true
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

  private mutating func end(_ photo: inout PhotoState?, _ last: PhotoState) -> Bool {
    guard let state = photo, !state.isFinal else { return false }
    photo = last
    unfinished -= 1
    run()
    return true
  }

  /// Marks the list as running. Steps that were running when a list was paused still end and are recorded.
  private mutating func run() {
    switch standing {
    case .accepted: standing = .running
    case .paused: standing = .paused(wasRunning: true)
    case .running, .finished, .cancelled: break
    }
  }
}
