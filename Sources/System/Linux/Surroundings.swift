// SPDX-License-Identifier: Apache-2.0
// The surroundings of the process: its environment, and the service manager's clock.

internal import CLinux
package import Vocabulary

package enum Surroundings {
  /// The current environment, without entries that lack a `=` or are not UTF-8.
  package static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var index: UInt64 = 0
    while let entry = entry(index) {
      index += 1
      guard let text = String(validating: entry, as: UTF8.self) else { continue }
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      // The first of two equal names counts, as with getenv.
      if variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
    }
    return variables
  }

  private static func entry(_ index: UInt64) -> [UInt8]? {
    var room = 4096
    while true {
      var buffer = [UInt8](repeating: 0, count: room)
      let length = Int(unsafe dr_environment(index, &buffer, UInt64(room)))
      guard length >= 0 else { return nil }
      if length <= room { return Array(buffer[..<length]) }
      room = length
    }
  }

  /// Raises ENOENT if there is no such path.
  package static func mustExist(_ path: String) throws(SystemError) {
    try Calls.run("access", path) { unsafe dr_exists(path) }
  }

  /// The clock that the service manager uses (CLOCK_MONOTONIC).
  package static var monotonicMicroseconds: UInt64 { dr_monotonic_microseconds() }
}
