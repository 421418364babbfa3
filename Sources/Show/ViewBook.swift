// SPDX-License-Identifier: Apache-2.0
// The views of a process, by the secrets in the addresses of its pages: random numbers, which lead to nothing once it has
// ended. So another user who then listens at its port, and is asked by pages that are still open, gets no view. A user
// who opens many pages ends none of another user. A value; the caller passes secrets and times.

package struct ViewBook: Sendable {
  /// The user of a view, and the text of the right.
  package struct Viewer: Equatable, Sendable {
    package let view: String
    package let user: UInt32

    package init(view: String, user: UInt32) { (self.view, self.user) = (view, user) }
  }

  private struct Entry {
    let viewer: Viewer
    let until: Duration
  }

  /// Random bytes of a secret.
  package static let size = 16
  /// Of one user; a new one replaces the oldest.
  package static let mostOfUser = 100
  package static let most = 1000

  private var entries: [String: Entry] = [:]

  package init() {}

  /// False if there are too many, and none of this user.
  package mutating func keep(
    _ viewer: Viewer, as secret: String, seconds: UInt32, now: Duration
  ) -> Bool {
    entries = entries.filter { $0.value.until > now }
    let own = entries.filter { $0.value.viewer.user == viewer.user }
    if own.count >= Self.mostOfUser || entries.count >= Self.most {
      guard let oldest = own.min(by: { $0.value.until < $1.value.until }) else { return false }
      entries[oldest.key] = nil
    }
    entries[secret] = Entry(viewer: viewer, until: now + .seconds(Int64(seconds)))
    return true
  }

  package func viewer(_ secret: String, now: Duration) -> Viewer? {
    guard let entry = entries[secret], entry.until > now else { return nil }
    return entry.viewer
  }
}
