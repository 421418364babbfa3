// SPDX-License-Identifier: Apache-2.0
// How many photos of a list have ended in the last minute, second by second, for the time left that users see.
// A value.

struct PhotoPace: Equatable, Sendable {
  /// In seconds.
  private static let window: Int64 = 60
  /// A shorter time tells nothing about the next minute.
  private static let least: Int64 = 3

  private struct Bucket: Equatable {
    let second: Int64
    var photos: UInt64 = 1
  }

  /// Seconds in which photos have ended, the oldest first.
  private var buckets: [Bucket] = []
  /// The second of the first end after a minute without one.
  private var start: Int64 = 0

  /// - Parameter now: an uptime.
  mutating func ended(at now: Duration) {
    let second = now.components.seconds
    buckets.removeAll { $0.second <= second - Self.window }
    if buckets.isEmpty { start = second }
    if buckets.last?.second == second {
      buckets[buckets.count - 1].photos += 1
    } else {
      buckets.append(Bucket(second: second))
    }
  }

  /// Photos an hour, over the last minute or since the first one ended; 0 while that is unknown.
  func photosPerHour(at now: Duration) -> UInt64 {
    let second = now.components.seconds
    let first = max(start, second - Self.window)
    let span = second - first
    guard span >= Self.least else { return 0 }
    // The first photo begins the time, so it is not counted in it.
    let photos = buckets.reduce(0) { $0 + ($1.second > first ? $1.photos : 0) }
    return photos * 3600 / UInt64(span)
  }
}
