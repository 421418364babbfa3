// SPDX-License-Identifier: Apache-2.0
// A file that another process cuts while it is read. Concurrency model: one lock guards the number of reads
// that are left.

import Support
import Synchronization
import Vocabulary

final class ShrinkingFile: OpenFile {
  private let whole: MemoryFile
  private let rest: MemoryFile
  private let readsLeft: Mutex<Int>

  /// After this number of reads the file has only `size` bytes.
  init(_ bytes: [UInt8], to size: Int, afterReads reads: Int) {
    whole = MemoryFile(bytes)
    rest = MemoryFile(Array(bytes.prefix(size)))
    readsLeft = Mutex(reads)
  }

  var descriptor: Int32 { -1 }

  func status() throws(SystemError) -> FileStatus { try whole.status() }

  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    let isWhole = readsLeft.withLock { left in
      left -= 1
      return left >= 0
    }
    return try (isWhole ? whole : rest).read(at: offset, upTo: count)
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    try whole.write(bytes, at: offset)
    try rest.write(bytes, at: offset)
  }

  func truncate(to size: UInt64) throws(SystemError) { try whole.truncate(to: size) }
  func reserve(_ size: UInt64) throws(SystemError) {}
  func sync() throws(SystemError) {}
}
