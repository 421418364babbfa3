// SPDX-License-Identifier: Apache-2.0
// Who gets a place on the control socket, so that no user can lock out another one: a user has at most an eighth of the
// places, and when none is left, an idle connection of the user with most places ends. Root and the daemon's user
// (systemctl reload) have places beyond that. A value; the loop passes the connections.

struct ControlPlaces: Sendable {
  struct Place: Sendable {
    let number: UInt64
    let user: UInt32
    /// Since when the daemon waits for a request of this connection; nil while it serves one.
    let idleSince: Duration?
  }

  enum Verdict: Equatable, Sendable {
    case free
    /// The connection with this number ends first.
    case insteadOf(UInt64)
    case refused(why: String)
  }

  let limits: ControlLimits
  let keepers: Set<UInt32>

  func verdict(on user: UInt32, among places: [Place]) -> Verdict {
    let isKeeper = keepers.contains(user)
    let own = places.filter { $0.user == user }
    if !isKeeper, own.count >= limits.clientsPerUser {
      if let oldest = Self.oldestIdle(own) { return .insteadOf(oldest.number) }
      return .refused(
        why: "\(own.count) of your connections are already open; close one first")
    }
    if places.count < limits.clients + (isKeeper ? limits.kept : 0) { return .free }
    if let victim = victim(for: user, having: own.count, among: places) {
      return .insteadOf(victim.number)
    }
    return .refused(why: "\(limits.clients) connections are already open; try again later")
  }

  /// The oldest idle connection of the user with most connections. A user with hardly more than the newcomer loses none:
  /// otherwise two users would end each other's connections in turn.
  private func victim(for user: UInt32, having count: Int, among places: [Place]) -> Place? {
    let users = Dictionary(grouping: places, by: \.user)
      .filter { $0.key == user || $0.value.count > count + 1 }
    let oldest = users.values.compactMap { own in
      Self.oldestIdle(own).map { (place: $0, count: own.count) }
    }
    return oldest.max { one, other in
      (one.count, other.place.number) < (other.count, one.place.number)
    }?.place
  }

  private static func oldestIdle(_ places: [Place]) -> Place? {
    places.filter { $0.idleSince != nil }
      .min { ($0.idleSince ?? .zero, $0.number) < ($1.idleSince ?? .zero, $1.number) }
  }
}
