// SPDX-License-Identifier: Apache-2.0
// Finds duplicate names without storing names: a table of hashes and numbers, 8 bytes per slot and at most three
// quarters full. A million names take 16 MiB (24 while it grows), five million 64 (96). Two names are equal if
// Unicode calls them canonically equivalent. Long names are equal only if their bytes are, because a canonical
// comparison would take too long. The hashes are seeded, so an attacker cannot make them collide.

internal import Vocabulary

struct NameIndex {
  /// High half: from the hash. Low half: the photo's number. 0: free.
  private var slots: [UInt64]
  private var count = 0

  init() { slots = [UInt64](repeating: 0, count: 1024) }

  /// Adds a name, or returns the number of the photo that has it already. `isSame` compares the name with an
  /// earlier photo's; it is called only if the hashes agree.
  mutating func insert<Problem: Error>(
    _ name: String, number: UInt32, isSame: (UInt32) throws(Problem) -> Bool
  ) throws(Problem) -> UInt32? {
    if count >= slots.count / 4 * 3 { grow() }
    var hasher = Hasher()
    if Self.isShort(name) {
      hasher.combine(name)
    } else {
      OutsideText(checked: name).hash(into: &hasher)
    }
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

  static func isSame(_ one: String, _ other: String) -> Bool {
    isShort(one) && isShort(other) ? one == other : OutsideText.isSame(one, other)
  }

  private static func isShort(_ name: String) -> Bool { name.utf8.count <= OutsideText.longest }

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
