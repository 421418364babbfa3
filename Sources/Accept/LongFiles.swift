// SPDX-License-Identifier: Apache-2.0
// Copies and sums of long files on a disk thread: the inbox's thread does not wait for them.

internal import Files
internal import Linux
internal import Vocabulary

enum LongFiles {
  /// Runs `act`, which reads `size` bytes, here or on a disk thread. A file that may be read ahead is short:
  /// its copy takes no longer than the change of threads.
  static func aside<Value: Sendable>(
    _ size: UInt64, _ act: @Sendable () throws(SystemError) -> Value
  ) async throws(SystemError) -> Value {
    if size <= ReadAhead.longest { return try act() }
    return try await onDisk { () throws(SystemError) in try act() }
  }

  /// The same for an act that waits.
  static func aside(
    _ size: UInt64, _ act: @Sendable () async throws(Failure) -> Void
  ) async throws(Failure) {
    if size <= ReadAhead.longest { return try await act() }
    try await onDisk { () async throws(Failure) in try await act() }
  }

  /// True if the file has this sum.
  static func has(_ file: any OpenFile, _ sum: FileCopy.Sum) async throws(SystemError) -> Bool {
    try await aside(sum.size) { () throws(SystemError) in
      try FileCopy.sum(file, upTo: sum.size) == sum
    }
  }
}
