// SPDX-License-Identifier: Apache-2.0
// Sends records to journald. libsystemd opens its socket at the first record, and passes a large record as a sealed
// memory file. Promises: a record is sent whole, or the call fails. Raises `SystemError`.
// Concurrency: any thread may send, but waits as long as journald does not read; only the reporter's thread calls
// this.

internal import CSystemd
internal import Linux
package import Vocabulary

package enum JournalSocket {
  /// libsystemd knows no other path.
  package static let path = "/run/systemd/journal/socket"

  package static func send(_ entry: JournalEntry) throws(SystemError) {
    var bytes = entry.bytes
    try Calls.run("sd_journal_sendv", "record") {
      unsafe bytes.withUnsafeMutableBytes { all in
        var start = 0
        var parts = unsafe [iovec]()
        for end in entry.ends {
          let part = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start..<end])
          unsafe parts.append(iovec(iov_base: part.baseAddress, iov_len: part.count))
          start = end
        }
        return unsafe sd_journal_sendv(parts, Int32(parts.count))
      }
    }
    // Without the socket, libsystemd drops the record and reports success.
    try Surroundings.mustExist(path)
  }
}
