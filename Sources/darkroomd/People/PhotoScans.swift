// SPDX-License-Identifier: Apache-2.0
// The calls that read the photos of a list, however long it is: one of a user at a time, on a thread for disks, and each
// ends when its caller has left. Raises `ControlError`.
// Concurrency: immutable.

import Linux
import Steer

final class PhotoScans: Sendable {
  /// Photos that are read before the next look whether the caller has left.
  static let block: UInt32 = 256

  let lines = UserLines()

  /// Runs the scan in the user's turn.
  func run<Found: Sendable>(
    of user: UInt32, _ scan: @Sendable () throws(ControlError) -> Found
  ) async throws(ControlError) -> Found {
    try await lines.run(of: user) { () async throws(ControlError) in
      try Self.checkCaller()
      return try await onDisk { () throws(ControlError) in try scan() }
    }
  }

  /// Reads block by block, until `read` returns false.
  static func each(
    of numbers: Range<UInt32>, by block: UInt32 = block,
    _ read: (Range<UInt32>) throws(ControlError) -> Bool
  ) throws(ControlError) {
    var next = numbers.lowerBound
    while next < numbers.upperBound {
      try checkCaller()
      let end = next + min(block, numbers.upperBound - next)
      guard try read(next..<end) else { return }
      next = end
    }
  }

  static func checkCaller() throws(ControlError) {
    if Task.isCancelled { throw .notPossible(why: "the caller has left") }
  }
}
