// SPDX-License-Identifier: Apache-2.0
// Tells when the disks of a daemon in trouble are better: there is more room, more names can be made, or a disk can be
// written again. Room on a disk rings no bell, and what waits tries again after pauses that grow; this ends them early.
// A value: rooms and times in; raises nothing.

import Vocabulary

struct DiskRelief {
  /// The pause between two looks.
  static let interval = Duration.milliseconds(500)

  /// The worst since the trouble began, or since the last relief.
  private var worst: [String: DiskRoom] = [:]
  /// Other programs also write to these disks: reliefs that help nothing come less and less often.
  private var pause = Backoff(interval, to: .seconds(30))
  private var next = Duration.zero

  /// Takes the rooms of the folders, by name. Returns true if what waits for a disk should be tried now.
  mutating func take(_ rooms: [String: DiskRoom], at now: Duration) -> Bool {
    let isBetter = rooms.contains { name, room in
      worst[name].map { room.isBetter(than: $0) } ?? false
    }
    guard isBetter, now >= next else {
      worst.merge(rooms) { $0.worst(with: $1) }
      return false
    }
    worst = rooms
    next = now + pause.take()
    return true
  }
}
