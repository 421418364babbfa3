// SPDX-License-Identifier: Apache-2.0
// The views of a process with a port of its own, by the texts of their cookies. Once it has ended, any user may listen
// at that port, and gets the cookies of pages that are still open: they are random numbers, for which this process alone
// had the views. A user who opens many pages ends none of another user. A value; the caller passes texts and times.

package struct ViewBook: Sendable {
  private struct Entry {
    let view: String
    let user: UInt32
    let until: Duration
  }

  /// Random bytes in the text of a cookie.
  package static let size = 16
  /// Of one user; a new one replaces the oldest.
  package static let mostOfUser = 100
  package static let most = 1000

  private var entries: [String: Entry] = [:]

  package init() {}

  /// False if there are too many, and none of this user.
  package mutating func keep(
    _ view: String, as text: String, of user: UInt32, seconds: UInt32, now: Duration
  ) -> Bool {
    entries = entries.filter { $0.value.until > now }
    let own = entries.filter { $0.value.user == user }
    if own.count >= Self.mostOfUser || entries.count >= Self.most {
      guard let oldest = own.min(by: { $0.value.until < $1.value.until }) else { return false }
      entries[oldest.key] = nil
    }
    entries[text] = Entry(view: view, user: user, until: now + .seconds(Int64(seconds)))
    return true
  }

  package func view(_ text: String, now: Duration) -> String? {
    guard let entry = entries[text], entry.until > now else { return nil }
    return entry.view
  }
}
