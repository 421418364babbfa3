// SPDX-License-Identifier: Apache-2.0
// Mutated inputs by number: an input depends on the seed, its number, the corpus and the words alone, so that an
// input that stops a target can be made again. No feedback from the target: this is for many inputs, libFuzzer for new
// paths.

import Support

package struct MutatedInputs: Sendable {
  private let target: FuzzTarget
  private let seed: UInt64
  private let corpus: [[UInt8]]
  private let words: [[UInt8]]

  /// - Parameter corpus: at least one input.
  package init(_ target: FuzzTarget, seed: UInt64, corpus: [[UInt8]], words: [[UInt8]] = []) {
    self.target = target
    self.seed = seed
    self.corpus = corpus.map { $0.isEmpty ? [0x20] : $0 }
    self.words = words.filter { !$0.isEmpty } + Self.numbers.map { Array($0.utf8) }
  }

  package func input(_ number: UInt64) -> [UInt8] {
    var random = SimulatedRandom(seed: seed &+ number &* 0x9E6C_63D0_876A_68DE)
    var bytes = corpus[random.number(below: corpus.count)]
    repeat { change(&bytes, &random) } while !random.oneIn(3)
    if bytes.count > target.longest { bytes.removeSubrange(target.longest...) }
    return random.oneIn(8) ? bytes : target.mended(bytes)
  }

  private static let numbers = [
    "0", "-1", "1", "127", "128", "255", "256", "32768", "65535", "65536", "2147483647",
    "2147483648", "4294967295",
    "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e308",
  ]
  private static let oddBytes: [UInt8] = [
    0, 1, 0x09, 0x0A, 0x20, 0x22, 0x30, 0x3C, 0x7F, 0x80, 0xC0, 0xFE, 0xFF,
  ]
  private static let oddNumbers: [UInt64] = [
    0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 32,
    UInt64.max >> 1,
    1 << 63, .max - 7, .max,
  ]

  private func change(_ bytes: inout [UInt8], _ random: inout SimulatedRandom) {
    if bytes.isEmpty { bytes.append(0x20) }
    let place = random.number(below: bytes.count)
    switch random.number(below: 12) {
    case 0: bytes[place] ^= 1 << UInt8(random.number(below: 8))
    case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes[place] = Self.oddBytes[random.number(below: Self.oddBytes.count)]
    case 3: bytes[place] &+= UInt8(truncatingIfNeeded: random.number(below: 33) - 16)
    case 4: bytes.removeSubrange(part(from: place, of: bytes, &random))
    case 5:
      bytes.insert(
        contentsOf: bytes[part(from: random.number(below: bytes.count), of: bytes, &random)],
        at: place)
    case 6: bytes.insert(contentsOf: words[random.number(below: words.count)], at: place)
    case 7:
      let word = words[random.number(below: words.count)]
      bytes.replaceSubrange(place..<min(place + word.count, bytes.count), with: word)
    case 8: putNumber(at: place, &bytes, &random)
    case 10 where random.oneIn(8):
      let word = words[random.number(below: words.count)]
      let times = random.number(below: target.longest / word.count + 1)
      bytes.insert(contentsOf: repeatElement(word, count: times).joined(), at: place)
    case 9, 10: swapDigits(from: place, &bytes, &random)
    default:
      let other = corpus[random.number(below: corpus.count)]
      bytes.replaceSubrange(place..., with: other[random.number(below: other.count)...])
    }
  }

  private func part(
    from place: Int, of bytes: [UInt8], _ random: inout SimulatedRandom
  ) -> Range<Int> {
    let most = random.oneIn(4) ? 256 : 8
    return place..<min(place + 1 + random.number(below: most), bytes.count)
  }

  /// Puts a number of one to eight bytes, of either order, over the bytes.
  private func putNumber(at place: Int, _ bytes: inout [UInt8], _ random: inout SimulatedRandom) {
    let size = min(1 << random.number(below: 4), bytes.count - place)
    let number = Self.oddNumbers[random.number(below: Self.oddNumbers.count)]
    let isBig = random.oneIn(2)
    for index in 0..<size {
      let shift = UInt64(8 * (isBig ? size - 1 - index : index))
      bytes[place + index] = UInt8(truncatingIfNeeded: number >> shift)
    }
  }

  /// Replaces the next digits after the place by another number.
  private func swapDigits(from place: Int, _ bytes: inout [UInt8], _ random: inout SimulatedRandom)
  {
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
    let number = Self.numbers[random.number(below: Self.numbers.count)]
    bytes.replaceSubrange(start..<end, with: number.utf8)
  }
}
