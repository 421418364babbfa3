// SPDX-License-Identifier: Apache-2.0
// The promises of every office.

import Cluster
import Support
import Testing
import Vocabulary

@Suite(.timeLimit(.minutes(60)))
struct OfficeTests {
  // MARK: lists come

  @Test(arguments: WorldKind.installed)
  func `a list has the number, the folder and the photos that were submitted`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let sample = Submission.sample("summer", photos: 300, .utility)
      let answer = try await office.submit(sample)
      #expect(answer == .list(answer.list, earlier: nil, folder: Array("summer".utf8)))
      #expect(try await office.submission(of: answer.list) == sample)
      let progress = try #require(try await office.progress(of: answer.list))
      #expect(progress.photos == 300 && progress.state == .running && progress.leased == 0)
      #expect(progress.owner == "anna" && progress.serviceClass == .utility)
      #expect(try await office.submission(of: LedgerList(99)) == nil)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the same bytes at work are a twin, other bytes a revision that waits for the end`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let first = try await a.submit(.sample("summer", origin: "a/1")).list
      #expect(
        try await b.submit(.sample("summer", origin: "b/1"))
          == .twin(first, folder: Array("summer".utf8)))
      let held = try await a.lease(8)
      let second = try await b.submit(.sample("summer", bytes: "2", origin: "b/2"))
      #expect(
        second
          == .list(second.list, earlier: first, folder: Array("summer~\(second.list)".utf8)))
      #expect(try await a.progress(of: first)?.state == .cancelling)
      #expect(try await b.lease(8).isEmpty, "a node still has photos of the earlier list")
      #expect(try await a.report(held[0].report([0], isLast: false)) == .cancel)
      for share in held {
        #expect(try await a.giveBack(share.id, after: .zero, waits: []))
      }
      #expect(try await a.progress(of: first)?.state == .cancelled)
      #expect(try await b.lease(8).first?.id.list == second.list)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a list that is over is no twin, and another user's name is another name`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let first = try await office.submit(.sample("summer", photos: 1, origin: "1")).list
      let share = try #require(try await office.lease(1).first)
      #expect(try await office.report(share.report()) == .recorded)
      #expect(try await office.progress(of: first)?.state == .finished)
      let second = try await office.submit(.sample("summer", photos: 1, origin: "2"))
      #expect(
        second
          == .list(second.list, earlier: first, folder: Array("summer~\(second.list)".utf8)))
      let other = try await office.submit(.sample("summer", owner: "ben", origin: "3"))
      #expect(
        other
          == .list(other.list, earlier: nil, folder: Array("summer~\(other.list)".utf8)))
      let used = try await office.submit(.sample("winter", origin: "4", isFolderFree: false))
      #expect(
        used == .list(used.list, earlier: nil, folder: Array("winter~\(used.list)".utf8)))
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a submission whose answer was lost has the same answer again`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let first = try await office.submit(.sample("summer", photos: 1, origin: "1"))
      #expect(try await office.submit(.sample("summer", photos: 1, origin: "1")) == first)
      let twin = try await office.submit(.sample("summer", photos: 1, origin: "2"))
      let share = try #require(try await office.lease(1).first)
      #expect(try await office.report(share.report()) == .recorded)
      #expect(try await office.submit(.sample("summer", photos: 1, origin: "1")) == first)
      #expect(try await office.submit(.sample("summer", photos: 1, origin: "2")) == twin)
      let second = try await office.submit(.sample("summer", bytes: "2", origin: "3"))
      #expect(try await office.submit(.sample("summer", bytes: "2", origin: "3")) == second)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `lists of pictures have no revisions`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let first = try await office.submit(.sample("roll", origin: "1", isRoll: true))
      let second = try await office.submit(.sample("roll", origin: "2", isRoll: true))
      #expect(first == .list(first.list, earlier: nil, folder: Array("roll".utf8)))
      #expect(
        second == .list(second.list, earlier: nil, folder: Array("roll~\(second.list)".utf8)))
    }
  }

  @Test(arguments: WorldKind.installed)
  func `names, owners, rows and what waits may have every byte`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("nöde '\"\\ 1")
      let bytes = (1...255).map { UInt8($0) }
      let sample = Submission(
        origin: "a'b\"c\\d", owner: "änna ' \\", name: bytes, sha256: "x", serviceClass: .default,
        photos: 2, folder: bytes, terms: "Title='\"\\\nä\n")
      let list = try await office.submit(sample).list
      #expect(try await office.submission(of: list) == sample)
      let share = try #require(try await office.lease(2).first)
      #expect(try await office.giveBack(share.id, after: .zero, waits: [0] + bytes))
      let again = try #require(try await office.lease(2).first)
      #expect(again.waits == [0] + bytes && again.id.epoch == share.id.epoch + 1)
      let outcomes = [
        Outcome(photo: 1, isFiltered: true, row: [0] + bytes),
        Outcome(photo: 2, isFiltered: false, row: []),
      ]
      let report = ShareReport(again.id, photos: 2, sequence: 1, outcomes, isLast: true)
      #expect(try await office.report(report) == .recorded)
      #expect(try await office.outcomes(of: list, in: 1...2) == outcomes)
      #expect(try await office.progress(of: list)?.name == bytes)
    }
  }

  // MARK: photos go

  @Test(arguments: WorldKind.installed, [1, 7, 8, 255, 256, 257, 1000] as [UInt32])
  func `shares cover a list without gaps and without overlaps`(
    _ kind: WorldKind, _ photos: UInt32
  ) async throws {
    try await kind.use { world in
      let offices = [try world.office("a"), try world.office("b"), try world.office("c")]
      let list = try await offices[0].submit(.sample("summer", photos: photos)).list
      for office in offices { _ = try await office.pulse() }
      var next: UInt32 = 1
      var turn = 0
      while next <= photos {
        let shares = try await offices[turn % 3].lease(64)
        try #require(!shares.isEmpty)
        for share in shares {
          #expect(share.id.list == list && share.id.first == next && share.done.photos == 0)
          next = share.last + 1
        }
        turn += 1
      }
      #expect(next == photos + 1)
      #expect(try await offices[0].lease(1).isEmpty)
      #expect(try await offices[0].progress(of: list)?.leased == photos)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `near the end of a list a call has one small share, and a list of few photos is one share`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await b.pulse()
      _ = try await a.submit(.sample("summer", photos: 100))
      #expect(try await a.lease(256).map(\.photos) == [12])
      #expect(try await b.lease(256).map(\.photos) == [11])
      _ = try await a.submit(.sample("winter", photos: 10, .userInteractive))
      #expect(try await b.lease(256).map(\.photos) == [10])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a node that is alone has as much as it asks for, up to the end of a list`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await a.submit(.sample("summer", photos: 300))
      #expect(try await a.lease(256).map(\.photos) == [256])
      #expect(try await a.lease(256).map(\.photos) == [44])
      _ = try await a.submit(.sample("winter", photos: 300))
      _ = try await b.pulse()
      #expect(try await a.lease(256).map(\.photos) == [37], "another node wants some")
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a photo is recorded once, and a report that is repeated counts once`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await a.lease(8).first)
      let first = share.report([0, 1, 2], failed: [1], isLast: false)
      #expect(try await a.report(first) == .recorded)
      #expect(try await a.report(first) == .recorded, "its answer was lost")
      #expect(
        try await a.report(share.report([0, 1, 2, 3], failed: [1], isLast: false)) == .fenced,
        "it has the number of another report")
      #expect(try await a.report(share.report([2, 3], sequence: 2, isLast: false)) == .fenced)
      #expect(try await a.report(share.report([3], sequence: 3, isLast: false)) == .fenced)
      #expect(try await b.report(share.report([4], sequence: 2, isLast: false)) == .fenced)
      #expect(
        try await a.report(share.report([4, 5], sequence: 2, isLast: true)) == .fenced,
        "photos of the share are missing")
      let rest = share.report([3, 4, 5, 6, 7], sequence: 2, isLast: true)
      #expect(try await a.report(rest) == .recorded)
      #expect(try await a.report(rest) == .recorded, "its answer was lost")
      let progress = try #require(try await a.progress(of: list))
      #expect(progress.filtered == 7 && progress.failed == 1 && progress.state == .finished)
      let outcomes = try await b.outcomes(of: list, in: 1...8)
      #expect(outcomes.map(\.photo) == [1, 2, 3, 4, 5, 6, 7, 8])
      #expect(outcomes[1] == first.outcomes[1] && outcomes[7] == rest.outcomes[4])
      #expect(try await b.outcomes(of: list, in: 3...4).map(\.photo) == [3, 4])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `reports and a lease of one turn go together, and many shares end a list once`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let list = try await office.submit(.sample("summer", photos: 40)).list
      let next = try await office.submit(.sample("winter", photos: 8)).list
      let shares = try await office.lease(40, largest: 8)
      #expect(shares.count == 5)
      let turn = try await office.turn(
        shares.map { $0.report() }, lease: LeaseWish(photos: 8))
      #expect(turn.verdicts == Array(repeating: .recorded, count: 5))
      #expect(turn.shares.map(\.id.list) == [next])
      #expect(try await office.closed() == [list])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a share that is given back waits its time, keeps what is done, and goes to another node`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.report(share.report([0, 7], isLast: false)) == .recorded)
      #expect(try await !b.giveBack(share.id, after: .zero, waits: []), "it is not b's")
      #expect(try await a.giveBack(share.id, after: .seconds(10), waits: [1, 2]))
      #expect(try await !a.giveBack(share.id, after: .zero, waits: []))
      #expect(try await b.lease(8).isEmpty)
      try await world.pass(.seconds(20))
      let again = try #require(try await b.lease(8).first)
      #expect(again.done.photos == 2 && again.done.contains(0) && again.done.contains(7))
      #expect(again.waits == [1, 2] && again.deaths == 0)
      #expect(try await a.report(share.report([1], sequence: 2, isLast: false)) == .fenced)
      #expect(try await b.report(again.report()) == .recorded)
      #expect(try await b.progress(of: list)?.state == .finished)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a report for an earlier lease of the same node is refused`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let list = try await office.submit(.sample("summer", photos: 8)).list
      let before = try #require(try await office.lease(8).first)
      #expect(try await office.giveBack(before.id, after: .zero, waits: []))
      let after = try #require(try await office.lease(8).first)
      #expect(try await office.report(before.report([0], isLast: false)) == .fenced)
      #expect(try await !office.giveBack(before.id, after: .zero, waits: []))
      #expect(try await office.outcomes(of: list, in: 1...8).isEmpty)
      #expect(try await office.report(after.report()) == .recorded)
    }
  }

  // MARK: nodes die

  @Test(arguments: WorldKind.installed)
  func `what a silent node has goes to others, and its late reports are refused`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.report(share.report([0], isLast: false)) == .recorded)
      _ = try await b.pulse()
      try await world.pass(.seconds(20))
      _ = try await b.pulse()
      #expect(try await b.lease(8).isEmpty)
      try await world.pass(.seconds(20))
      _ = try await b.pulse()
      let taken = try #require(try await b.lease(8).first)
      #expect(taken.deaths == 1 && taken.done.contains(0) && taken.done.photos == 1)
      #expect(try await a.report(share.report([1], sequence: 2, isLast: false)) == .fenced)
      #expect(try await a.pulse().leases.isEmpty)
      #expect(try await b.report(taken.report()) == .recorded)
      #expect(try await a.outcomes(of: list, in: 1...8).map(\.photo) == Array(1...8))
    }
  }

  @Test(arguments: WorldKind.installed.filter { $0 == .postgres })
  func `a clock of the ledger that is set back holds up what a dead node has no longer than else`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      for name in ["summer", "winter"] { _ = try await a.submit(.sample(name, photos: 8)) }
      // One share rests, as after trouble; the other dies with its node.
      let rested = try #require(try await a.lease(8).first)
      #expect(try await a.lease(8).count == 1)
      #expect(try await a.giveBack(rested.id, after: .seconds(30), waits: []))
      _ = try await b.pulse()
      try await world.pass(.seconds(40))
      _ = try await (a.pulse(), b.pulse())
      try await world.pass(.seconds(-3600))
      _ = try await b.pulse()
      #expect(try await b.lease(8).map(\.id.list) == [rested.id.list], "it rests no longer")
      try await world.pass(.seconds(40))
      _ = try await b.pulse()
      #expect(try await b.lease(8).map(\.deaths) == [1])
    }
  }

  @Test(arguments: WorldKind.installed.filter { $0 == .postgres })
  func
    `a clock of the ledger that is set back ends what viewers look at, and keeps no list for long`(
      _ kind: WorldKind
    ) async throws
  {
    try await kind.use { world in
      let a = try world.office("a")
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let wish = LedgerFocus(list, viewer: "0 a", photos: [2], time: .seconds(60))
      #expect(try await a.focus(wish) == .set(left: 1))
      try await world.pass(.seconds(-7200))
      #expect(try await a.focuses(on: [list]).isEmpty)
      #expect(try await a.leaseAhead(8).isEmpty)
      while case let shares = try await a.lease(8), !shares.isEmpty {
        for share in shares { #expect(try await a.report(share.report()) == .recorded) }
      }
      try await a.returned(list)
      try await world.pass(.seconds(-7200))
      #expect(try await a.retire(olderThan: .seconds(10)).isEmpty)
      try await world.pass(.seconds(20))
      #expect(try await a.retire(olderThan: .seconds(10)) == [list])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a node that was out of touch itself judges no other node`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      _ = try await a.submit(.sample("summer", photos: 8))
      let share = try #require(try await a.lease(8).first)
      try await world.pass(.seconds(40))
      // After a failover, say.
      let b = try world.office("b")
      _ = try await b.pulse()
      #expect(try await b.lease(8).isEmpty)
      #expect(try await a.pulse().leases.map(\.share.id) == [share.id])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a daemon that starts again goes on with the shares of the one before, which is fenced`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let before = try world.office("a", run: 1)
      _ = try await before.submit(.sample("summer", photos: 8))
      let share = try #require(try await before.lease(8).first)
      let after = try world.office("a", run: 2)
      let lease = try #require(try await after.pulse().leases.first)
      #expect(lease == PulseAnswer.Lease(share, sequence: 0, .running))
      #expect(try await before.report(share.report([0], isLast: false)) == .fenced)
      #expect(try await before.lease(8).isEmpty)
      #expect(try await !before.giveBack(share.id, after: .zero, waits: []))
      #expect(await failure { _ = try await before.pulse() }?.code == "ledger.replaced")
      #expect(try await after.report(share.report([0, 3], isLast: false)) == .recorded)
      let begun = try #require(try await after.pulse().leases.first)
      #expect(begun.sequence == 1 && begun.share.done.photos == 2 && begun.share.done.contains(3))
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the lists of a dead node are returned by another`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.report(share.report()) == .recorded)
      #expect(try await a.closed() == [list])
      _ = try await b.pulse()
      #expect(try await b.closed().isEmpty)
      try await world.pass(.seconds(40))
      _ = try await b.pulse()
      #expect(try await b.closed() == [list])
      try await a.returned(list)
      #expect(try await b.closed() == [list], "it is b's now")
      try await b.returned(list)
      #expect(try await b.closed().isEmpty)
    }
  }

  // MARK: people

  @Test(arguments: WorldKind.installed)
  func `a paused list is not leased, and what is at work hears it`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 16)).list
      let share = try #require(try await a.lease(8, largest: 8).first)
      #expect(try await b.order(.pause, of: list))
      #expect(try await !b.order(.pause, of: list))
      #expect(try await b.lease(8).isEmpty)
      #expect(try await a.pulse().leases.first?.state == .paused)
      #expect(try await a.report(share.report([0], isLast: false)) == .pause)
      #expect(try await a.giveBack(share.id, after: .zero, waits: []))
      #expect(try await b.lease(8).isEmpty, "not what came back either")
      #expect(try await a.order(.resume, of: list))
      #expect(try await b.lease(16).count == 2)
      #expect(try await !a.order(.resume, of: list))
      #expect(try await !a.order(.pause, of: LedgerList(77)))
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a cancelled list is over when no node has a share of it`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 32)).list
      let shares = try await a.lease(16, largest: 8)
      #expect(try await a.giveBack(shares[1].id, after: .seconds(10), waits: []))
      #expect(try await b.order(.cancel, of: list))
      #expect(try await b.progress(of: list)?.state == .cancelling)
      #expect(try await a.pulse().leases.first?.state == .cancelling)
      #expect(try await a.report(shares[0].report([0], isLast: false)) == .cancel)
      #expect(try await a.giveBack(shares[0].id, after: .zero, waits: []))
      #expect(try await b.progress(of: list)?.state == .cancelled)
      #expect(try await b.progress(of: list)?.filtered == 1)
      for order: ListOrder in [.pause, .resume, .cancel, .quality(.utility)] {
        #expect(try await !b.order(order, of: list))
      }
      // One that no node has begun is over at once.
      let other = try await a.submit(.sample("winter")).list
      #expect(try await a.order(.cancel, of: other))
      #expect(try await a.progress(of: other)?.state == .cancelled)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a cancelled list ends although the node that has it dies`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8)).list
      #expect(try await a.lease(8).count == 1)
      #expect(try await b.order(.cancel, of: list))
      try await world.pass(.seconds(40))
      _ = try await b.pulse()
      #expect(try await b.progress(of: list)?.state == .cancelled)
      #expect(try await b.closed() == [list])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a paused list whose last photos end is finished`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let list = try await office.submit(.sample("summer", photos: 8)).list
      let share = try #require(try await office.lease(8).first)
      #expect(try await office.order(.pause, of: list))
      #expect(try await office.report(share.report()) == .pause)
      #expect(try await office.progress(of: list)?.state == .finished)
    }
  }

  // MARK: order

  @Test(arguments: WorldKind.installed)
  func `the more urgent list goes first, also before what came back, and now and then the least`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let slow = try await office.submit(.sample("slow", photos: 64, .background)).list
      let share = try #require(try await office.lease(8, largest: 8).first)
      #expect(try await office.giveBack(share.id, after: .zero, waits: []))
      let fast = try await office.submit(.sample("fast", photos: 16, .userInitiated)).list
      #expect(try await office.lease(8, largest: 8).map(\.id.list) == [fast])
      #expect(
        try await office.lease(8, largest: 8, isReversed: true).map(\.id.list) == [slow])
      #expect(try await office.order(.quality(.userInteractive), of: slow))
      #expect(try await !office.order(.quality(.userInteractive), of: slow))
      let next = try await office.lease(8, largest: 8)
      #expect(next.map(\.id.list) == [slow] && next.first?.serviceClass == .userInteractive)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `users take turns, and their lists take turns within`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      var owners: [LedgerList: String] = [:]
      for number in 1...5 {
        owners[try await office.submit(.sample("anna \(number)", photos: 80)).list] = "anna"
      }
      // A later user does not catch up.
      for _ in 0..<5 { _ = try await office.lease(8, largest: 8) }
      owners[try await office.submit(.sample("ben", photos: 80, owner: "ben")).list] = "ben"
      var given: [String: Int] = [:]
      var lists: Set<LedgerList> = []
      for _ in 0..<10 {
        let share = try #require(try await office.lease(8, largest: 8).first)
        given[owners[share.id.list] ?? "", default: 0] += share.photos
        lists.insert(share.id.list)
      }
      #expect(given == ["anna": 40, "ben": 40])
      #expect(lists.count == 6)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a node gets no more of a list that it has enough of, nor of a user with many that wait`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      var lists: [LedgerList] = []
      for number in 1...4 {
        let name = "anna \(number)"
        lists.append(try await office.submit(.sample(name, photos: 80, .utility)).list)
      }
      let other = try await office.submit(.sample("ben", photos: 80, owner: "ben", .utility)).list
      func leased(_ full: [LedgerList], _ standing: [LedgerList] = [], photos: Int = 0)
        async throws -> LedgerList?
      {
        let wish = LeaseWish(
          photos: 8, largest: 8, full: full,
          standing: standing.map { LeaseWish.Standing($0, photos: photos) })
        return try await office.turn([], lease: wish).shares.first?.id.list
      }
      #expect(try await leased([lists[0], other], [other], photos: 8) == lists[1])
      #expect(try await leased([lists[0], other]) == lists[2])
      // Ben is behind.
      for _ in 0..<2 { #expect(try await leased([]) == other) }
      let share = try #require(try await office.lease(8, largest: 8).first)
      #expect(share.id.list == lists[0])
      #expect(try await office.giveBack(share.id, after: .zero, waits: []))
      // 16 shares of Anna's photos wait: neither new ones of hers, nor what came back.
      for _ in 0..<2 { #expect(try await leased([], lists, photos: 32) == other) }
      #expect(try await leased([other], lists, photos: 32) == nil)
      let urgent = try await office.submit(.sample("urgent", photos: 8, .userInitiated)).list
      #expect(try await leased([other], lists, photos: 32) == urgent, "none of that class waits")
      #expect(try await leased([other], lists, photos: 31) == lists[0], "it came back")
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a user whom nodes had enough of does not catch up with all that others got`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      let lost = try await office.submit(.sample("lost", photos: 20_000)).list
      let other = try await office.submit(.sample("ben", photos: 40_000, owner: "ben")).list
      for _ in 0..<4 {
        let wish = LeaseWish(photos: 4096, largest: 4096, full: [lost])
        #expect(try await office.turn([], lease: wish).shares.allSatisfy { $0.id.list == other })
      }
      let next = try await office.lease(4096, largest: 4096).map(\.id.list)
      let then = try await office.lease(4096, largest: 4096).map(\.id.list)
      let last = try await office.lease(4096, largest: 4096).map(\.id.list)
      #expect(Set(next) == [lost] && Set(then + last) == [lost, other], "\(then) \(last)")
    }
  }

  // MARK: nodes

  @Test(arguments: WorldKind.installed)
  func `a node that drains leases nothing more, until it starts again`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await a.submit(.sample("summer", photos: 64))
      #expect(try await a.lease(8, largest: 8).count == 1)
      #expect(try await b.drain("a", true))
      #expect(try await !b.drain("c", true))
      #expect(try await a.lease(8).isEmpty)
      #expect(try await a.pulse().isDraining)
      let facts = try await b.nodes()
      #expect(facts.map(\.name) == ["a", "b"] && facts.map(\.isDraining) == [true, false])
      #expect(facts[0].leased == 8)
      #expect(try await b.drain("a", false))
      #expect(try await a.lease(8, largest: 8).count == 1)
      #expect(try await b.drain("a", true))
      let again = try world.office("a", run: 2)
      #expect(try await again.lease(8, largest: 8).count == 1)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `lists come in pages, all or those with work left`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let office = try world.office("a")
      var numbers: [LedgerList] = []
      for number in 1...7 {
        numbers.append(try await office.submit(.sample("list \(number)")).list)
      }
      #expect(try await office.order(.cancel, of: numbers[2]))
      func page(_ after: LedgerList?, _ most: Int, _ isOpen: Bool) async throws -> [LedgerList] {
        try await office.lists(after: after, most: most, isOpen: isOpen).map(\.list)
      }
      #expect(try await page(nil, 3, false) == Array(numbers[0..<3]))
      #expect(try await page(numbers[2], 100, false) == Array(numbers[3...]))
      #expect(try await page(numbers[1], 2, true) == Array(numbers[3..<5]))
      #expect(try await page(numbers[6], 2, false).isEmpty)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the newest list of a name tells where it was dropped, also when it is over`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let (name, owner) = (Array("summer".utf8), Submission.sample("summer").owner)
      #expect(try await a.home(of: name, owner: owner) == nil)
      let list = try await a.submit(.sample("summer", origin: "1")).list
      #expect(try await b.home(of: name, owner: owner) == "a")
      #expect(try await b.order(.cancel, of: list))
      #expect(try await b.home(of: name, owner: owner) == "a")
      _ = try await b.submit(.sample("summer", owner: "ben", origin: "2"))
      #expect(try await a.home(of: name, owner: owner) == "a")
      #expect(try await a.home(of: name, owner: "ben") == "b")
      #expect(try await a.home(of: name, owner: nil) == "b")
      #expect(try await a.home(of: name, owner: "eve") == nil)
      #expect(try await a.home(of: Array("summer ".utf8), owner: nil) == nil)
    }
  }

  // MARK: lists go

  @Test(arguments: WorldKind.installed)
  func `an old list that was returned goes once, and its name is free`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 8, origin: "1")).list
      let share = try #require(try await a.lease(8).first)
      #expect(try await a.report(share.report()) == .recorded)
      try await world.pass(.seconds(20))
      #expect(try await a.retire(olderThan: .seconds(10)).isEmpty, "it is not returned")
      try await a.returned(list)
      #expect(try await a.retire(olderThan: .seconds(30)).isEmpty)
      #expect(try await a.retire(olderThan: .seconds(10)) == [list])
      #expect(try await b.retire(olderThan: .seconds(10)).isEmpty, "a removes it")
      #expect(await failure { try await b.retired(list) } != nil)
      #expect(try await a.retire(olderThan: .seconds(10)) == [list], "after a crash")
      try await a.retired(list)
      try await a.retired(list)
      #expect(try await a.progress(of: list) == nil)
      #expect(try await a.outcomes(of: list, in: 1...8).isEmpty)
      let next = try await b.submit(.sample("summer", photos: 8, origin: "1"))
      #expect(
        next == .list(next.list, earlier: nil, folder: Array("summer~\(next.list)".utf8)),
        "its prints may be there")
    }
  }
}

/// Asks again until the ledger answers, as a node does.
func answers(_ office: PostgresOffice) async throws -> Bool {
  try await Patience.sees { await failure { _ = try await office.pulse() } == nil }
}

/// The failure that the body raises.
func failure(_ body: () async throws -> Void) async -> Failure? {
  do {
    try await body()
    return nil
  } catch { return error as? Failure }
}
