// SPDX-License-Identifier: Apache-2.0
// Orders in their folder: none is lost or halved, whichever step is killed; their number is bounded.

import Files
import Linux
import Return
import Support
import Testing
import Vocabulary

@Suite struct HookOutboxTests {
  private func order(
    _ list: UInt64, _ event: HookOrder.Event = .finished, at time: UInt64 = 1000
  ) -> HookOrder {
    var order = HookOrder(HookOrder.Key(event, of: ListID(list), at: time))
    order.set(.name, "Barn \(list)")
    return order
  }

  @Test func `orders are read back, the oldest first, and removed one by one`() throws {
    let scratch = try FreshFolder()
    let outbox = HookOutbox(scratch.folder)
    let orders = [order(3, at: 1), order(2, at: 2), order(2, .failed, at: 2)]
    for order in orders.reversed() { #expect(try outbox.add(order)) }
    #expect(try outbox.keys() == orders.map(\.key))
    for order in orders {
      #expect(try outbox.order(order.key) == order)
      try outbox.remove(order.key)
      #expect(try outbox.order(order.key) == nil)
      try outbox.remove(order.key)
    }
    #expect(try scratch.folder.listing().isEmpty)
  }

  @Test func `an order that is added again replaces itself`() throws {
    let scratch = try FreshFolder()
    let outbox = HookOutbox(scratch.folder)
    for _ in 0..<2 { #expect(try outbox.add(order(1))) }
    #expect(try outbox.keys() == [order(1).key])
  }

  @Test func `a killed add leaves the order or nothing, and no draft stays`() throws {
    var steps = 0
    while true {
      steps += 1
      let scratch = try FreshFolder()
      let cut = Cut()
      cut.set(.kill, at: steps)
      let isAdded = try? HookOutbox(CutFolder(scratch.folder, cut)).add(order(1))
      let outbox = HookOutbox(scratch.folder)
      let before = try outbox.keys()
      for key in before { #expect(try outbox.order(key) == order(1), "\(cut.step ?? "")") }
      if isAdded == true { #expect(before == [order(1).key]) }
      try outbox.sweep()
      #expect(try scratch.folder.listing() == before.map { "\($0.name)" })
      if cut.step == nil { break }
    }
    #expect(steps > 5)
  }

  @Test func `a full outbox refuses more, and keeps the oldest`() throws {
    let scratch = try FreshFolder()
    let outbox = HookOutbox(scratch.folder)
    for list in 1...UInt64(HookOutbox.most) { try scratch.folder.put(order(list).key.name, "") }
    #expect(try !outbox.add(order(UInt64(HookOutbox.most) + 1)))
    #expect(try outbox.add(order(7)), "it replaces itself")
    try outbox.remove(order(1).key)
    #expect(try outbox.add(order(UInt64(HookOutbox.most) + 1)))
    #expect(try outbox.keys().count == HookOutbox.most)
  }

  @Test func `a user has an eighth of the places, and no order of another user waits for that`()
    throws
  {
    func owned(_ list: UInt64, by owner: UInt32) -> HookOrder {
      var own = order(list)
      own.set(.owner, "\(owner)")
      return own
    }
    let scratch = try FreshFolder()
    let outbox = HookOutbox(scratch.folder)
    for list in 1...UInt64(HookOutbox.share) {
      try scratch.folder.put(owned(list, by: 7).key.name, owned(list, by: 7).text)
    }
    #expect(try !outbox.add(owned(5001, by: 7)))
    #expect(try outbox.add(owned(5002, by: 8)))
    #expect(try outbox.add(owned(5003, by: 0)))
    #expect(try outbox.add(owned(7, by: 7)), "it replaces itself")
    try outbox.remove(owned(1, by: 7).key)
    #expect(try outbox.add(owned(5001, by: 7)))
    #expect(try !outbox.add(owned(5004, by: 7)))
  }

  @Test func `a damaged order is set aside, and other files are hidden`() throws {
    let scratch = try FreshFolder()
    let outbox = HookOutbox(scratch.folder)
    for list in 1...2 as ClosedRange<UInt64> {
      try scratch.folder.put(order(list).key.name, "damage")
      #expect(throws: Failure.self) { try outbox.order(order(list).key) }
      try outbox.setAside(order(list).key)
    }
    try scratch.folder.put(FileName(literal: "README"), "")
    try scratch.write([], to: "folder/file")
    #expect(try outbox.hideStrangers().map { "\($0)" }.sorted() == ["README", "folder"])
    #expect(try scratch.folder.listing() == [".README", ".damaged", ".folder"])
    #expect(try outbox.keys().isEmpty)
    #expect(try outbox.hideStrangers().isEmpty)
  }
}

/// The order is made while a list is returned.
@Suite struct ReturnOrderTests {
  @Test func `an order stands before the list counts as returned, whichever step is killed`()
    async throws
  {
    let key = HookOrder.Key(.finished, of: ListID(1), at: 1000)
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      let outbox = HookOutbox(CutFolder(bench.scratch.folder, bench.cut))
      let giveBack = {
        try await bench.returns.giveBack(
          ListID(1), named: ReturnBench.name,
          leaving: { names throws(SystemError) in
            var order = HookOrder(key)
            order[.name] = names.results?.bytes ?? ReturnBench.name.bytes
            _ = try outbox.add(order)
          })
      }
      bench.cut.set(.kill, at: steps)
      _ = try? await giveBack()
      let order = try? HookOutbox(bench.scratch.folder).order(key)
      if try bench.standing().isReturned { #expect(order != nil, "\(bench.cut.step ?? "end")") }
      guard let step = bench.cut.step else { break }
      try bench.restart()
      _ = try await giveBack()
      let again = try #require(try HookOutbox(bench.scratch.folder).order(key), "\(step)")
      #expect(again[.name] == ReturnBench.name.bytes, "\(step)")
      #expect(order == nil || order == again, "\(step)")
      #expect(try bench.standing().isReturned, "\(step)")
    }
    #expect(steps > 25)
  }
}
