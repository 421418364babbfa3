// SPDX-License-Identifier: Apache-2.0
// Copies and hashes files in pieces, never more than said. Can raise what the kernel says.

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
    _ source: any OpenFile, to target: any OpenFile, upTo limit: UInt64
  ) throws(SystemError) -> Sum {
    try each(source, upTo: limit) { bytes, offset throws(SystemError) in
      try target.write(bytes, at: offset)
    }
  }

  package static func sum(_ source: any OpenFile, upTo limit: UInt64) throws(SystemError) -> Sum {
    try each(source, upTo: limit) { _, _ in }
  }

  private static func each(
    _ source: any OpenFile, upTo limit: UInt64,
    _ act: ([UInt8], UInt64) throws(SystemError) -> Void
  ) throws(SystemError) -> Sum {
    var hash = SHA256()
    var size: UInt64 = 0
    while size <= limit {
      let bytes = try source.read(at: size, upTo: piece)
      if bytes.isEmpty { break }
      try act(bytes, size)
      hash.add(bytes)
      size += UInt64(bytes.count)
    }
    return Sum(size: size, sha256: hash.digest().hex)
  }
}
