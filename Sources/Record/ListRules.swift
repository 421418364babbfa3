// SPDX-License-Identifier: Apache-2.0
// The rules: what a change makes of a list and of the photo it speaks of, or that it may not be. The
// same for judging what is about to be written, for what is applied, and for recovery. A plain value
// without the list's memory.

internal import Vocabulary

struct ListRules {
  private(set) var standing: ListEntry.Standing
  /// How many photos have work left.
  private var unfinished: UInt32

  init(_ standing: ListEntry.Standing, unfinished: UInt32) {
    self.standing = standing
    self.unfinished = unfinished
  }

  /// `photo` is the state of the photo that the change speaks of; nil where the list has none such.
  /// False where the change is against the rules: nothing is different then.
  mutating func take(_ change: Change, _ photo: inout PhotoState?) -> Bool {
    guard !standing.state.isFinal else { return false }
    switch change {
    case .accepted, .rejected: return false
    case .paused: return pause()
    case .resumed: return resume()
    case .cancelled: standing = .cancelled
    case .finished:
      // A photo whose record was damaged has work left: the list is finished again, later.
      guard unfinished == 0 else { return false }
      standing = .finished
    case .downloaded:
      guard photo == .new else { return false }
      photo = .downloaded
      run()
    // Also straight from `new`: the record says that the print is durable, and stays true where the
    // record before it was damaged.
    case .filtered: return end(&photo, .filtered)
    case .failed: return end(&photo, .failed)
    case .lost:
      guard photo == .downloaded else { return false }
      photo = .new
      run()
    case .retry, .died:
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

  /// What was under way when a list was paused still ends, and is recorded.
  private mutating func run() {
    switch standing {
    case .accepted: standing = .running
    case .paused: standing = .paused(wasRunning: true)
    case .running, .finished, .cancelled: break
    }
  }
}
