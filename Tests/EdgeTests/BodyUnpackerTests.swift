// SPDX-License-Identifier: Apache-2.0
// A coded body is unpacked in small pieces, however its bytes arrive.

import Support
import Testing

@testable import Transfer

@Suite struct BodyUnpackerTests {
  private static let body = (UInt8(0)..<250).flatMap { [UInt8](repeating: $0, count: 4096) }

  private static func packed(isFramed: Bool = true) throws -> [UInt8] {
    let bytes = try #require(RowDeflater.pack(body, pixelSize: 1, rowSize: 4096))
    return isFramed ? bytes : Array(bytes.dropFirst(2).dropLast(4))
  }

  /// Takes all pieces; false if the bytes are refused.
  private func take(
    _ unpacker: BodyUnpacker, _ bytes: [UInt8], _ check: ([UInt8]) -> Void = { _ in }
  ) -> Bool {
    while let piece = unpacker.piece(of: bytes) {
      if piece.isEmpty { return true }
      check(piece)
      unpacker.take()
    }
    return false
  }

  @Test(arguments: [true, false], [1, 7, 1 << 20])
  func `however bytes arrive, what waits is one small piece until it is taken`(
    isFramed: Bool, step: Int
  ) throws {
    let packed = try Self.packed(isFramed: isFramed)
    let unpacker = try #require(BodyUnpacker(.deflate, first: packed[0]))
    var (body, largest): ([UInt8], Int) = ([], 0)
    for start in stride(from: 0, to: packed.count, by: step) {
      #expect(!unpacker.isAtEnd)
      let offer = Array(packed[start..<min(start + step, packed.count)])
      let isTaken = take(unpacker, offer) { piece in
        #expect(unpacker.piece(of: offer) == piece)
        largest = max(largest, piece.count)
        body += piece
      }
      #expect(isTaken)
    }
    #expect(largest > 0 && largest <= 16384)
    #expect(body == Self.body && unpacker.isAtEnd)
  }

  /// While a transfer over HTTP/2 is paused, libcurl may append what arrives.
  @Test func `bytes that are not taken yet may be offered with others behind them`() throws {
    let packed = try Self.packed()
    let unpacker = try #require(BodyUnpacker(.deflate, first: packed[0]))
    var body: [UInt8] = []
    for end in stride(from: packed.count / 2, to: packed.count, by: packed.count / 10) {
      let offer = Array(packed[..<end])
      let piece = try #require(unpacker.piece(of: offer))
      #expect(!piece.isEmpty && unpacker.piece(of: packed) == piece)
      unpacker.take()
      body += piece
    }
    let isTaken = take(unpacker, packed) { body += $0 }
    #expect(isTaken && body == Self.body && unpacker.isAtEnd)
  }

  @Test func `bytes after the end are refused, at once or later`() throws {
    let packed = try Self.packed()
    let unpacker = try #require(BodyUnpacker(.deflate, first: packed[0]))
    #expect(take(unpacker, packed) && !take(unpacker, [0]))
    let other = try #require(BodyUnpacker(.deflate, first: packed[0]))
    #expect(!take(other, packed + [0]))
  }

  @Test func `what is no gzip, or is damaged, is refused`() throws {
    let raw = try Self.packed(isFramed: false)
    let strict = try #require(BodyUnpacker(.gzip, first: raw[0]))
    #expect(!take(strict, raw))
    var packed = try Self.packed()
    packed[packed.count - 1] ^= 1
    let unpacker = try #require(BodyUnpacker(.deflate, first: packed[0]))
    #expect(!take(unpacker, packed))
  }
}
