// SPDX-License-Identifier: Apache-2.0
// The order to run a hook: the event and its facts, which become the environment of an administrator's program. A
// value, and its text in the file STATE/hooks/TIME-LIST-EVENT, whose name sorts the orders. Raises `hook.order` for a
// damaged text.

internal import Files
package import Vocabulary

package struct HookOrder: OutboxOrder, Equatable {
  package enum Event: String, CaseIterable, Comparable, Sendable {
    /// Every photo of a list is filtered or failed, and its results are in `done`.
    case finished
    /// The same, if photos failed.
    case failed
    /// A file was not accepted.
    case rejected
    /// A list was cancelled: for webhooks alone.
    case cancelled

    package static func < (one: Event, other: Event) -> Bool { one.place < other.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The facts by their names in the environment, where the event and the number of the list stand as well. A name
  /// never changes its meaning.
  package enum Fact: String, CaseIterable, Sendable {
    case name = "DARKROOM_LIST_NAME"
    case title = "DARKROOM_LIST_TITLE"
    case owner = "DARKROOM_OWNER"
    case total = "DARKROOM_TOTAL"
    case filtered = "DARKROOM_FILTERED"
    case failed = "DARKROOM_FAILED"
    case prints = "DARKROOM_PRINTS"
    case results = "DARKROOM_RESULTS"
    case retry = "DARKROOM_RETRY"
    case reason = "DARKROOM_REASON"
    /// Of a list of a cluster: the same at each node that returns it.
    case key = "DARKROOM_KEY"
  }

  /// The name of the file; in the order in which hooks run.
  package struct Key: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970.
    package let time: UInt64
    package let list: ListID
    package let event: Event

    package init(_ event: Event, of list: ListID, at time: UInt64) {
      (self.event, self.list, self.time) = (event, list, time)
    }

    /// Nil for the name of any other file.
    package init?(_ name: FileName) {
      let words = name.bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 3, let time = UInt64(words[0]), let list = UInt64(words[1]),
        let event = Event(rawValue: words[2])
      else { return nil }
      self.init(event, of: ListID(list), at: time)
      guard self.name == name else { return nil }
    }

    package var name: FileName { FileName(made: "\(time)-\(list)-\(event.rawValue)") }

    package static func < (one: Key, other: Key) -> Bool {
      (one.time, one.list.number, one.event) < (other.time, other.list.number, other.event)
    }
  }

  /// The longest value: a path. A longer one is cut.
  package static let longestValue = 4096
  /// Every fact with the longest value, each byte as three.
  package static let longestText = 256 << 10

  package let key: Key
  private var facts: [Fact: [UInt8]] = [:]

  package init(_ key: Key) { self.key = key }

  /// Without NUL, which ends a value in the environment; an empty value stands for none.
  package subscript(_ fact: Fact) -> [UInt8]? {
    get { facts[fact] }
    set {
      let value = (newValue ?? []).filter { $0 != 0 }
      facts[fact] =
        value.isEmpty ? nil : FreshName.shortened(value[...], to: Self.longestValue)
    }
  }

  package mutating func set(_ fact: Fact, _ text: String) { self[fact] = Array(text.utf8) }

  package var owner: UInt32 {
    facts[.owner].flatMap { UInt32(String(decoding: $0, as: UTF8.self)) } ?? 0
  }

  package var listName: String { String(decoding: facts[.name] ?? [], as: UTF8.self) }

  /// `NAME=value` each.
  package var environment: [[UInt8]] {
    let head = ["DARKROOM_EVENT=\(key.event.rawValue)", "DARKROOM_LIST_ID=\(key.list)"]
    return head.map { Array($0.utf8) }
      + Fact.allCases.compactMap { fact in
        facts[fact].map { Array("\(fact.rawValue)=".utf8) + $0 }
      }
  }

  // MARK: text

  private static let form = OrderText(header: "#darkroom-hook 1")

  package var text: String { Self.form.text(lines) }

  /// The facts that are known.
  var lines: [(name: String, value: [UInt8])] {
    Fact.allCases.compactMap { fact in facts[fact].map { (fact.rawValue, $0) } }
  }

  package init(_ key: Key, text: [UInt8]) throws(Failure) {
    guard let lines = Self.form.lines(text) else { throw key.damaged }
    self.init(key, lines)
  }

  /// Ignores facts of later versions.
  init(_ key: Key, _ lines: [(name: String, value: [UInt8])]) {
    self.init(key)
    for (name, value) in lines { if let fact = Fact(rawValue: name) { self[fact] = value } }
  }
}

extension HookOrder.Key {
  var damaged: Failure {
    Failure(
      .final, code: "hook.order", reason: "the order '\(name)' is damaged",
      advice: "It is kept as '.damaged' in its folder")
  }
}
