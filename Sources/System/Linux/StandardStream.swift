// SPDX-License-Identifier: Apache-2.0
// Standard input, standard output and standard error. A failure raises a `SystemError` for the caller to judge.

internal import CLinux
package import Vocabulary

package enum StandardStream: Int32, Sendable {
  case output = 1
  case error = 2

  private var thing: String { self == .output ? "standard output" : "standard error" }

  package var isTerminal: Bool { dr_is_terminal(rawValue) == 1 }

  /// The size of the terminal; 80 by 24 if it is unknown.
  package var size: (columns: Int, rows: Int) {
    var (columns, rows): (Int32, Int32) = (0, 0)
    _ = unsafe dr_terminal_size(rawValue, &columns, &rows)
    return (columns > 0 ? Int(columns) : 80, rows > 0 ? Int(rows) : 24)
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

package enum StandardInput {
  /// The next bytes, at most `count`; empty at the end. Waits until there are some.
  package static func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    try nextBytes(of: 0, "standard input", upTo: count)
  }
}

/// Reads on in a file or a stream from where it stands. Waits until there are bytes, even if the descriptor
/// does not: a FIFO without a writer is not at its end.
func nextBytes(
  of file: Int32, _ thing: @autoclosure () -> String, upTo count: Int
) throws(SystemError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  while true {
    _ = try Poll.wait([Poll.Watch(file)], for: nil)
    do throws(SystemError) {
      let used = try Calls.run("read", thing()) { unsafe dr_read(file, &bytes, UInt64(count)) }
      bytes.removeLast(count - Int(used))
      return bytes
    } catch { if error.name != .again { throw error } }
  }
}
