// SPDX-License-Identifier: Apache-2.0
// Decompresses deflated bytes (RFC 1951) piece by piece: a text of a PNG, or the body of an answer. Damaged input
// ends the decompression.

internal import CInflate

@safe package struct ByteInflater: ~Copyable {
  /// The frame of the deflated bytes: a head and a checksum, or nothing.
  package enum Frame: Sendable {
    /// RFC 1950.
    case zlib
    /// RFC 1952; zlib's as well.
    case gzip
    case raw

    fileprivate var number: Int32 {
      switch self {
      case .zlib: Int32(DR_INFLATE_ZLIB)
      case .gzip: Int32(DR_INFLATE_GZIP)
      case .raw: Int32(DR_INFLATE_RAW)
      }
    }
  }

  package static let pieceSize = 16 << 10
  private let handle: OpaquePointer

  /// The number of compressed bytes that were used: what follows the end is not.
  package private(set) var taken = 0

  /// Nil if there is no memory left.
  package init?(_ frame: Frame = .zlib) {
    guard let handle = unsafe dr_inflate_open(frame.number) else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe dr_inflate_close(handle) }

  /// All bytes have been decompressed.
  package var isAtEnd: Bool { unsafe dr_inflate_ended(handle) != 0 }

  /// Passes the decompressed bytes to `take` in pieces of at most 16 KiB until `take` returns false.
  /// Returns false if it did, or if the bytes are damaged.
  package mutating func inflate(_ bytes: [UInt8], _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    var done = 0
    while true {
      var used: UInt32 = 0
      let count = unsafe bytes[done...].withUnsafeBufferPointer { input in
        unsafe piece.withUnsafeMutableBufferPointer { output in
          unsafe dr_inflate_some(
            handle, input.baseAddress, UInt32(input.count), &used, output.baseAddress,
            UInt32(output.count))
        }
      }
      guard count >= 0 else { return false }
      done += Int(used)
      taken += Int(used)
      if count > 0, !take(piece[..<Int(count)]) { return false }
      if count == 0 && used == 0 || isAtEnd { return true }
    }
  }
}
