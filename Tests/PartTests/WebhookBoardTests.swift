// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent when: the one that is due first, one at a time for each server.

import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct WebhookBoardTests {
  private func key(_ list: UInt64) -> HookOrder.Key {
    HookOrder.Key(.finished, of: ListID(list), at: 1)
  }

  private func server(_ name: String) throws -> PhotoURL.Origin {
    try PhotoURL(parsing: "http://\(name)/").origin
  }

  @Test func `a server gets one list at a time, the one that is due first`() throws {
    var board = WebhookBoard()
    board.add(key(1), try server("a"), due: .seconds(9))
    board.add(key(2), try server("a"), due: .seconds(5))
    board.add(key(3), try server("b"), due: .seconds(7))
    #expect(board.start(now: .seconds(4)) == [])
    #expect(board.rest(now: .seconds(4)) == .seconds(1))
    #expect(board.start(now: .seconds(9)) == [key(2), key(3)])
    #expect(board.start(now: .seconds(9)) == [])
    #expect(board.rest(now: .seconds(9)) == nil)
    board.sent(key(2), .again(after: .seconds(2)), now: .seconds(10))
    #expect(board.start(now: .seconds(10)) == [key(1)])
    board.sent(key(1), .gone, now: .seconds(11))
    #expect(!board.has(key(1)) && board.rest(now: .seconds(11)) == .seconds(1))
    #expect(board.start(now: .seconds(12)) == [key(2)])
  }

  @Test func `an order that could not be removed is spent`() throws {
    var board = WebhookBoard()
    board.add(key(1), try server("a"), due: .zero)
    #expect(board.start(now: .zero) == [key(1)] && !board.isSpent(key(1)))
    board.sent(key(1), .spent(again: .seconds(60)), now: .zero)
    #expect(board.start(now: .seconds(59)) == [])
    #expect(board.start(now: .seconds(60)) == [key(1)] && board.isSpent(key(1)))
  }

  /// Servers that never answer, beside one that answers.
  @Test func `servers that hang leave a place until all places are taken`() throws {
    var board = WebhookBoard()
    for list in 1...UInt64(WebhookBoard.most) {
      for copy in 0..<3 {
        board.add(key(list * 10 + UInt64(copy)), try server("hangs\(list)"), due: .zero)
      }
    }
    #expect(board.start(now: .zero).count == WebhookBoard.most)
    #expect(board.rest(now: .zero) == nil && board.start(now: .seconds(1)) == [])
    board.add(key(999), try server("good"), due: .zero)
    board.sent(key(10), .again(after: .seconds(1)), now: .seconds(1))
    // The next list of the same server is due as long, and was ordered before.
    #expect(board.start(now: .seconds(1)) == [key(11)])
    board.sent(key(11), .gone, now: .seconds(1))
    board.sent(key(20), .gone, now: .seconds(1))
    #expect(board.start(now: .seconds(1)) == [key(12), key(21)])
    board.sent(key(12), .gone, now: .seconds(1))
    #expect(board.start(now: .seconds(1)) == [key(999)])
  }

  /// A thousand random steps: every order is sent until it is gone, never twice at once.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `no order is forgotten or sent twice at once`(seed: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    var board = WebhookBoard()
    var left = Set<HookOrder.Key>()
    var running: [HookOrder.Key: PhotoURL.Origin] = [:]
    var servers: [HookOrder.Key: PhotoURL.Origin] = [:]
    var now = Duration.zero
    for step in 1...1000 as ClosedRange<UInt64> {
      now += .seconds(Int64.random(in: 0...3, using: &random))
      if step < 500, Bool.random(using: &random) {
        let server = try server("s\(UInt64.random(in: 0...11, using: &random))")
        board.add(key(step), server, due: now + .seconds(Int64.random(in: 0...5, using: &random)))
        left.insert(key(step))
        servers[key(step)] = server
      }
      if let key = running.keys.sorted().randomElement(using: &random) {
        running[key] = nil
        switch UInt64.random(in: 0...3, using: &random) {
        case 0: board.sent(key, .again(after: .seconds(2)), now: now)
        case 1: board.sent(key, .spent(again: .seconds(2)), now: now)
        default:
          board.sent(key, .gone, now: now)
          left.remove(key)
        }
      }
      for key in board.start(now: now) {
        let server = try #require(servers[key])
        #expect(left.contains(key) && running[key] == nil && !running.values.contains(server))
        running[key] = server
      }
      #expect(running.count <= WebhookBoard.most)
    }
    for _ in 1...10_000 where !left.isEmpty {
      for key in running.keys {
        board.sent(key, .gone, now: now)
        left.remove(key)
      }
      running = [:]
      now += .seconds(1)
      for key in board.start(now: now) { running[key] = servers[key] }
    }
    #expect(left.isEmpty)
  }
}
