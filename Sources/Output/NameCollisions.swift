// SPDX-License-Identifier: Apache-2.0
// Finds the photos of a list whose print needs a number in its name, because an earlier photo has the same
// name. Takes sixteen bytes per photo while it runs; the result is usually empty.

package struct NameCollisions: Sendable {
  private var seen: [(hash: UInt64, number: UInt32)] = []

  package init() {}

  package mutating func add(_ name: String, number: UInt32) {
    seen.append((Self.hash(PrintName.collisionKey(name)), number))
  }

  /// The numbers of the photos whose name is taken. If the hashes of two names collide, the later one gets a
  /// needless number; that is harmless, and the same each time.
  package consuming func numbers() -> [UInt32] {
    seen.sort { ($0.hash, $0.number) < ($1.hash, $1.number) }
    return zip(seen, seen.dropFirst()).filter { $0.hash == $1.hash }.map { $1.number }.sorted()
  }

  /// FNV-1a over the characters' canonical form: equal for composed and decomposed spellings, and
  /// the same in every process, unlike `Hasher`.
  private static func hash(_ key: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // The standard library's NFC, which `==` compares; needs no Foundation.
    for byte in key._nfcCodeUnits { add(byte) }
    return hash
  }
}
