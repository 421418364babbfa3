// SPDX-License-Identifier: Apache-2.0
// What darkroom reports. Each kind of notice is one function, in `Notice+…`, which has its number, priority, words and
// fields. A number never changes and is never used for another kind; `systemd/darkroom.catalog` explains it, and
// darkroom-journal-fields(7) lists it. A change of a list or photo is reported only after its record is durable.

package struct Notice: Sendable {
  /// Kinds that are counted for the metrics.
  package enum Counter: Sendable {
    case workerDied, hostClosed, hookFailed, hookLeftOut, webhookSent, webhookFailed, webhookLeftOut
  }

  package let priority: Priority
  let counter: Counter?
  private let make: @Sendable (inout PersonNames) -> Message

  /// The words and fields are made when the notice is written, so that one that is not written costs little.
  init(
    _ number: String, _ priority: Priority = .notice, counter: Counter? = nil,
    words: @escaping @autoclosure @Sendable () -> String,
    fields: @escaping @autoclosure @Sendable () -> [Message.Value]
  ) {
    self.priority = priority
    self.counter = counter
    make = { _ in Message(number: number, priority: priority, words: words(), fields: fields()) }
  }

  /// The same, with facts that name users.
  init<Facts: NamesPeople>(
    _ number: String, _ priority: Priority = .notice, counter: Counter? = nil, about facts: Facts,
    words: @escaping @Sendable (Facts) -> String,
    fields: @escaping @Sendable (Facts) -> [Message.Value]
  ) {
    self.priority = priority
    self.counter = counter
    make = { names in
      var facts = facts
      facts.name(&names)
      return Message(
        number: number, priority: priority, words: words(facts), fields: fields(facts))
    }
  }

  func message(_ names: inout PersonNames) -> Message { make(&names) }

  /// Of users without names.
  package var message: Message {
    var names = PersonNames { _ in nil }
    return make(&names)
  }
}
