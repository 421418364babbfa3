// SPDX-License-Identifier: Apache-2.0
// A real file, by its descriptor. Raises `SystemError`. Concurrency: immutable except for kernel state and one atomic
// flag; reads and writes state their offset, so threads do not disturb each other.

internal import CLinux
internal import Synchronization
package import Vocabulary

package final class LinuxFile: OpenFile {
  private let handle: Descriptor
  /// A sync failed. The kernel tells that once, and drops the bytes: it would call the next sync a success.
  private let isLost = Atomic(false)
  private let place: String
  private let name: FileName?

  package init(owning handle: consuming Descriptor, thing: String) {
    self.handle = handle
    (place, name) = (thing, nil)
  }

  init(owning handle: consuming Descriptor, _ name: FileName, in folder: String) {
    self.handle = handle
    (place, self.name) = (folder, name)
  }

  /// Composed only for an error: many files are opened, and few calls fail.
  private var thing: String { name.map { "\(place)/\($0)" } ?? place }

  package var descriptor: Int32 { handle.number }

  package func status() throws(SystemError) -> FileStatus {
    var status = dr_status()
    try Calls.run("fstat", thing) { unsafe dr_status(handle.number, &status) }
    return FileStatus(status)
  }

  package func birth() throws(SystemError) -> Int64 {
    try Calls.run("statx", thing) { dr_birth(handle.number) }
  }

  package func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      do throws(SystemError) {
        while used < count {
          let n = try Calls.run("pread", thing) {
            unsafe dr_read_at(
              handle.number, buffer.baseAddress.map { unsafe $0 + used }, UInt64(count - used),
              offset + UInt64(used))
          }
          if n == 0 { break }
          used += Int(n)
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  package func data(from offset: UInt64) throws(SystemError) -> Range<UInt64>? {
    do throws(SystemError) {
      let start = try Calls.run("lseek", thing) { dr_next_data(handle.number, offset) }
      let end = try Calls.run("lseek", thing) { dr_next_hole(handle.number, UInt64(start)) }
      return UInt64(start)..<max(UInt64(start), UInt64(end))
    } catch {
      if [.invalid, .notSupported, .noSuchCall].contains(error.name) {
        let size = try status().size
        return offset < size ? offset..<size : nil
      }
      guard error.name == .noDevice else { throw error }
      return nil
    }
  }

  /// The next bytes of a stream, such as a pipe; empty at the end.
  package func readOn(upTo count: Int) throws(SystemError) -> [UInt8] {
    try nextBytes(of: handle.number, thing, upTo: count)
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let start = done
      done += Int(
        try Calls.run("pwrite", thing) {
          unsafe bytes.withUnsafeBytes { raw in
            unsafe dr_write_at(
              handle.number, raw.baseAddress.map { unsafe $0 + start }, UInt64(raw.count - start),
              offset + UInt64(start))
          }
        })
    }
  }

  package func truncate(to size: UInt64) throws(SystemError) {
    try Calls.run("ftruncate", thing) { dr_truncate(handle.number, size) }
  }

  package func reserve(_ size: UInt64) throws(SystemError) {
    try Calls.run("fallocate", thing) { dr_reserve(handle.number, size) }
  }

  package func beginSync() { _ = dr_begin_sync(handle.number) }

  package func sync() throws(SystemError) {
    if isLost.load(ordering: .acquiring) {
      throw SystemError(.inputOutput, call: "fdatasync", thing: thing)
    }
    do throws(SystemError) {
      try Calls.run("fdatasync", thing) { dr_sync_data(handle.number) }
    } catch {
      isLost.store(true, ordering: .releasing)
      throw error
    }
  }

  package func checkWritten() throws(SystemError) {
    do throws(SystemError) {
      try Calls.run("sync_file_range", thing) { dr_check_written(handle.number) }
    } catch {
      // A kernel without the call, as in some sandboxes, has no error to tell.
      guard error.name == .noSuchCall else { throw error }
    }
  }

  package func setMode(_ mode: UInt32) throws(SystemError) {
    try Calls.run("fchmod", thing) { dr_set_mode(handle.number, mode) }
  }

  package func setReader(_ user: UInt32) throws(SystemError) {
    try Calls.run("fsetxattr", thing) { dr_set_reader(handle.number, user) }
  }
}

extension FileStatus {
  init(_ status: dr_status) {
    let kind: Kind =
      switch status.mode & 0o170000 {
      case 0o100000: .file
      case 0o040000: .folder
      case 0o120000: .link
      default: .other
      }
    self.init(
      kind: kind, device: status.device, inode: status.inode, size: status.size,
      owner: status.owner, mode: status.mode & 0o7777, modified: status.modified,
      changed: status.changed, links: status.links)
  }
}
