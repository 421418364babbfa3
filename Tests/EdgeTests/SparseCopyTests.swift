// SPDX-License-Identifier: Apache-2.0
// Copies of files with holes: the same bytes, and no more room on the disk than the file itself.

import Files
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct SparseCopyTests {
  private static let block = 4096

  /// Notes where it is written.
  private final class NotedFile: OpenFile {
    let inner = MemoryFile()
    let writes = Mutex<[Range<UInt64>]>([])

    var descriptor: Int32 { -1 }
    func status() throws(SystemError) -> FileStatus { try inner.status() }
    func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
      try inner.read(at: offset, upTo: count)
    }
    func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
      writes.withLock { $0.append(offset..<offset + UInt64(bytes.count)) }
      try inner.write(bytes, at: offset)
    }
    func truncate(to size: UInt64) throws(SystemError) { try inner.truncate(to: size) }
    func reserve(_ size: UInt64) throws(SystemError) {}
    func sync() throws(SystemError) {}
    func setMode(_ mode: UInt32) throws(SystemError) {}
  }

  /// Zeros, but for blocks of ones at these places.
  private static func bytes(_ size: Int, _ places: [Int]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    for place in places { bytes[place * block] = 1 }
    return bytes
  }

  @Test(
    arguments: [
      (0, [], 0), (2_000_000, [], 0), (2_000_000, [0, 1, 300, 488], 4), (4097, [0], 1),
      (4097, [1], 1), (300_000, Array(0..<74), 74), (4096, [0], 1),
    ] as [(Int, [Int], Int)])
  func `a copy is written only where its source has more than zeros`(
    _ size: Int, _ places: [Int], _ blocks: Int
  ) throws {
    let bytes = Self.bytes(size, places)
    let copy = NotedFile()
    let sum = try FileCopy.hashingCopy(MemoryFile(bytes), to: copy, upTo: UInt64(size))
    #expect(copy.inner.bytes == bytes && sum.size == UInt64(size))
    #expect(try sum == FileCopy.sum(MemoryFile(bytes), upTo: UInt64(size)))
    let written = copy.writes.withLock { $0.reduce(0) { $0 + Int($1.upperBound - $1.lowerBound) } }
    #expect(written <= blocks * Self.block, "of \(size)")
  }

  @Test(
    arguments: [
      (0, [], false), (1 << 20, [], true), (1 << 20, [(0, 4096)], true),
      (1 << 20, [(1 << 19, 1 << 19)], false), (1 << 20, [(0, 1 << 20)], false),
      (1 << 20, [(1 << 18, 1 << 18), (3 << 18, 1 << 18)], false),
      (1 << 20, [(1 << 18, 1 << 18), (3 << 18, 1 << 16)], true),
    ] as [(UInt64, [(UInt64, Int)], Bool)])
  func `a file is hollow if more than half of it was never written`(
    _ size: UInt64, _ parts: [(at: UInt64, bytes: Int)], _ isHollow: Bool
  ) throws {
    let scratch = try FreshFolder()
    defer { withExtendedLifetime(scratch) {} }
    let file = try scratch.folder.open(FileName(literal: "a.jpg"), .create)
    for part in parts { try file.write([UInt8](repeating: 0, count: part.bytes), at: part.at) }
    try file.truncate(to: size)
    #expect(try FileCopy.isHollow(file, size) == isHollow)
    #expect(try !FileCopy.isHollow(MemoryFile([UInt8](repeating: 0, count: 99)), 99))
  }

  @Test func `a copy over an older file has none of its bytes left`() throws {
    let bytes = Self.bytes(20_000, [3])
    let target = MemoryFile([UInt8](repeating: 9, count: 15_000))
    try FileCopy.copy(MemoryFile(bytes), to: target, upTo: 20_000)
    #expect(target.bytes == bytes)
  }
}
