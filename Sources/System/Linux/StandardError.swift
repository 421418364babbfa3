// SPDX-License-Identifier: Apache-2.0
// Standard error, for lines to people without journald. Raises `SystemError`.

internal import CLinux
package import Vocabulary

package enum StandardError {
  package static let descriptor: Int32 = 2

  package static func status() throws(SystemError) -> FileStatus {
    var status = dr_status()
    try Calls.run("fstat", "standard error") { unsafe dr_status(descriptor, &status) }
    return FileStatus(status)
  }

  /// Writes all bytes or raises an error. Waits while the reader does not read.
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
        guard error.name == .again else { throw error }
        _ = try Poll.wait([Poll.Watch(descriptor, wantsWrite: true)], for: nil)
      }
    }
  }
}
