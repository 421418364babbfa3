// SPDX-License-Identifier: Apache-2.0
// Any bytes that the writer of PNGs packs are unpacked by zlib to the same bytes.

import Inflate
import Support
import Testing

struct DeflateTests {
  /// Random numbers, always the same for one seed.
  struct Chance {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    var rowSize = 24_000

    init(_ words: String, rowSize: Int = 24_000, _ bytes: [UInt8]) {
      (testDescription, self.rowSize, self.bytes) = (words, rowSize, bytes)
    }
  }

  /// Cuts to whole rows, or to whole pixels of the last one: 24 is a multiple of every pixel size.
  private static func fit(_ bytes: [UInt8], _ rowSize: Int) -> [UInt8] {
    let rest = bytes.count % (rowSize + 1)
    return rest == 0 ? bytes : Array(bytes.dropLast((rest - 1) % 24))
  }

  private static func noise(_ count: Int, _ values: Int = 256, seed: UInt64 = 1) -> [UInt8] {
    var chance = Chance(state: seed)
    return (0..<count).map { _ in UInt8(chance.next(below: values)) }
  }

  /// Value n occurs as often as Fibonacci's number n, which gives the longest code words.
  private static let fibonacci: [UInt8] = {
    var counts = [1, 1]
    while counts.count < 24 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
    var bytes = counts.enumerated().flatMap { Array(repeatElement(UInt8($0), count: $1)) }
    var chance = Chance(state: 3)
    for at in bytes.indices.reversed() { bytes.swapAt(at, chance.next(below: at + 1)) }
    return bytes
  }()

  /// Bytes that repeat at any distance and in any length.
  private static let echoes: [UInt8] = {
    var bytes = noise(40_000, seed: 5)
    var chance = Chance(state: 7)
    while bytes.count < 600_000 {
      let start = bytes.count - 1 - chance.next(below: 40_000 - 1)
      let count = chance.next(below: chance.next(below: 8) == 0 ? 2000 : 40)
      for at in start..<(start + count) { bytes.append(bytes[at]) }
      bytes.append(UInt8(chance.next(below: 256)))
    }
    return bytes
  }()

  static let cases: [Case] =
    [
      Case("nothing", []), Case("one byte", [7]), Case("two symbols", noise(9000, 2)),
      Case("one symbol", [UInt8](repeating: 9, count: 100_000)),
      Case("the largest bytes", [UInt8](repeating: 255, count: 700_000)),
      Case("zeros beyond the window", [UInt8](repeating: 0, count: 700_000)),
      Case("noise beyond the window", noise(500_000)),
      Case("a block of noise, then zeros", noise(60_000) + [UInt8](repeating: 0, count: 300_000)),
      Case("noise that repeats at 32 KiB", Array(repeatElement(noise(32_768), count: 5).joined())),
      Case(
        "noise that repeats farther away", Array(repeatElement(noise(32_769), count: 5).joined())),
      Case("Fibonacci's frequencies", fibonacci), Case("echoes", echoes),
      Case("few values", noise(300_000, 5)),
    ]
    + [24, 48, 6144 - 24, 6144, 6144 + 24, 8 * 6144].map { rowSize in
      Case("rows of \(rowSize)", rowSize: rowSize, Array(echoes.prefix(100_000)))
    }

  private func unpacked(_ bytes: [UInt8]) -> [UInt8] {
    guard var inflater = ByteInflater() else { return [] }
    var out: [UInt8] = []
    let isSound = inflater.inflate(bytes) { piece in
      out += piece
      return true
    }
    // The end is reached only if the checksum fits.
    let isAtEnd = inflater.isAtEnd
    #expect(isSound && isAtEnd)
    return out
  }

  @Test(arguments: cases, RowDeflater.pixelSizes)
  func `packed bytes are unpacked to the same bytes`(_ example: Case, _ pixelSize: Int) throws {
    let bytes = Self.fit(example.bytes, example.rowSize)
    let packed = try #require(
      RowDeflater.pack(bytes, pixelSize: pixelSize, rowSize: example.rowSize))
    #expect(unpacked(packed) == bytes)
  }

  @Test func `random mixtures are unpacked to the same bytes`() throws {
    for seed in UInt64(1)...60 {
      var chance = Chance(state: seed)
      let rowSize = 24 * (1 + chance.next(below: 400))
      var bytes: [UInt8] = []
      for _ in 0..<(1 + chance.next(below: 12)) {
        let count = chance.next(below: 9000)
        switch chance.next(below: 4) {
        case 0: bytes += Self.noise(count, seed: seed)
        case 1: bytes += [UInt8](repeating: UInt8(chance.next(below: 256)), count: count)
        case 2: bytes += Self.noise(count, 1 + chance.next(below: 6), seed: seed)
        default: bytes += bytes.suffix(count)
        }
      }
      bytes = Self.fit(bytes, rowSize)
      let pixelSize = RowDeflater.pixelSizes[chance.next(below: 5)]
      let packed = try #require(RowDeflater.pack(bytes, pixelSize: pixelSize, rowSize: rowSize))
      #expect(unpacked(packed) == bytes, "seed \(seed)")
    }
  }

  @Test(arguments: RowDeflater.pixelSizes)
  func `bytes without repeats grow by less than half a percent`(_ pixelSize: Int) throws {
    let bytes = Self.fit(Self.noise(400_000), 24_000)
    let packed = try #require(RowDeflater.pack(bytes, pixelSize: pixelSize, rowSize: 24_000))
    #expect(packed.count < bytes.count * 1005 / 1000)
  }

  @Test(arguments: RowDeflater.pixelSizes)
  func `rows that repeat, and bytes that are all the same, take next to no room`(_ pixelSize: Int)
    throws
  {
    let zeros = [UInt8](repeating: 0, count: 25 * 24_001)
    let packed = try #require(RowDeflater.pack(zeros, pixelSize: pixelSize, rowSize: 24_000))
    #expect(packed.count < zeros.count / 500)
    let rows = Array(repeatElement(Self.noise(24_001), count: 25).joined())
    let packedRows = try #require(RowDeflater.pack(rows, pixelSize: pixelSize, rowSize: 24_000))
    #expect(packedRows.count < rows.count / 10)
  }

  @Test func `the same bytes are packed the same way again`() {
    for pixelSize in RowDeflater.pixelSizes {
      let bytes = Self.fit(Self.echoes, 24_000)
      let first = RowDeflater.pack(bytes, pixelSize: pixelSize, rowSize: 24_000)
      #expect(first == RowDeflater.pack(bytes, pixelSize: pixelSize, rowSize: 24_000))
    }
  }
}
