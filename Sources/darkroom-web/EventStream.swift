// SPDX-License-Identifier: Apache-2.0
// The events of one page: the daemon's `Follow`, as frames. While the daemon is away it stays, and tries again: the page
// would take an error for the end. The thread of the connection waits in `next`.

import HTTP
import Linux
import Show
import Steer
import Vocabulary

final class EventStream: WebStream {
  /// A line that the page ignores: a page that has gone without a word is noticed when nothing acknowledges it.
  private static let heartbeat = Duration.seconds(15)
  private static let pause = Duration.milliseconds(500)

  private let list: ListReference
  private let view: String
  private let socket: String
  private let place: ViewerPlaces.Stream
  private let clock = MachineTime()
  private var board: FrameBoard
  private var client: ControlClient?
  private var isAway = false
  private var isOver = false
  private var isBegun = false
  /// The page has closed its connection.
  private var isLeft = false

  init(
    list: ListReference, view: String, after record: UInt64, socket: String,
    place: ViewerPlaces.Stream
  ) {
    (self.list, self.view, self.socket, self.place) = (list, view, socket, place)
    board = FrameBoard(after: record)
  }

  func next(for page: Int32) -> [UInt8] {
    guard isBegun else {
      isBegun = true
      return Array("retry: 1000\n\n".utf8)
    }
    let due = clock.uptime() + Self.heartbeat
    while !isLeft {
      if let frame = board.take(at: clock.uptime()) { return Array(frame.utf8) }
      let left = due - clock.uptime()
      if left <= .zero { return Array(":\n\n".utf8) }
      if isOver, board.wait(at: clock.uptime()) == nil { return [] }
      listen(for: min(left, board.wait(at: clock.uptime()) ?? left), page)
    }
    return []
  }

  /// Takes what has come, or waits for it.
  private func listen(for time: Duration, _ page: Int32) {
    var pause = time
    var watches = [Poll.Watch(endOf: page)]
    if !isOver {
      do throws(ControlFailure) {
        let client = try here()
        if let (report, continues) = try client.arrived(for: call) {
          take(report)
          if continues { return }
          if try isEnded() { return }
          pause = min(time, Self.pause)
        } else {
          watches.append(Poll.Watch(client.descriptor))
        }
      } catch {
        if lose(error) { return }
        pause = min(time, Self.pause)
      }
    }
    isLeft = (try? Poll.wait(watches, for: pause))?.first?.isClosed ?? false
  }

  private var call: FollowOrder { FollowOrder(list: list, since: board.last) }

  private func here() throws(ControlFailure) -> ControlClient {
    if let client { return client }
    let client = try ControlClient(path: socket, clock: clock, view: view)
    try client.begin(call, until: clock.uptime() + Self.heartbeat)
    self.client = client
    return client
  }

  private func take(_ report: FollowReport) {
    if isAway { board.add(note: "back") }
    isAway = false
    // The page reads all states again, which have these changes.
    if report.missed { board.add(note: "again") }
    for step in report.steps {
      if let photo = step.photo {
        guard let state = PhotoState(name: step.state) else { continue }
        board.add(photo: photo, state: state.rawValue)
      } else {
        board.add(list: step.state)
      }
    }
    board.reached(report.last)
  }

  /// A list that is over has no more changes. A daemon that stops ends the stream as well; it is asked again later.
  private func isEnded() throws(ControlFailure) -> Bool {
    client = nil
    let order = StatesOrder(list: list, limit: 0)
    let client = try ControlClient(path: socket, clock: clock, view: view)
    let report = try client.call(order)
    guard report.list.isFinal else { return false }
    board.add(list: report.list.state)
    board.add(note: "end")
    isOver = true
    return true
  }

  /// True if the daemon refuses the view: the page is told at once.
  private func lose(_ failure: ControlFailure) -> Bool {
    client = nil
    if case .refused(let error) = failure, case .notPossible = error {
      // It is starting or stopping.
    } else if case .refused = failure {
      board.add(note: "gone")
      isOver = true
      return true
    }
    if !isAway { board.add(note: "away") }
    isAway = true
    return false
  }
}
