// SPDX-License-Identifier: Apache-2.0
// Which webhooks are sent when: of each user the one that is due first, one at a time for each server, and few at once.

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

  private func again(_ wait: Duration, _ reach: WebhookReach = .answered) -> WebhookEnd {
    .again(after: wait, reach)
  }

  @Test func `a server gets one list of a user at a time, the one that is due first`() throws {
    var board = WebhookBoard(most: 8)
    board.add(key(1), try server("a"), due: .seconds(9))
    board.add(key(2), try server("a"), due: .seconds(5))
    board.add(key(3), try server("b"), due: .seconds(7))
    #expect(board.start(now: .seconds(4)) == [])
    #expect(board.rest(now: .seconds(4)) == .seconds(1))
    #expect(board.start(now: .seconds(9)) == [key(2), key(3)])
    #expect(board.start(now: .seconds(9)) == [])
    #expect(board.rest(now: .seconds(9)) == nil)
    board.sent(key(2), again(.seconds(2)), now: .seconds(10))
    #expect(board.start(now: .seconds(10)) == [key(1)])
    board.sent(key(1), .gone, now: .seconds(11))
    #expect(!board.has(key(1)) && board.rest(now: .seconds(11)) == .seconds(1))
    #expect(board.start(now: .seconds(12)) == [key(2)])
  }

  @Test func `an order that could not be removed is spent`() throws {
    var board = WebhookBoard(most: 8)
    board.add(key(1), try server("a"), due: .zero)
    #expect(board.start(now: .zero) == [key(1)] && !board.isSpent(key(1)))
    board.sent(key(1), .spent(again: .seconds(60)), now: .zero)
    #expect(board.start(now: .seconds(59)) == [])
    #expect(board.start(now: .seconds(60)) == [key(1)] && board.isSpent(key(1)))
  }

  @Test func `users take turns at a server`() throws {
    var board = WebhookBoard(most: 1)
    for list in 1...5 as ClosedRange<UInt64> {
      board.add(key(list), try server("a"), of: 1000, due: .zero)
    }
    board.add(key(9), try server("a"), of: 2000, due: .seconds(1))
    var sent: [UInt64] = []
    while let next = board.start(now: .seconds(1)).first {
      sent.append(next.list.number)
      board.sent(next, .gone, now: .seconds(1))
    }
    #expect(sent == [1, 9, 2, 3, 4, 5])
  }

  @Test func `a server gets webhooks of three users at once, one of each`() throws {
    var board = WebhookBoard(most: 8)
    for list in 1...100 as ClosedRange<UInt64> {
      board.add(key(list), try server("a"), of: 1000, due: .zero)
    }
    #expect(board.start(now: .zero) == [key(1)])
    for list in 101...104 as ClosedRange<UInt64> {
      board.add(key(list), try server("a"), of: UInt32(list), due: .seconds(1))
    }
    #expect(board.start(now: .seconds(1)) == [key(101), key(102)], "beside the first one")
    #expect(board.rest(now: .seconds(1)) == nil)
    board.sent(key(1), .gone, now: .seconds(2))
    #expect(board.start(now: .seconds(2)) == [key(103)], "its user had no turn yet")
    board.sent(key(101), .gone, now: .seconds(3))
    board.sent(key(102), .gone, now: .seconds(3))
    #expect(board.start(now: .seconds(3)) == [key(104), key(2)])
  }

  @Test func `an answer after more than ten seconds closes the path of its user for a while`()
    throws
  {
    var board = WebhookBoard(most: 8)
    for list in 1...5 as ClosedRange<UInt64> {
      board.add(key(list), try server("a"), of: 1000, due: .zero)
    }
    board.add(key(9), try server("a"), of: 2000, due: .seconds(11))
    #expect(board.start(now: .zero) == [key(1)])
    board.sent(key(1), .gone, now: .seconds(10))
    #expect(board.start(now: .seconds(10)) == [key(2)], "that was soon enough")
    board.sent(key(2), .gone, now: .seconds(21))
    #expect(board.start(now: .seconds(21)) == [key(9)])
    #expect(board.rest(now: .seconds(21)) == .seconds(5))
    #expect(board.start(now: .seconds(26)) == [key(3)])
    board.sent(key(3), again(.seconds(1)), now: .seconds(40))
    #expect(board.rest(now: .seconds(40)) == .seconds(10), "the pause grows")
    #expect(board.start(now: .seconds(50)) == [key(4)])
    board.sent(key(4), .gone, now: .seconds(50))
    #expect(board.start(now: .seconds(50)) == [key(5)])
  }

  @Test func `a server that does not answer is tried after a growing pause, with one webhook`()
    throws
  {
    var board = WebhookBoard(most: 8)
    for list in 1...100 as ClosedRange<UInt64> {
      board.add(key(list), try server("dead"), due: .zero)
    }
    board.add(key(999), try server("good"), due: .zero)
    #expect(board.start(now: .zero) == [key(1), key(999)])
    board.sent(key(999), .gone, now: .zero)
    board.sent(key(1), again(.seconds(1), .unreached), now: .seconds(30))
    #expect(board.start(now: .seconds(34)) == [] && board.isSettled(now: .seconds(34)))
    #expect(board.rest(now: .seconds(34)) == .seconds(1))
    #expect(board.start(now: .seconds(35)) == [key(2)])
    board.sent(key(2), again(.seconds(1), .unreached), now: .seconds(35))
    #expect(board.start(now: .seconds(44)) == [])
    #expect(board.start(now: .seconds(45)) == [key(3)])
    // It is well again, also if it does not take the webhook.
    board.sent(key(3), again(.seconds(1)), now: .seconds(45))
    #expect(board.start(now: .seconds(45)) == [key(4)])
  }

  @Test func `a server that several users do not reach at once has one pause, then one webhook`()
    throws
  {
    var board = WebhookBoard(most: 8)
    for list in 1...3 as ClosedRange<UInt64> {
      board.add(key(list), try server("dead"), of: UInt32(list), due: .zero)
    }
    #expect(board.start(now: .zero).count == 3)
    for list in 1...3 as ClosedRange<UInt64> {
      board.sent(key(list), again(.seconds(1), .unreached), now: .seconds(2))
    }
    #expect(board.start(now: .seconds(6)) == [] && board.rest(now: .seconds(6)) == .seconds(1))
    #expect(board.start(now: .seconds(7)) == [key(1)] && board.rest(now: .seconds(7)) == nil)
  }

  @Test func `a path that does not answer closes its server for its own user alone`() throws {
    var board = WebhookBoard(most: 8)
    for list in 1...3 as ClosedRange<UInt64> {
      board.add(key(list), try server("a"), of: 1000, due: .zero)
    }
    board.add(key(9), try server("a"), of: 2000, due: .seconds(1))
    board.add(key(10), try server("a"), of: 2000, due: .seconds(5))
    #expect(board.start(now: .zero) == [key(1)])
    board.sent(key(1), again(.seconds(1), .silent), now: .zero)
    #expect(board.rest(now: .zero) == .seconds(1))
    #expect(board.start(now: .seconds(1)) == [key(9)])
    board.sent(key(9), .gone, now: .seconds(2))
    #expect(board.isSettled(now: .seconds(4)) == false, "the other user has another one")
    #expect(board.start(now: .seconds(4)) == [])
    #expect(board.start(now: .seconds(5)) == [key(2), key(10)])
    board.sent(key(2), again(.seconds(1), .silent), now: .seconds(5))
    #expect(board.start(now: .seconds(5)) == [])
    board.sent(key(10), .gone, now: .seconds(5))
    #expect(board.rest(now: .seconds(5)) == .seconds(10))
  }

  @Test func `a server that was reached is open to the others at once`() throws {
    var board = WebhookBoard(most: 8)
    board.add(key(1), try server("a"), of: 1000, due: .zero)
    #expect(board.start(now: .zero) == [key(1)])
    board.sent(key(1), again(.seconds(5), .unreached), now: .zero)
    board.add(key(2), try server("a"), of: 2000, due: .zero)
    #expect(board.start(now: .seconds(4)) == [], "no user reaches it")
    #expect(board.start(now: .seconds(5)) == [key(2)])
    board.sent(key(2), again(.seconds(60), .silent), now: .seconds(5))
    #expect(board.start(now: .seconds(5)) == [key(1)])
  }

  @Test func `slow servers of one user leave places to users who have none`() throws {
    var board = WebhookBoard(most: 8)
    for list in 1...9 as ClosedRange<UInt64> {
      board.add(key(list), try server("slow\(list)"), of: 1000, due: .zero)
    }
    #expect(board.start(now: .zero).count == 6)
    #expect(board.rest(now: .zero) == nil, "the user waits for the own ones")
    for (list, owner) in [(10, 2000), (11, 2000), (12, 3000), (13, 4000)] as [(UInt64, UInt32)] {
      board.add(key(list), try server("s\(list)"), of: owner, due: .seconds(1))
    }
    #expect(board.rest(now: .zero) == .seconds(1))
    #expect(board.start(now: .seconds(1)) == [key(10), key(12)] && board.rest(now: .zero) == nil)
    board.sent(key(1), .gone, now: .seconds(2))
    #expect(board.start(now: .seconds(2)) == [key(13)])
    for list in [2, 3] as [UInt64] { board.sent(key(list), .gone, now: .seconds(3)) }
    #expect(board.start(now: .seconds(3)) == [])
    board.sent(key(4), .gone, now: .seconds(4))
    #expect(board.start(now: .seconds(4)) == [key(7)], "its user had no turn for longer")
  }

  @Test(
    "only what no path can cause counts for all users",
    arguments: [
      ("dns.failed", .unreached), ("connect.refused", .unreached), ("connect.timeout", .unreached),
      ("tls.failed", .unreached), ("connect.closed", .silent), ("connect.reset", .silent),
      ("time.out", .silent), ("proxy.closed", .silent), ("http.503", .answered),
      ("webhook.forbidden", .answered),
    ] as [(String, WebhookReach)])
  func reach(code: String, reach: WebhookReach) {
    #expect(WebhookReach(Failure(.passing, code: code, reason: "r")) == reach)
  }

  @Test func `it is settled when each webhook has been tried and none is due`() throws {
    var board = WebhookBoard(most: 8)
    #expect(board.isSettled(now: .zero))
    board.add(key(1), try server("a"), due: .seconds(5))
    #expect(!board.isSettled(now: .zero))
    #expect(board.start(now: .seconds(5)) == [key(1)] && !board.isSettled(now: .seconds(5)))
    board.sent(key(1), again(.seconds(2)), now: .seconds(5))
    #expect(board.isSettled(now: .seconds(6)) && !board.isSettled(now: .seconds(7)))
  }

  /// A thousand random steps: every order is sent until it is gone, never twice at once.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `no order is forgotten or sent twice at once`(seed: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    let most = Int.random(in: 1...8, using: &random)
    var board = WebhookBoard(most: most)
    var left = Set<HookOrder.Key>()
    struct Path: Hashable {
      let server: PhotoURL.Origin
      let owner: UInt32
    }
    var running: [HookOrder.Key: Path] = [:]
    var paths: [HookOrder.Key: Path] = [:]
    var now = Duration.zero
    for step in 1...1000 as ClosedRange<UInt64> {
      now += .seconds(Int64.random(in: 0...3, using: &random))
      if step < 500, Bool.random(using: &random) {
        let server = try server("s\(UInt64.random(in: 0...11, using: &random))")
        let owner = UInt32.random(in: 0...3, using: &random)
        board.add(
          key(step), server, of: owner,
          due: now + .seconds(Int64.random(in: 0...5, using: &random)))
        left.insert(key(step))
        paths[key(step)] = Path(server: server, owner: owner)
      }
      if let key = running.keys.sorted().randomElement(using: &random) {
        running[key] = nil
        switch UInt64.random(in: 0...5, using: &random) {
        case 5: board.sent(key, again(.seconds(2), .silent), now: now)
        case 0: board.sent(key, again(.seconds(2)), now: now)
        case 1: board.sent(key, again(.seconds(2), .unreached), now: now)
        case 2: board.sent(key, .spent(again: .seconds(2)), now: now)
        default:
          board.sent(key, .gone, now: now)
          left.remove(key)
        }
      }
      for key in board.start(now: now) {
        let path = try #require(paths[key])
        #expect(left.contains(key) && running[key] == nil && !running.values.contains(path))
        running[key] = path
        #expect(running.values.count { $0.server == path.server } <= WebhookBoard.mostAtServer)
      }
      #expect(running.count <= most)
    }
    // As the keeper does: it sleeps as long as the board says.
    for _ in 1...10_000 where !left.isEmpty {
      for key in running.keys {
        board.sent(key, .gone, now: now)
        left.remove(key)
      }
      running = [:]
      now += board.rest(now: now) ?? .zero
      for key in board.start(now: now) { running[key] = paths[key] }
    }
    #expect(left.isEmpty)
  }
}
