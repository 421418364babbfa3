// SPDX-License-Identifier: Apache-2.0
// Copies and hashes files in pieces, never more than said, and asks between pieces whether to give up.
// Can raise what the kernel says, and `SystemError.cancelled`.

internal import Digests
package import Vocabulary

package enum FileCopy {
  private static let piece = 256 << 10

  /// What went through: `size` is above the limit where the file was larger, and then not all of it.
  package struct Sum: Equatable, Sendable {
    package let size: UInt64
    package let sha256: String
  }

  /// Hashes what it copies, so the sum is the copy's, whatever becomes of the source.
  package static func copy(
    _ source: any OpenFile, to target: any OpenFile, upTo limit: UInt64,
    unless isCancelled: () -> Bool
  ) throws(SystemError) -> Sum {
    try each(source, upTo: limit, unless: isCancelled) { bytes, offset throws(SystemError) in
      try target.write(bytes, at: offset)
    }
  }

  package static func sum(
    _ source: any OpenFile, upTo limit: UInt64, unless isCancelled: () -> Bool
  ) throws(SystemError) -> Sum {
    try each(source, upTo: limit, unless: isCancelled) { _, _ in }
  }

  private static func each(
    _ source: any OpenFile, upTo limit: UInt64, unless isCancelled: () -> Bool,
    _ act: ([UInt8], UInt64) throws(SystemError) -> Void
  ) throws(SystemError) -> Sum {
    var hash = SHA256()
    var size: UInt64 = 0
    while size <= limit {
      if size > 0, isCancelled() { throw .cancelled }
      let bytes = try source.read(at: size, upTo: piece)
      if bytes.isEmpty { break }
      try act(bytes, size)
      hash.add(bytes)
      size += UInt64(bytes.count)
    }
    return Sum(size: size, sha256: hash.digest().hex)
  }
}

extension SystemError {
  /// ECANCELED: we were asked to stop, and nothing is wrong.
  static let cancelled = SystemError(code: 125, call: "copy", thing: "a file")

  var isCancelled: Bool { code == 125 }
}
