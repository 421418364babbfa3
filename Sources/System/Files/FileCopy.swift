// SPDX-License-Identifier: Apache-2.0
// Copies and hashes files in pieces, and stops between pieces if the task is cancelled. A copy ends with the
// piece that passes the limit. Where the source has nothing but zeros, a copy has holes. Raises the kernel's errors and `SystemError.cancelled`.

package import Digests
package import Vocabulary

package enum FileCopy {
  private static let piece = 256 << 10
  /// The smallest hole. A file of holes, which costs its owner nothing, must not fill a disk as a copy.
  private static let block = 4096

  /// The bytes processed. `size` is above the limit if the file is larger; the rest was then not read.
  package struct Sum: Equatable, Sendable {
    package let size: UInt64
    package let sha256: String

    package init(size: UInt64, sha256: String) {
      self.size = size
      self.sha256 = sha256
    }
  }

  /// Hashes the bytes that it writes: the sum is the copy's, even if the source changes.
  package static func hashingCopy(
    _ source: any OpenFile, to target: any OpenFile, upTo limit: UInt64,
    unless isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(SystemError) -> Sum {
    var hash = SHA256()
    let size = try copy(source, to: target, upTo: limit, unless: isCancelled) { hash.add($0) }
    return Sum(size: size, sha256: hash.digest().hex)
  }

  /// Passes each piece to `note`. Returns the number of bytes, which is above the limit if the source is larger.
  @discardableResult
  package static func copy(
    _ source: any OpenFile, to target: any OpenFile, upTo limit: UInt64,
    unless isCancelled: () -> Bool = { Task.isCancelled }, noting note: ([UInt8]) -> Void = { _ in }
  ) throws(SystemError) -> UInt64 {
    // The bytes that the target already has are overwritten.
    var end = try target.status().size
    let size = try pieces(of: source, upTo: limit, unless: isCancelled, failing: { $0 }) {
      bytes, offset throws(SystemError) in
      let runs = offset < end ? [bytes[...]] : runs(of: bytes)
      for run in runs {
        let start = offset + UInt64(run.startIndex)
        try target.write(run.count == bytes.count ? bytes : Array(run), at: start)
        end = max(end, start + UInt64(run.count))
      }
      note(bytes)
    }
    if size > end { try target.truncate(to: size) }
    return size
  }

  /// The runs of bytes between the blocks that contain only zeros.
  private static func runs(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var runs: [ArraySlice<UInt8>] = []
    var begun: Int?
    for start in stride(from: 0, to: bytes.count, by: block) {
      let isHole = bytes[start..<min(start + block, bytes.count)].allSatisfy { $0 == 0 }
      if !isHole {
        begun = begun ?? start
      } else if let first = begun {
        runs.append(bytes[first..<start])
        begun = nil
      }
    }
    if let begun { runs.append(bytes[begun...]) }
    return runs
  }

  /// More than half of a file of this size are holes.
  package static func isHollow(_ file: any OpenFile, _ size: UInt64) throws(SystemError) -> Bool {
    var (bytes, end) = (UInt64(0), UInt64(0))
    while bytes < size - size / 2 {
      guard end < size, let next = try file.data(from: end), !next.isEmpty else { return true }
      bytes += UInt64(next.count)
      end = next.upperBound
    }
    return false
  }

  package static func sum(
    _ source: any OpenFile, upTo limit: UInt64
  ) throws(SystemError) -> Sum {
    let (size, digest) = try each(of: source, upTo: limit, failing: { $0 }) {
      _, _ throws(SystemError) in
    }
    return Sum(size: size, sha256: digest.hex)
  }

  /// Of the first `size` bytes.
  package static func digest(
    of source: any OpenFile, size: UInt64
  ) throws(SystemError) -> SHA256Digest {
    try each(of: source, upTo: size, failing: { $0 }) { _, _ throws(SystemError) in }.digest
  }

  /// Passes each piece with its offset to `act`. `failing` converts errors of the source, so that the
  /// caller can distinguish them from errors of `act`.
  package static func each<Trouble: Error>(
    of source: any OpenFile, upTo limit: UInt64,
    unless isCancelled: () -> Bool = { Task.isCancelled },
    failing: (SystemError) -> Trouble, _ act: ([UInt8], UInt64) throws(Trouble) -> Void
  ) throws(Trouble) -> (size: UInt64, digest: SHA256Digest) {
    var hash = SHA256()
    let size = try pieces(of: source, upTo: limit, unless: isCancelled, failing: failing) {
      bytes, offset throws(Trouble) in
      try act(bytes, offset)
      hash.add(bytes)
    }
    return (size, hash.digest())
  }

  /// The same without a digest.
  private static func pieces<Trouble: Error>(
    of source: any OpenFile, upTo limit: UInt64, unless isCancelled: () -> Bool,
    failing: (SystemError) -> Trouble, _ act: ([UInt8], UInt64) throws(Trouble) -> Void
  ) throws(Trouble) -> UInt64 {
    var size: UInt64 = 0
    while size <= limit {
      if size > 0, isCancelled() { throw failing(.cancelled) }
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try source.read(at: size, upTo: piece)
      } catch { throw failing(error) }
      if bytes.isEmpty { break }
      try act(bytes, size)
      size += UInt64(bytes.count)
    }
    return size
  }
}
