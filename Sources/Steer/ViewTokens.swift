// SPDX-License-Identifier: Apache-2.0
// Tokens that wait to be exchanged for a right, each once and within its time. A value: the caller passes random
// bytes and times. A restart forgets them: `darkroomctl open` makes another.

internal import Vocabulary

package struct ViewTokens: Sendable {
  package struct Promise: Equatable, Sendable {
    package let list: UInt64
    package let user: UInt32

    package init(list: UInt64, user: UInt32) { (self.list, self.user) = (list, user) }
  }

  package static let lifetime = Duration.seconds(120)
  package static let size = 16
  /// Of one user; a new one replaces the oldest.
  static let mostOfUser = 16
  static let most = 1024

  private var waiting: [(token: [UInt8], promise: Promise, until: Duration)] = []

  package init() {}

  /// Nil if there are too many.
  package mutating func make(
    _ promise: Promise, random: [UInt8], now: Duration
  ) -> String? {
    waiting.removeAll { $0.until <= now }
    let own = waiting.indices.filter { waiting[$0].promise.user == promise.user }
    if own.count >= Self.mostOfUser, let oldest = own.first { waiting.remove(at: oldest) }
    guard waiting.count < Self.most else { return nil }
    waiting.append((random, promise, now + Self.lifetime))
    return String(hex: random)
  }

  /// The promise of the token, which is used up.
  package mutating func take(_ text: String, now: Duration) -> Promise? {
    waiting.removeAll { $0.until <= now }
    let place = waiting.firstIndex { String(hex: $0.token) == text }
    return place.map { waiting.remove(at: $0).promise }
  }
}
