// SPDX-License-Identifier: Apache-2.0
// The test that standard error leads to journald: JOURNAL_STREAM names the stream by device and inode. The
// variable alone proves nothing, since processes whose output goes elsewhere inherit it.

internal import Linux
package import Vocabulary

package enum JournalStream {
  package static func isStandardError(_ environment: [String: String]) -> Bool {
    guard let status = try? StandardStream.error.status() else { return false }
    return matches(environment["JOURNAL_STREAM"], status)
  }

  package static func matches(_ variable: String?, _ status: FileStatus) -> Bool {
    guard let parts = variable?.split(separator: ":", omittingEmptySubsequences: false),
      parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1])
    else { return false }
    return device == status.device && inode == status.inode
  }
}
