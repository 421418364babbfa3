// SPDX-License-Identifier: Apache-2.0
// A file of bytes in memory, for code that needs files but not real ones. No call fails.
// Concurrency model: one lock guards the bytes.

internal import Synchronization
package import Vocabulary

package final class MemoryFile: OpenFile {
  private let contents: Mutex<[UInt8]>

  package init(_ bytes: [UInt8] = []) { contents = Mutex(bytes) }

  package convenience init(_ text: String) { self.init(Array(text.utf8)) }

  package var bytes: [UInt8] { contents.withLock { $0 } }

  package var descriptor: Int32 { -1 }

  package func status() throws(SystemError) -> FileStatus {
    FileStatus(
      kind: .file, device: 0, inode: 0, size: UInt64(contents.withLock { $0.count }), owner: 0,
      mode: 0o600, modified: 0, changed: 0)
  }

  package func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    contents.withLock { bytes in
      guard offset < UInt64(bytes.count) else { return [] }
      return Array(bytes[Int(offset)...].prefix(count))
    }
  }

  package func write(_ new: [UInt8], at offset: UInt64) throws(SystemError) {
    contents.withLock { bytes in
      let start = Int(offset)
      let end = start + new.count
      if bytes.count < end {
        bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
      }
      bytes.replaceSubrange(start..<end, with: new)
    }
  }

  package func truncate(to size: UInt64) throws(SystemError) {
    contents.withLock { bytes in
      let missing = Int(size) - bytes.count
      if missing > 0 {
        bytes.append(contentsOf: repeatElement(0, count: missing))
      } else {
        bytes.removeLast(-missing)
      }
    }
  }

  package func reserve(_ size: UInt64) throws(SystemError) {}

  package func sync() throws(SystemError) {}
  package func setMode(_ mode: UInt32) throws(SystemError) {}
}
