// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error. A failed write raises a `SystemError` for the caller to judge.

internal import CLinux
package import Vocabulary

package enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  private var thing: String { self == .output ? "standard output" : "standard error" }

  package var isTerminal: Bool { dr_is_terminal(rawValue) == 1 }

  /// Columns of the terminal; 80 if they are unknown.
  package var columns: Int {
    let columns = dr_terminal_columns(rawValue)
    return columns > 0 ? Int(columns) : 80
  }

  package func status() throws(SystemError) -> FileStatus {
    var status = dr_status()
    try Calls.run("fstat", thing) { unsafe dr_status(rawValue, &status) }
    return FileStatus(status)
  }

  /// Writes all bytes or raises an error. Waits while the reader does not read.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let start = done
      do throws(SystemError) {
        done += Int(
          try Calls.run("write", thing) {
            unsafe bytes.withUnsafeBytes { raw in
              unsafe dr_write(
                rawValue, raw.baseAddress.map { unsafe $0 + start }, UInt64(raw.count - start))
            }
          })
      } catch {
        guard error.name == .again else { throw error }
        _ = try Poll.wait([Poll.Watch(rawValue, wantsWrite: true)], for: nil)
      }
    }
  }
}
