// SPDX-License-Identifier: Apache-2.0
// What people and the machine change about servers, and what they see of them.

package import Vocabulary

extension Admission {
  /// Downloads wait, or go on: what needs no download is not meant.
  package mutating func suspendDownloads(_ isOn: Bool, now: Duration) {
    guard hosts.isSuspended != isOn else { return }
    hosts.suspend(isOn, now: now)
    enterRung()
  }

  package mutating func limitHosts(to limits: HostLimits, now: Duration) {
    hosts.limit(to: limits, now: now)
    enterRung()
  }

  /// A closed server, or all of them with every photo that waits for another attempt, at once.
  package mutating func flush(_ host: String?, wishes: Bool = true, now: Duration) -> Int {
    let count = hosts.flush(host, wishes: wishes, now: now)
    if host == nil {
      for key in expectant { lines[key]?.waiting.hurry(to: now) }
      if !expectant.isEmpty { earliest = now }
    }
    enterRung()
    return count
  }

  /// Looked at, and waiting for a place at its server.
  package func isAside(_ photo: PhotoID) -> Bool {
    keys[photo.list]?.contains { lines[$0]?.aside.contains(photo.number) == true } ?? false
  }
}
