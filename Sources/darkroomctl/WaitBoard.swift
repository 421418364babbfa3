// SPDX-License-Identifier: Apache-2.0
// The lists that `wait` waits for, as a terminal shows them. A value.

package import Steer
internal import Vocabulary

package struct WaitBoard {
  package private(set) var lists: [ListSummary?]
  private var reasons: [String?]
  /// When a reason was asked for last, as an uptime.
  private var asked: [Duration?]

  /// The interval at which the tool asks why a list stands still.
  static let pause = Duration.seconds(2)

  package init(lists count: Int) {
    lists = Array(repeating: nil, count: count)
    reasons = Array(repeating: nil, count: count)
    asked = Array(repeating: nil, count: count)
  }

  package mutating func note(_ list: ListSummary, at place: Int) { lists[place] = list }

  /// True for a list that is paused or had no end of a photo in the last minute, and which was not asked
  /// about just now.
  mutating func isDue(_ place: Int, at now: Duration) -> Bool {
    guard let list = lists[place], list.isStill else {
      reasons[place] = nil
      return false
    }
    if let last = asked[place], now - last < Self.pause { return false }
    asked[place] = now
    return true
  }

  /// Notes why the list stands still.
  ///
  /// - Parameter photo: its first photo that is not downloaded.
  /// - Parameter now: milliseconds since 1970.
  package mutating func note(
    _ photo: PhotoSummary?, _ status: StatusReport, at place: Int, now: UInt64
  ) {
    reasons[place] = lists[place].flatMap { Self.reason($0, photo, status, now) }
  }

  private static func reason(
    _ list: ListSummary, _ photo: PhotoSummary?, _ status: StatusReport, _ now: UInt64
  ) -> String? {
    if list.state == ListState.paused.name {
      return "paused by its owner or root; 'resume \(list.id)' continues it"
    }
    if list.isFinal {
      let own = "the copy of list \(list.id) "
      return status.degraded.first { $0.hasPrefix(own) }.map { Printable.sentence($0) }
    }
    let own = "list \(list.id) "
    if let hold = status.hold { return hold }
    if let trouble = status.degraded.first(where: { $0.hasPrefix(own) }) {
      return Printable.sentence(String(trouble.dropFirst(own.count)))
    }
    guard let photo, !photo.reason.isEmpty else {
      return status.degraded.first { $0.hasPrefix("photos of the cluster wait: ") }
        .map { Printable.sentence($0) }
    }
    // The end of the line may be cut.
    let start = PhotoText.attempt(photo, now).map { "\($0): " } ?? ""
    return start + Printable.sentence(photo.reason)
  }

  /// The lists from this place on that are known, as many as fit the screen.
  package func lines(from first: Int, _ screen: ToolScreen) -> [String] {
    let blocks = lists.indices.dropFirst(first).compactMap { place in
      lists[place].map { list in
        [ProgressBar.line(list, screen)] + (reasons[place].map { [Self.line($0, screen)] } ?? [])
      }
    }
    // The last row but one counts the others.
    let room = max(1, screen.rows - 2)
    var (lines, shown) = ([String](), 0)
    for block in blocks {
      if !lines.isEmpty, lines.count + block.count > room { break }
      lines += block
      shown += 1
    }
    let more = blocks.count - shown
    return more > 0 ? lines + ["and \(Amounts.counted(more, "list", more: true))"] : lines
  }

  private static func line(_ reason: String, _ screen: ToolScreen) -> String {
    screen.tinted(TextTable.cut("  \(reason)", to: max(1, screen.columns - 1)), .muted)
  }
}

extension StatusReport {
  /// The reason for which all work, or the downloads through the proxy, wait.
  package var hold: String? {
    let start = "waiting: "
    return state.hasPrefix(start) ? Printable.sentence(String(state.dropFirst(start.count))) : nil
  }
}

extension ListSummary {
  var candidate: ListReference.Candidate { (id, name, owner, isFinal) }

  /// It has work left, and none of it is being done, as far as the daemon has measured; or it has ended, and its
  /// files are not returned.
  fileprivate var isStill: Bool {
    isFinal ? !end.isReturned : (state == ListState.paused.name || pace.photosPerHour == 0)
  }
}
