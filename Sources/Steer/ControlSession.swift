// SPDX-License-Identifier: Apache-2.0
// One caller's conversation as a value: bytes in, requests out one at a time, replies in, bytes out.
// The next request is looked at when the last one's replies are written, so replies keep their order
// and memory stays bounded. Times are handed in.

struct ControlSession: Sendable {
  private enum Input {
    /// More may come. → ended, refused
    case open
    /// The caller will send no more; what came whole is still served.
    case ended
    /// What came was no message; the last words are an error.
    case refused
  }

  private struct Running {
    let isStream: Bool
    let isOneway: Bool
  }

  private var frames: MessageFrames
  private var input = Input.open
  private var running: Running?
  private var output: [UInt8] = []
  private var written = 0
  /// When the caller last did its part.
  private var lastMove: Duration
  /// The caller has left; nothing can be told to it.
  private(set) var isGone = false

  init(requestLimit: Int, at now: Duration) {
    frames = MessageFrames(limit: requestLimit)
    lastMove = now
  }

  // MARK: What the outside asks

  var hasOutput: Bool { written < output.count }
  var unwritten: ArraySlice<UInt8> { output[written...] }
  var isRunning: Bool { running != nil }
  var isStreaming: Bool { running?.isStream ?? false }

  /// More is read when nothing is being served: what a caller piles up waits on its side.
  var wantsInput: Bool { input == .open && running == nil && !hasOutput }

  /// All is said; to be asked when `nextRequest` gave nil.
  var isOver: Bool { running == nil && !hasOutput && (input != .open) }

  /// When the caller's time is over; nil while nothing is expected of it.
  func deadline(patience: Duration) -> Duration? {
    if isGone { return nil }
    if hasOutput { return lastMove + patience }
    return running == nil && !frames.isEmpty ? lastMove + patience : nil
  }

  // MARK: What happens

  mutating func receive(_ bytes: [UInt8], at now: Duration) {
    // A message dripped byte by byte is still one message: its time began with its first byte.
    if frames.isEmpty { lastMove = now }
    frames.append(bytes)
  }

  mutating func end() { if input == .open { input = .ended } }

  mutating func leave() {
    isGone = true
    output = []
    written = 0
  }

  /// The next request to serve, if one is there and it is its turn.
  mutating func nextRequest(at now: Duration) -> ControlRequest? {
    while running == nil, !hasOutput, input != .refused {
      do {
        guard let bytes = try frames.next() else { return nil }
        lastMove = now
        let request = try ControlRequest(reading: bytes)
        // Nobody is there to follow a stream.
        if isGone, request.more { continue }
        running = Running(isStream: request.more, isOneway: request.oneway)
        return request
      } catch let error as MessageFrames.TooLong {
        refuse("it has more than \(error.limit) bytes", at: now)
      } catch let error as BadMessage {
        refuse(error.why, at: now)
      } catch {
        refuse("it cannot be read", at: now)
      }
    }
    return nil
  }

  /// The answer to the request being served.
  mutating func answer(_ bytes: [UInt8], isLast: Bool, at now: Duration) {
    if let running, !running.isOneway { queue(bytes, at: now) }
    if isLast { running = nil }
  }

  mutating func wrote(_ count: Int, at now: Duration) {
    guard count > 0 else { return }
    lastMove = now
    written += count
    if written >= output.count {
      output = []
      written = 0
    }
  }

  private mutating func queue(_ bytes: [UInt8], at now: Duration) {
    if isGone { return }
    if !hasOutput { lastMove = now }
    output.append(contentsOf: bytes)
  }

  private mutating func refuse(_ why: String, at now: Duration) {
    input = .refused
    frames = MessageFrames(limit: 0)
    let error = ControlError.notPossible(why: "the message cannot be understood: \(why)")
    queue(ControlAnswer(.failed(error)).bytes, at: now)
  }
}
