// SPDX-License-Identifier: Apache-2.0
// Which names a list has had, without keeping them: a table of hashes and numbers, 8 bytes a slot
// and at most three quarters full. A million names take 16 MiB (24 while it grows), five million 64
// (96). Equal means canonically equal, as Unicode has it; the hashes are seeded, so nobody can aim
// at them.

struct NameIndex {
  /// High half: of the hash; low half: the photo's number; 0: free.
  private var slots: [UInt64]
  private var count = 0

  init() { slots = [UInt64](repeating: 0, count: 1024) }

  /// Adds a name, or returns the number of the photo that has it already. `isSame` says whether the
  /// photo of that number really does; it is asked only where hashes agree.
  mutating func insert<Problem: Error>(
    _ name: String, number: UInt32, isSame: (UInt32) throws(Problem) -> Bool
  ) throws(Problem) -> UInt32? {
    if count >= slots.count / 4 * 3 { grow() }
    var hasher = Hasher()
    hasher.combine(name)
    let half = UInt64(truncatingIfNeeded: hasher.finalize()) & 0xFFFF_FFFF
    var slot = Self.start(half, in: slots.count)
    while slots[slot] != 0 {
      if slots[slot] >> 32 == half {
        let other = UInt32(truncatingIfNeeded: slots[slot])
        if try isSame(other) { return other }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = half << 32 | UInt64(number)
    count += 1
    return nil
  }

  private static func start(_ half: UInt64, in size: Int) -> Int { Int(half) & (size - 1) }

  private mutating func grow() {
    let size = slots.count * 2
    var larger = [UInt64](repeating: 0, count: size)
    for value in slots where value != 0 {
      var slot = Self.start(value >> 32, in: size)
      while larger[slot] != 0 { slot = (slot + 1) & (size - 1) }
      larger[slot] = value
    }
    slots = larger
  }
}
