// SPDX-License-Identifier: Apache-2.0
// What must be true after each step: no line with a photo and room is forgotten.

import Queues
import Vocabulary

@testable import Chain

extension HostWorld {
  /// A look takes time in proportion to the hosts, so with thousands of them not each step is looked at.
  var isLooking: Bool { events % (1 + admission.hosts.hosts.count / 64) == 0 }

  /// A host has a place for a line that it has not called, or has no alarm for the time of a probe; or a called line with
  /// room in the window has not answered.
  var hasStuckLine: Bool {
    admission.hosts.hosts.contains { name, host in
      if name == HostWindows.here || admission.hosts.isShut(name) { return false }
      return hasUncalled(name, host) || hasSilent(host)
    }
  }

  private func hasUncalled(_ name: String, _ host: HostWindows.Host) -> Bool {
    let windows = admission.hosts
    var places = HostWindows.Places(
      host.guests, now: now, most: windows.limits.most,
      seats: windows.seats?.limit(name, now: now))
    var calls = host.called.lines.values.map(\.owner)
    // A call without a place is for a photo that gives up.
    while let next = calls.filter(places.isFor).min(by: {
      (places.taken($0), $0) < (places.taken($1), $1)
    }) {
      places.take(next)
      if let place = calls.firstIndex(of: next) { calls.remove(at: place) }
    }
    let waiting = Set(host.queues.flatMap(\.owners))
    let gates = waiting.compactMap { host.guests[$0]?.window.closure?.next }.filter { $0 > now }
    return waiting.contains(where: places.isFor)
      || gates.contains { $0 < windows.nextGate ?? .seconds(Int64.max) }
  }

  private func hasSilent(_ host: HostWindows.Host) -> Bool {
    guard admission.inFlight < admission.window + admission.size.reserve else { return false }
    return host.called.shares.contains { share in
      admission.room(share.serviceClass)
        .isFor(ownerWith: admission.seats.count(of: share.owner))
    }
  }
}
