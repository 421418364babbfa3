// SPDX-License-Identifier: Apache-2.0
// Sends the webhooks that are ordered. Webhooks that an earlier run of the daemon left are tried at once. `stop`
// keeps the orders; after `stop`, `run` returns when the attempts in progress have ended. Raises nothing.
// Concurrency model: the board belongs to the task in `run`; desks, timers and attempts send letters.

import Linux
import Return
import Vocabulary

final class Webhooks: Sendable {
  private enum Letter: Sendable {
    case added(WebhookOrder)
    /// An attempt may be due, or the orders can be read now.
    case wake
    case sent(HookOrder.Key, WebhookEnd?)
    case ask(Reply<Bool>)
  }

  static let pause = Duration.seconds(60)

  private let letters: AsyncStream<Letter>
  private let mail: AsyncStream<Letter>.Continuation
  private let sender: WebhookSender
  /// The number of webhooks that are sent at once.
  private let most: Int
  /// Rings after each attempt.
  private let changes: ChangeSignal
  private let clock: any Timekeeper
  /// Gives changed settings to the network.
  let change: @Sendable (Settings) -> Void
  /// Ends the attempts under way.
  private let close: @Sendable () async -> Void

  init(
    _ sender: WebhookSender, most: Int, changes: ChangeSignal,
    change: @escaping @Sendable (Settings) -> Void = { _ in },
    close: @escaping @Sendable () async -> Void
  ) {
    (letters, mail) = AsyncStream.makeStream()
    self.sender = sender
    self.most = most
    self.changes = changes
    clock = sender.clock
    self.change = change
    self.close = close
  }

  /// The order is durable.
  func added(_ order: WebhookOrder) { mail.yield(.added(order)) }

  func stop() async {
    mail.finish()
    await close()
  }

  /// Every webhook has been tried in this run, unless its server does not answer, and none is due.
  func areSettled() async -> Bool {
    await Reply.wait { reply in
      if case .terminated = mail.yield(.ask(reply)) { reply.give(true) }
    }
  }

  func run() async {
    var board = WebhookBoard(most: most)
    var hasLooked = false
    mail.yield(.wake)
    await withDiscardingTaskGroup { group in
      var alarm: (any Cancellable)?
      for await letter in letters {
        if !hasLooked { hasLooked = await look(&board) }
        switch letter {
        case .added(let order): add(order, to: &board)
        case .wake: break
        case .sent(let key, let end):
          board.sent(
            key, end ?? .again(after: Self.pause, .answered), now: clock.uptime())
          changes.changed()
        case .ask(let reply):
          reply.give(hasLooked && board.isSettled(now: clock.uptime()))
        }
        for key in board.start(now: clock.uptime()) {
          let isSpent = board.isSpent(key)
          group.addTask { [mail, sender] in
            let end = isSpent ? await sender.remove(key) : await sender.send(key)
            mail.yield(.sent(key, end))
          }
        }
        alarm?.cancel()
        let rest = hasLooked ? board.rest(now: clock.uptime()) : Self.pause
        alarm = rest.map { rest in clock.after(rest) { [mail] in mail.yield(.wake) } }
      }
      alarm?.cancel()
    }
  }

  private func add(_ order: WebhookOrder, to board: inout WebhookBoard) {
    board.add(order.key, order.url.origin, of: order.owner, due: clock.uptime())
  }

  /// Notes the orders of an earlier run. False if their folder cannot be read. An order that cannot be read is noted
  /// without its server, and tried like the others.
  private func look(_ board: inout WebhookBoard) async -> Bool {
    guard let keys = await sender.keys() else { return false }
    for key in keys where !board.has(key) {
      switch await sender.read(key) {
      case .found(let order): add(order, to: &board)
      case .gone: break
      case .unreadable: board.add(key, nil, due: clock.uptime() + Self.pause)
      }
    }
    return true
  }
}
