// SPDX-License-Identifier: Apache-2.0
// Sends the webhooks that are ordered, and those that an earlier run of the daemon left. `run` returns when the
// attempts under way have ended after `stop`, which keeps their orders. Raises nothing.
// Concurrency model: the board belongs to the task in `run`; desks, timers and attempts send letters.

import Linux
import Return
import Vocabulary

final class Webhooks: Sendable {
  private enum Letter: Sendable {
    /// There may be new orders.
    case look
    /// An attempt may be due.
    case wake
    case sent(HookOrder.Key, WebhookEnd?)
  }

  private static let pause = Duration.seconds(60)

  private let letters: AsyncStream<Letter>
  private let mail: AsyncStream<Letter>.Continuation
  private let sender: WebhookSender
  /// Rings after each attempt.
  private let changes: ChangeSignal
  private let clock: any Timekeeper
  /// Ends the attempts under way.
  private let close: @Sendable () async -> Void

  init(
    _ sender: WebhookSender, changes: ChangeSignal, close: @escaping @Sendable () async -> Void
  ) {
    (letters, mail) = AsyncStream.makeStream()
    self.sender = sender
    self.changes = changes
    clock = sender.clock
    self.close = close
  }

  /// An order was added.
  func look() { mail.yield(.look) }

  func stop() async {
    mail.finish()
    await close()
  }

  func run() async {
    var board = WebhookBoard()
    look()
    await withDiscardingTaskGroup { group in
      var alarm: (any Cancellable)?
      for await letter in letters {
        switch letter {
        case .look: await take(&board)
        case .wake: break
        case .sent(let key, let end):
          board.sent(key, end ?? .again(after: Self.pause), now: clock.uptime())
          changes.changed()
        }
        for key in board.start(now: clock.uptime()) {
          let isSpent = board.isSpent(key)
          group.addTask { [mail, sender] in
            mail.yield(
              .sent(key, isSpent ? await sender.remove(key) : await sender.send(key)))
          }
        }
        alarm?.cancel()
        alarm = board.rest(now: clock.uptime()).map { rest in
          clock.after(rest) { [mail] in mail.yield(.wake) }
        }
      }
      alarm?.cancel()
    }
  }

  /// Notes the orders that are new.
  private func take(_ board: inout WebhookBoard) async {
    do throws(Failure) {
      for key in try await sender.keys() where !board.has(key) {
        guard let order = try await sender.read(key) else { continue }
        let wait = order.rest(now: clock.wallTime())
        board.add(key, order.url.origin, due: clock.uptime() + wait)
      }
    } catch {
      _ = clock.after(Self.pause) { [mail] in mail.yield(.look) }
    }
  }
}
