// SPDX-License-Identifier: Apache-2.0
// What the process was started with: its environment and its standard error.

internal import CLinux
package import Vocabulary

package enum Surroundings {
  /// The environment as it is now. Entries without `=`, or that are no UTF-8, are left out.
  package static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var index: UInt64 = 0
    while let entry = entry(index) {
      index += 1
      guard let text = String(validating: entry, as: UTF8.self) else { continue }
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      // The first of two equal names counts, as it does for getenv.
      if variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
    }
    return variables
  }

  private static func entry(_ index: UInt64) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let length = unsafe buffer.withUnsafeMutableBytes { raw in
        unsafe dr_environment(index, raw.baseAddress, UInt64(raw.count))
      }
      guard length >= 0 else { return nil }
      if length <= buffer.count { return Array(buffer[..<Int(length)]) }
      buffer = [UInt8](repeating: 0, count: Int(length))
    }
  }

  /// The clock that the service manager compares with (CLOCK_MONOTONIC).
  package static var monotonicMicroseconds: UInt64 { dr_monotonic_microseconds() }
}

package enum StandardError {
  package static let descriptor: Int32 = 2

  package static func status() throws(SystemError) -> FileStatus {
    var status = dr_status()
    try Calls.run("fstat", "standard error") { unsafe dr_status(descriptor, &status) }
    return FileStatus(status)
  }

  /// All bytes or an error. Waits as long as the reader does not read.
  package static func write(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let start = done
      do throws(SystemError) {
        done += Int(
          try Calls.run("write", "standard error") {
            unsafe bytes.withUnsafeBytes { raw in
              unsafe dr_write(
                descriptor, raw.baseAddress.map { unsafe $0 + start }, UInt64(raw.count - start))
            }
          })
      } catch {
        guard error.code == 11 else { throw error }
        _ = try Poll.wait([Poll.Watch(descriptor, wantsWrite: true)], for: nil)
      }
    }
  }
}
