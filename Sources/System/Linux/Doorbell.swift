// SPDX-License-Identifier: Apache-2.0
// inotify as a doorbell: it says that something happened in a folder, never what. Whoever hears it
// looks at the whole folder, so a lost or overflowed event costs nothing.

internal import CLinux
package import Vocabulary

package final class Doorbell: Sendable {
  private let handle: Descriptor

  /// Watches the folder that is held open, wherever its path leads by now.
  package init(_ folder: LinuxFolder) throws(SystemError) {
    let path = folder.path
    handle = Descriptor(owning: try Calls.run("inotify_init1", path) { dr_inotify() })
    let held = "/proc/self/fd/\(folder.descriptor)"
    try Calls.run("inotify_add_watch", path) { unsafe dr_inotify_watch(handle.number, held) }
  }

  /// Readable when it rang.
  package var descriptor: Int32 { handle.number }

  /// Forgets all that rang so far. To be called before looking, so that what comes later rings again.
  package func drain() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let used = unsafe buffer.withUnsafeMutableBytes { raw in
        unsafe dr_read(handle.number, raw.baseAddress, UInt64(raw.count))
      }
      if used <= 0 { return }
    }
  }
}
