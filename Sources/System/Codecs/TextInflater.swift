// SPDX-License-Identifier: Apache-2.0
// Decompresses a text of a PNG piece by piece. Damaged input ends it.

internal import CCodecs

@safe package struct TextInflater: ~Copyable {
  private static let pieceSize = 16 << 10
  private let handle: OpaquePointer

  /// The number of compressed bytes that were used: what follows the end is not.
  package private(set) var taken = 0

  /// Nil if there is no memory left.
  package init?() {
    guard let handle = unsafe dr_inflate_open() else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe dr_inflate_close(handle) }

  /// The whole text has been decompressed.
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
