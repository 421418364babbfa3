// SPDX-License-Identifier: Apache-2.0
// The frames of server-sent events that one page gets: changes are collected, and a frame leaves at most ten times a
// second, with the last state of each photo. A value; the caller passes the times.

package struct FrameBoard: Sendable {
  package static let interval = Duration.milliseconds(100)
  /// Changes in one frame.
  package static let most = 10_000

  private var states: [UInt32: UInt8] = [:]
  private var order: [UInt32] = []
  private var list: String?
  private var notes: [String] = []
  private var record: UInt64
  private var isMoved = false
  /// When the last frame left.
  private var sent: Duration?

  package init(after record: UInt64) { self.record = record }

  /// The page has everything up to here.
  package var last: UInt64 { record }

  package mutating func add(photo: UInt32, state: UInt8) {
    if states.updateValue(state, forKey: photo) == nil { order.append(photo) }
  }

  /// The state of the list itself.
  package mutating func add(list state: String) { list = state }

  /// Something that the page has to do.
  package mutating func add(note: String) {
    if notes.last != note { notes.append(note) }
  }

  package mutating func reached(_ record: UInt64) {
    isMoved = isMoved || self.record != record
    self.record = record
  }

  private var isEmpty: Bool { order.isEmpty && list == nil && notes.isEmpty }

  /// How long a waiting frame must wait; nil if there is none.
  package func wait(at now: Duration) -> Duration? {
    if isEmpty { return nil }
    return sent.map { max(.zero, $0 + Self.interval - now) } ?? .zero
  }

  /// The text of the next frame; nil if there is none, or it must wait.
  package mutating func take(at now: Duration) -> String? {
    guard let wait = wait(at: now), wait == .zero else { return nil }
    sent = now
    let photos = order.prefix(Self.most)
    order.removeFirst(photos.count)
    let changes = photos.map { "\($0).\(states.removeValue(forKey: $0) ?? 0)" }
    var text = ""
    // A page that comes again after half of the changes continues before them.
    if order.isEmpty { text += "id: \(record)\n" }
    if !changes.isEmpty { text += "data: \(changes.joined(separator: ","))\n\n" }
    if order.isEmpty {
      if let list { text += "event: list\ndata: \(list)\n\n" }
      for note in notes { text += "event: \(note)\ndata: \n\n" }
      (list, notes) = (nil, [])
    }
    return text
  }
}
