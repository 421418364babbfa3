// SPDX-License-Identifier: Apache-2.0
// Decides whether there is room for downloads. They stop when the file system of a folder has less free space
// than the floor, and resume when every one has a quarter more, so that a disk near the floor does not stop
// and resume them with each photo. A value; raises nothing.

import Files
import Vocabulary

struct SpaceFloor: Equatable, Sendable {
  struct Measure: Equatable, Sendable {
    /// The folder's name for people: `the state folder`.
    let name: String
    let free: UInt64
    let total: UInt64
  }

  /// The folder that is short of room.
  private(set) var low: Measure?

  static func floor(_ setting: UInt64?, of total: UInt64) -> UInt64 {
    setting ?? max(total / 100, min(512 << 20, total / 20))
  }

  /// With less free space, no list is let in.
  static func intake(_ setting: UInt64?, of total: UInt64) -> UInt64 {
    floor(setting, of: total) / 8
  }

  /// Takes new measures; returns true if a shortage begins or ends.
  mutating func take(_ measures: [Measure], setting: UInt64?) -> Bool {
    let wasLow = low != nil
    low = measures.first { measure in
      let floor = Self.floor(setting, of: measure.total)
      return measure.free < (wasLow ? floor + floor / 4 : floor)
    }
    return wasLow != (low != nil)
  }

  static func isShort(_ measures: [Measure], setting: UInt64?) -> Bool {
    var floor = SpaceFloor()
    return floor.take(measures, setting: setting)
  }

  func failure(setting: UInt64?) -> Failure? {
    guard let low else { return nil }
    let floor = Self.floor(setting, of: low.total)
    return Failure(
      .machine, code: "disk.low",
      reason: "\(low.name) has \(Self.words(low.free)) free; downloads need "
        + Self.words(floor + floor / 4),
      advice: "Make room, or set FreeSpace= under [Download]")
  }

  static func words(_ bytes: UInt64) -> String { CopyRoom.words(bytes) }
}
