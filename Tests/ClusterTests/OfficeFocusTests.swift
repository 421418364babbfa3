// SPDX-License-Identifier: Apache-2.0
// The promises of every office about the photos that viewers look at.

import Cluster
import Testing
import Vocabulary

@Suite(.timeLimit(.minutes(60)))
struct OfficeFocusTests {
  private func focus(
    _ list: LedgerList, _ photos: some Sequence<Int>, viewer: OutsideText = "0 a"
  ) -> LedgerFocus {
    LedgerFocus(list, viewer: viewer, photos: photos.map { UInt32($0) }, time: .seconds(60))
  }

  private func numbers(_ shares: [Share]) -> [ClosedRange<UInt32>] {
    shares.map { $0.id.first...$0.last }
  }

  /// Leases and reports all that is left; fails unless each photo of the list is recorded once.
  private func finish(
    _ list: LedgerList, _ photos: UInt32, _ offices: any ListOffice...
  ) async throws {
    for office in offices {
      while case let more = try await office.lease(64, largest: 32), !more.isEmpty {}
      for lease in try await office.pulse().leases {
        let report = lease.share.report(sequence: lease.sequence + 1, isLast: true)
        #expect(try await office.report(report) == .recorded)
      }
    }
    #expect(
      try await offices[0].outcomes(of: list, in: 1...photos).map(\.photo) == Array(1...photos))
    #expect(try await offices[0].progress(of: list)?.state == .finished)
  }

  @Test(arguments: WorldKind.installed)
  func `photos that a viewer looks at are shares of their own, ahead of what a node has`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer", photos: 300)).list
      let first = try await a.lease(8, largest: 8)
      #expect(numbers(first) == [1...8])
      let wish = focus(list, [140, 400, 0, 5] + (101...139) + [101])
      #expect(try await b.focus(wish) == .set(left: 41))
      let known = try await a.focuses(on: [list, LedgerList(99)])
      #expect(known == [focus(list, [5] + (101...140))])
      #expect(try await a.leaseAhead(1).map(\.id.first) == [101])
      #expect(try await b.leaseAhead(AheadWish(photos: 32, besides: [list])).isEmpty)
      let second = try await b.leaseAhead(32)
      #expect(numbers(second) == [133...140])
      #expect(try await b.leaseAhead(32).isEmpty)
      let ahead = try await a.pulse().leases.map(\.share).filter { $0.id.first == 101 }
      #expect(numbers(ahead) == [101...132])
      try await finish(list, 300, a, b)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `any lease has them first, and a list whose first or last photos they are ends as well`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await b.pulse()
      let list = try await a.submit(.sample("summer", photos: 100)).list
      #expect(try await a.focus(focus(list, Array(1...40) + Array(91...100))) == .set(left: 50))
      let shares = try await a.lease(33, largest: 32)
      #expect(numbers(shares) == [1...32], "near the end of a list a call has one small share")
      let more = try await a.lease(10) + a.lease(10)
      #expect(numbers(more) == [33...40, 91...100])
      // Another viewer, of photos that were cut out before and of some behind them.
      #expect(try await a.focus(focus(list, 95...99, viewer: "1 b")) == .set(left: 5))
      #expect(try await a.focus(focus(list, 39...43, viewer: "1 b")) == .set(left: 5))
      #expect(numbers(try await a.leaseAhead(9)) == [41...43])
      try await finish(list, 100, a)
      #expect(try await a.focuses(on: [list]).isEmpty)
      #expect(try await a.focus(focus(list, [1])) == .notAtWork)
      #expect(try await a.focus(focus(LedgerList(99), [1])) == .notAtWork)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `photos that are recorded are not in a focus, and one of none of them is none`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let list = try await a.submit(.sample("summer", photos: 30)).list
      let share = try #require(try await a.lease(8, largest: 8).first)
      #expect(try await a.report(share.report([0, 1, 2], failed: [1])) == .recorded)
      #expect(try await a.focus(focus(list, 1...4)) == .set(left: 1))
      #expect(try await a.focuses(on: [list]).map(\.photos) == [[4]])
      #expect(try await a.focus(focus(list, 1...3)) == .set(left: 0))
      #expect(try await a.focuses(on: [list]).isEmpty)
      try await finish(list, 30, a)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a focus ends with its time, with a call, and with the list`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let list = try await a.submit(.sample("summer")).list
      _ = try await a.focus(focus(list, 1...9))
      _ = try await a.focus(focus(list, 20...30, viewer: "0 b"))
      try await world.pass(.seconds(20))
      _ = try await a.focus(focus(list, 1...9))
      let both = try await a.focuses(on: [list])
      #expect(both.map(\.viewer) == ["0 a", "0 b"])
      #expect(both.map(\.time) == [.seconds(60), .seconds(40)])
      try await world.pass(.seconds(40))
      #expect(try await a.focuses(on: [list]).map(\.viewer) == ["0 a"])
      #expect(try await a.focus(focus(list, [])) == .set(left: 0))
      #expect(try await a.focuses(on: [list]).isEmpty)
      _ = try await a.focus(focus(list, 50...55))
      #expect(try await a.order(.cancel, of: list))
      #expect(try await a.progress(of: list)?.state == .cancelled)
      #expect(try await a.focuses(on: [list]).isEmpty)
      #expect(try await a.leaseAhead(9).isEmpty)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a list has so many viewers, and no more`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let list = try await a.submit(.sample("summer")).list
      for number in 1...LedgerFocus.mostOfList {
        let wish = focus(list, [number], viewer: OutsideText(checked: "0 \(number)"))
        #expect(try await a.focus(wish) == .set(left: 1))
      }
      #expect(try await a.focus(focus(list, [90])) == .tooManyViewers)
      #expect(try await a.focus(focus(list, [91], viewer: "0 7")) == .set(left: 1))
      try await world.pass(.seconds(60))
      #expect(try await a.focus(focus(list, [90])) == .set(left: 1))
      #expect(try await a.focuses(on: [list]).map(\.viewer) == ["0 a"])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `all lists have so many viewers, and photos that stand alone so many shares`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      for number in 0..<(LedgerFocus.mostViewers / LedgerFocus.mostOfList) {
        let list = try await a.submit(.sample("list \(number)")).list
        for viewer in 1...LedgerFocus.mostOfList {
          #expect(
            try await a.focus(focus(list, [1], viewer: OutsideText(checked: "0 \(viewer)")))
              == .set(left: 1))
        }
      }
      let list = try await a.submit(.sample("long", photos: 3000)).list
      #expect(try await a.focus(focus(list, [1])) == .tooManyViewers)
      try await world.pass(.seconds(60))
      let photos = stride(from: 2, to: 2000, by: 2)
      for _ in 1...5 { #expect(try await a.focus(focus(list, photos)) == .set(left: 999)) }
      var shares: [Share] = []
      while case let more = try await a.leaseAhead(64), !more.isEmpty { shares += more }
      #expect(shares.count == LedgerFocus.mostCuts)
      #expect(shares.allSatisfy { $0.id.list == list }, "the others are looked at no more")
      #expect(try await a.focus(focus(list, photos)) == .set(left: 999))
      #expect(try await a.leaseAhead(1).map(\.id.first) == [514])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `photos that are looked at no more wait for the turns of their list, and go first there`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let ben = try await a.submit(.sample("winter", owner: "ben")).list
      let list = try await a.submit(.sample("summer", photos: 300)).list
      _ = try await a.focus(focus(list, 101...140))
      #expect(try await a.focus(focus(list, 201...210)) == .set(left: 10))
      #expect(numbers(try await a.leaseAhead(99)) == [201...210])
      #expect(try await a.leaseAhead(99).isEmpty)
      // Ben has not had a photo yet.
      #expect(try await a.lease(16, largest: 16).first?.id.list == ben)
      let turn = try await a.lease(40, largest: 16)
      #expect(turn.allSatisfy { $0.id.list == list })
      #expect(numbers(turn) == [101...132, 133...140])
      _ = try await a.focus(focus(list, 290...300))
      _ = try await a.focus(focus(list, []))
      #expect(try await a.leaseAhead(99).isEmpty)
      _ = try await a.focus(focus(list, 290...300))
      try await world.pass(.seconds(60))
      #expect(try await a.leaseAhead(99).isEmpty)
      try await finish(list, 300, a)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `recorded photos behind the cursor are in no focus, and gaps of a short list are one turn`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      _ = try await b.pulse()
      let list = try await a.submit(.sample("summer", photos: 200)).list
      _ = try await a.focus(focus(list, 33...64))
      let share = try #require(try await a.leaseAhead(1).first)
      #expect(try await a.report(share.report()) == .recorded)
      #expect(try await a.focus(focus(list, 1...40)) == .set(left: 32))
      _ = try await a.focus(focus(list, stride(from: 70, to: 90, by: 3)))
      // Cut out, seven single photos; the least turn is eight.
      let first = try await a.lease(8, largest: 64)
      #expect(numbers(first) == [1...32])
      let second = try await a.lease(64, largest: 64)
      #expect(
        numbers(second) == [
          70...70, 73...73, 76...76, 79...79, 82...82, 85...85, 88...88, 65...69, 71...72, 74...75,
        ], "an eighth of the rest")
      try await finish(list, 200, a)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `a node that is alone has all photos in one call, whatever viewers look at`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let list = try await a.submit(.sample("summer", photos: 60)).list
      #expect(try await a.focus(focus(list, Array(1...40) + [50])) == .set(left: 41))
      let shares = try await a.lease(64, largest: 64)
      #expect(numbers(shares) == [1...32, 33...40, 50...50, 41...49, 51...60])
      try await finish(list, 60, a)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `photos of a revision wait for the end of the earlier list`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      _ = try await a.submit(.sample("summer", origin: "1"))
      let share = try #require(try await a.lease(8, largest: 8).first)
      let list = try await a.submit(.sample("summer", bytes: "2", origin: "2")).list
      #expect(try await a.focus(focus(list, 50...59)) == .set(left: 10))
      #expect(try await a.leaseAhead(9).isEmpty)
      #expect(try await a.giveBack(share.id, after: .zero, waits: []))
      #expect(numbers(try await a.leaseAhead(9)) == [50...59])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `nodes that ask together have some of them each`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let offices = try ["a", "b", "c"].map { try world.office($0) }
      for office in offices { _ = try await office.pulse() }
      let list = try await offices[0].submit(.sample("summer", photos: 300)).list
      #expect(try await offices[0].focus(focus(list, 101...196)) == .set(left: 96))
      let shares = try await withThrowingTaskGroup(of: [Share].self) { group in
        for office in offices { group.addTask { try await office.leaseAhead(32) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(shares.map(\.count) == [1, 1, 1])
      #expect(shares.joined().map(\.id.first).sorted() == [101, 133, 165])
    }
  }

  @Test(arguments: WorldKind.installed)
  func `the user pays for them: others have their turns then`(_ kind: WorldKind) async throws {
    try await kind.use { world in
      let a = try world.office("a")
      let anna = try await a.submit(.sample("summer", photos: 400)).list
      let ben = try await a.submit(.sample("winter", photos: 400, owner: "ben")).list
      #expect(try await a.focus(focus(anna, 101...164)) == .set(left: 64))
      #expect(try await a.leaseAhead(64).count == 2)
      let turns = try await (0..<12).asyncMap { _ in
        try await a.lease(16, largest: 16).map(\.id.list)
      }.joined()
      #expect(Array(turns.prefix(4)) == [ben, ben, ben, ben])
      #expect(turns.count { $0 == ben } == 8)
    }
  }

  @Test(arguments: WorldKind.installed)
  func `those of a paused list wait, and a node that drains has none`(
    _ kind: WorldKind
  ) async throws {
    try await kind.use { world in
      let (a, b) = (try world.office("a"), try world.office("b"))
      let list = try await a.submit(.sample("summer")).list
      #expect(try await a.order(.pause, of: list))
      #expect(try await a.focus(focus(list, 60...69)) == .set(left: 10))
      #expect(try await a.leaseAhead(9).isEmpty)
      #expect(try await a.order(.resume, of: list))
      _ = try await b.pulse()
      #expect(try await a.drain("b", true))
      #expect(try await b.leaseAhead(9).isEmpty)
      let share = try #require(try await a.leaseAhead(9).first)
      // Those that came back are looked at again, when they may be.
      #expect(try await a.giveBack(share.id, after: .seconds(10), waits: []))
      #expect(try await a.leaseAhead(9).isEmpty)
      try await world.pass(.seconds(10))
      #expect(numbers(try await a.leaseAhead(9)) == [60...69])
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async throws -> [T] {
    var all: [T] = []
    for element in self { all.append(try await body(element)) }
    return all
  }
}

extension ListOffice {
  func leaseAhead(_ photos: Int) async throws(Failure) -> [Share] {
    try await leaseAhead(AheadWish(photos: photos))
  }
}
