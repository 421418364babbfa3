// SPDX-License-Identifier: Apache-2.0
// Unpacks the coded body of an answer piece by piece, so that at most one unpacked piece waits until the sink has
// room. libcurl would unpack all bytes of a read, and would keep the result. Belongs to the loop's thread.

import Inflate

final class BodyUnpacker {
  private var inflater: ByteInflater
  /// The bytes that are unpacked, and not yet taken.
  private var waiting: [UInt8] = []
  /// The number of offered bytes that are unpacked.
  private var done = 0

  /// `first` is the body's first byte. Nil if there is no memory left.
  init?(_ packing: ContentCoding.Packing, first: UInt8) {
    guard let inflater = ByteInflater(BodyUnpacker.frame(packing, first)) else { return nil }
    self.inflater = inflater
  }

  /// With the name deflate, some servers leave out zlib's frame. Its first byte ends in 8; no packer begins a body
  /// without the frame so, because such bits begin a block that is stored behind padding other than zero.
  private static func frame(
    _ packing: ContentCoding.Packing, _ first: UInt8
  ) -> ByteInflater.Frame {
    switch packing {
    case .gzip: .gzip
    case .deflate: first & 0x0F == 8 ? .zlib : .raw
    }
  }

  /// The coding has ended. The checksum fits if the frame has one.
  var isAtEnd: Bool { inflater.isAtEnd }

  /// The next piece that the offered bytes unpack to; the same one until it is taken, even if others are offered behind
  /// them. Empty if none is left: other bytes may be offered then. Nil if the bytes are damaged, or go on after the end.
  func piece(of bytes: [UInt8]) -> [UInt8]? {
    if !waiting.isEmpty { return waiting }
    let before = inflater.taken
    var found: [UInt8] = []
    let isSound = inflater.inflate(Array(bytes.dropFirst(done))) { piece in
      found = Array(piece)
      return false
    }
    done += inflater.taken - before
    if !found.isEmpty {
      waiting = found
      return found
    }
    guard isSound, done == bytes.count else { return nil }
    done = 0
    return []
  }

  func take() { waiting = [] }
}
