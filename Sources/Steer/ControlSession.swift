// SPDX-License-Identifier: Apache-2.0
// The session of one caller as a value: bytes in, requests out one at a time, replies in, bytes out. The
// next request is read when the replies to the last one are written, so replies keep their order and memory
// stays bounded. The caller passes the times.

struct ControlSession: Sendable {
  private enum Input {
    /// More may come. → ended, refused
    case open
    /// The caller sends no more; complete requests are still served.
    case ended
    /// The input was not a valid message; an error is the last reply.
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
  /// The caller has left and takes no replies.
  private(set) var isGone = false

  init(requestLimit: Int, at now: Duration) {
    frames = MessageFrames(limit: requestLimit)
    lastMove = now
  }

  // MARK: State

  var hasOutput: Bool { written < output.count }
  var unwritten: ArraySlice<UInt8> { output[written...] }
  var isRunning: Bool { running != nil }
  var isStreaming: Bool { running?.isStream ?? false }

  /// Reads only when no request is being served: further requests wait in the caller's socket.
  var wantsInput: Bool { input == .open && running == nil && !hasOutput }

  /// True when the session is complete. Valid after `nextRequest` returned nil.
  var isOver: Bool { running == nil && !hasOutput && (input != .open) }

  /// Since when the session waits for a request; nil while it has one, or a reply that is not read.
  var idleSince: Duration? { isGone || isRunning || hasOutput ? nil : lastMove }

  /// The deadline for the caller's next action; nil while none is due.
  func deadline(patience: Duration, idle: Duration) -> Duration? {
    if isGone { return nil }
    if hasOutput { return lastMove + patience }
    return idleSince.map { $0 + (frames.isEmpty ? idle : patience) }
  }

  // MARK: Events

  mutating func receive(_ bytes: [UInt8], at now: Duration) {
    // The time for a message starts with its first byte, even if the rest comes byte by byte.
    if frames.isEmpty { lastMove = now }
    frames.append(bytes)
  }

  mutating func end() { if input == .open { input = .ended } }

  mutating func leave() {
    isGone = true
    output = []
    written = 0
  }

  /// The next request to serve; nil if there is none or another one is being served.
  mutating func nextRequest(at now: Duration) -> ControlRequest? {
    while running == nil, !hasOutput, input != .refused {
      do {
        guard let bytes = try frames.next() else { return nil }
        lastMove = now
        let request = try ControlRequest(reading: bytes)
        // The caller has left, so the stream has no reader.
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
    guard isLast else { return }
    running = nil
    if !hasOutput { lastMove = now }
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
    let error = ControlError.notPossible(why: "the message is not valid: \(why)")
    queue(ControlAnswer(.failed(error)).bytes, at: now)
  }
}
