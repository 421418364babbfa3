// SPDX-License-Identifier: Apache-2.0
// Orders for hooks as values: their keys, their text, its damage, and the environment that they become.

import Return
import Support
import Testing
import Vocabulary

@Suite struct HookOrderTests {
  private static let key = HookOrder.Key(.failed, of: ListID(17), at: 1_763_712_345_123)

  private static var order: HookOrder {
    var order = HookOrder(key)
    order[.name] = Array("Barn ".utf8) + [0xFF, 0x0A]
    order.set(.owner, "1000")
    order.set(.title, "Ein Titel = größer")
    order.set(.total, "3")
    order.set(.results, "/d/Barn.result.plist")
    return order
  }

  @Test func `an order is a short text, and its name sorts it`() throws {
    let text = Self.order.text
    let lines = text.split(separator: "\n")
    #expect(
      lines.dropLast() == [
        "#darkroom-hook 1", "DARKROOM_LIST_NAME=Barn%20%FF%0A",
        "DARKROOM_LIST_TITLE=Ein%20Titel%20%3D%20gr%C3%B6%C3%9Fer", "DARKROOM_OWNER=1000",
        "DARKROOM_TOTAL=3", "DARKROOM_RESULTS=%2Fd%2FBarn.result.plist",
      ])
    #expect(lines.last?.hasPrefix("crc=") == true)
    #expect("\(Self.key.name)" == "1763712345123-17-failed")
    #expect(HookOrder.Key(Self.key.name) == Self.key)
    #expect(try HookOrder(Self.key, text: Array(text.utf8)) == Self.order)
  }

  @Test func `the environment has the facts that are known, as bytes`() {
    #expect(
      Self.order.environment == [
        Array("DARKROOM_EVENT=failed".utf8), Array("DARKROOM_LIST_ID=17".utf8),
        Array("DARKROOM_LIST_NAME=Barn ".utf8) + [0xFF, 0x0A],
        Array("DARKROOM_LIST_TITLE=Ein Titel = größer".utf8), Array("DARKROOM_OWNER=1000".utf8),
        Array("DARKROOM_TOTAL=3".utf8), Array("DARKROOM_RESULTS=/d/Barn.result.plist".utf8),
      ])
  }

  @Test func `a value has no NUL and a longest length, and an empty one is none`() {
    var order = HookOrder(Self.key)
    order[.name] = [0x41, 0, 0x42]
    #expect(order[.name] == [0x41, 0x42])
    order.set(.title, "")
    order[.reason] = [0]
    #expect(order[.title] == nil && order[.reason] == nil)
    order.set(.title, String(repeating: "ü", count: HookOrder.longestValue))
    #expect(order[.title]?.count == HookOrder.longestValue)
    order.set(.title, "x" + String(repeating: "ü", count: HookOrder.longestValue))
    #expect(order[.title]?.count == HookOrder.longestValue - 1, "no half character")
  }

  @Test func `the longest order fits its file`() throws {
    var order = HookOrder(Self.key)
    for fact in HookOrder.Fact.allCases {
      order[fact] = [UInt8](repeating: 0xFF, count: HookOrder.longestValue)
    }
    #expect(order.text.utf8.count < HookOrder.longestText)
    #expect(try HookOrder(Self.key, text: Array(order.text.utf8)) == order)
  }

  @Test func `every byte of damage is found`() {
    let text = Array(Self.order.text.utf8)
    for place in text.indices {
      var damaged = text
      damaged[place] ^= 1
      let failure = #expect(throws: Failure.self) { try HookOrder(Self.key, text: damaged) }
      #expect(failure?.code == "hook.order" && failure?.kind == .final, "byte \(place)")
      #expect(throws: Failure.self) { try HookOrder(Self.key, text: Array(text[..<place])) }
    }
    #expect(throws: Failure.self) { try HookOrder(Self.key, text: text + [0x0A]) }
  }

  @Test func `orders run in the order of their time, number and event`() {
    let keys = [
      HookOrder.Key(.rejected, of: ListID(9), at: 99),
      HookOrder.Key(.finished, of: ListID(2), at: 100),
      HookOrder.Key(.failed, of: ListID(2), at: 100),
      HookOrder.Key(.finished, of: ListID(10), at: 100),
      HookOrder.Key(.finished, of: ListID(1), at: 1000),
    ]
    #expect(keys.shuffled().sorted() == keys)
  }

  @Test(
    arguments: [
      "", "17", "1-2", "1-2-done", "1-2-finished-3", "-1-2-finished", "01-2-finished",
      "1-02-finished", "1-+2-finished", ".1-2-finished", "1-2-Finished", "1-2-", "x-2-failed",
    ])
  func `another name is not an order`(name: String) {
    #expect(FileName(name).flatMap { HookOrder.Key($0) } == nil)
  }
}
