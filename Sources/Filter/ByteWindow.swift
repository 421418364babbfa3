// SPDX-License-Identifier: Apache-2.0
// Small reads at rising offsets of a file, from one buffer. Raises CodecError.

internal import Codecs
internal import Vocabulary

struct ByteWindow {
  private static let size = 32 << 10
  private let file: any OpenFile
  private var start: UInt64 = 0
  private var bytes: [UInt8] = []

  init(_ file: any OpenFile) { self.file = file }

  /// The bytes at an offset, at most `count` and at most 32 KiB; fewer only at the end of the file.
  mutating func read(at offset: UInt64, _ count: Int) throws(CodecError) -> ArraySlice<UInt8> {
    let count = min(count, Self.size)
    if offset < start || offset + UInt64(count) > start + UInt64(bytes.count) {
      bytes = try CodecError.system { () throws(SystemError) in
        try file.read(at: offset, upTo: Self.size)
      }
      start = offset
    }
    let first = Int(offset - start)
    return bytes[first..<min(first + count, bytes.count)]
  }
}
