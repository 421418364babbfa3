// SPDX-License-Identifier: Apache-2.0
// Changes to hosts by people and by the machine, and their view of hosts.

package import Vocabulary

extension Admission {
  /// Suspends or resumes downloads; photos that need no download are not affected.
  package mutating func suspendDownloads(_ isOn: Bool, now: Duration) {
    guard hosts.isSuspended != isOn else { return }
    hosts.suspend(isOn, now: now)
    enterCalled()
  }

  package mutating func limitHosts(to limits: HostLimits, now: Duration) {
    hosts.limit(to: limits, now: now)
    enterCalled()
  }

  /// Allows a probe of a closed host at once. Without a name: of all closed hosts, and all waiting retries
  /// are due.
  package mutating func flush(_ host: String?, wishes: Bool = true, now: Duration) -> Int {
    let count = hosts.flush(host, wishes: wishes, now: now)
    if host == nil {
      for key in expectant.keys { lines[key]?.waiting.hurry(to: now) }
      if !expectant.keys.isEmpty { expectant.next(now) }
    }
    enterCalled()
    return count
  }

  /// True if the photo waits for a place at its host.
  package func waitsForHost(_ photo: PhotoID) -> Bool {
    keys[photo.list]?.contains { lines[$0]?.forHost.contains(photo.number) == true } ?? false
  }
}
