// SPDX-License-Identifier: Apache-2.0
// The session of one caller as a value: bytes in, messages out one at a time, replies in, bytes out. A message is
// parsed elsewhere, and comes back as the terms of its request. The next message is taken when the replies to the last
// one are written, so replies keep their order and memory stays bounded. The caller passes the times.

struct ControlSession: Sendable {
  private enum Input {
    /// More may come. → ended, refused
    case open
    /// The caller sends no more; complete requests are still served.
    case ended
    /// The input was not a valid message; an error is the last reply.
    case refused
  }

  /// The properties of a request on which its session depends.
  struct Terms: Equatable, Sendable {
    let isOneway: Bool
    /// It changes nothing, and is of no use once the caller has left.
    let endsWithCaller: Bool
  }

  private enum Work {
    case none
    /// A message is being parsed. → serving, none
    case parsing
    case serving(Terms)
  }

  private var frames: MessageFrames
  private var input = Input.open
  private var work = Work.none
  private var output: [UInt8] = []
  private var written = 0
  /// Bytes kept free for the reply that is being built.
  private var reserved = 0
  /// When the caller last did its part, or a reply began to wait for it.
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
  /// The memory of the reply; it is free only when all of it is written.
  var held: Int { output.count + reserved }
  var isRunning: Bool { if case .none = work { false } else { true } }
  var endsWithCaller: Bool {
    if case .serving(let terms) = work { terms.endsWithCaller } else { false }
  }

  /// Reads only when no request is being served: further requests wait in the caller's socket.
  var wantsInput: Bool { input == .open && !isRunning && !hasOutput }

  /// True when the session is complete. Valid after `nextMessage` returned nil.
  var isOver: Bool { !isRunning && !hasOutput && (input != .open) }

  /// Since when the session waits for a request; nil while it has one, or a reply that is not read.
  var idleSince: Duration? { isGone || isRunning || hasOutput ? nil : lastMove }

  /// The deadline for the caller's next action; nil while none is due.
  func deadline(patience: Duration, idle: Duration) -> Duration? {
    if isGone { return nil }
    // A time for the whole reply: one that each byte renews has no end.
    if hasOutput {
      return lastMove + patience + .seconds(output.count / ControlLimits.bytesPerSecond)
    }
    return idleSince.map { $0 + (frames.isEmpty ? idle : patience) }
  }

  // MARK: Events

  mutating func receive(_ bytes: [UInt8], at now: Duration) {
    // The time for a message starts with its first byte, even if the rest comes byte by byte.
    if frames.isEmpty { lastMove = now }
    frames.append(bytes)
  }

  mutating func end() { if input == .open { input = .ended } }

  /// The requests that wait are dropped unread: a caller could leave hours of work behind. If none is being served, the
  /// next one still counts, because a caller may send one and leave.
  mutating func leave() {
    isGone = true
    (output, written, reserved) = ([], 0, 0)
    if isRunning { dropRest() }
  }

  private mutating func dropRest() {
    end()
    frames = MessageFrames(limit: 0)
  }

  /// The next message to parse; nil if there is none or a request is being served.
  mutating func nextMessage(at now: Duration) -> [UInt8]? {
    guard !isRunning, !hasOutput, input != .refused else { return nil }
    do throws(BadMessage) {
      guard let bytes = try frames.next() else { return nil }
      lastMove = now
      work = .parsing
      if isGone { dropRest() }
      return bytes
    } catch {
      refuse(error.why, at: now)
      return nil
    }
  }

  /// The message is a request. False if it is not to be served, because the caller has left.
  mutating func begin(_ terms: Terms) -> Bool {
    let isWanted = !(isGone && terms.endsWithCaller)
    work = isWanted ? .serving(terms) : .none
    return isWanted
  }

  mutating func reserve(_ bytes: Int) { reserved = bytes }

  /// The answer to the request being served.
  mutating func answer(_ bytes: [UInt8], isLast: Bool, at now: Duration) {
    reserved = 0
    if case .serving(let terms) = work, !terms.isOneway { queue(bytes, at: now) }
    guard isLast else { return }
    work = .none
    if !hasOutput { lastMove = now }
  }

  mutating func wrote(_ count: Int, at now: Duration) {
    guard count > 0 else { return }
    written += count
    if written >= output.count { (output, written, lastMove) = ([], 0, now) }
  }

  private mutating func queue(_ bytes: [UInt8], at now: Duration) {
    if isGone { return }
    if hasOutput { output += bytes } else { (output, lastMove) = (bytes, now) }
  }

  /// The message cannot be served: an error is the last reply.
  mutating func refuse(_ why: String, at now: Duration) {
    (input, work) = (.refused, .none)
    frames = MessageFrames(limit: 0)
    let error = ControlError.notPossible(why: "the message is not valid: \(why)")
    queue(ControlAnswer(.failed(error)).bytes, at: now)
  }
}
