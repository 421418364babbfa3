// SPDX-License-Identifier: Apache-2.0
// An open file of a simulated disk. After a crash of the disk every call on it fails.

package import Vocabulary

package final class SimulatedFile: OpenFile {
  private let disk: SimulatedDisk
  private let node: UInt64
  private let epoch: UInt64
  private let thing: String

  init(_ disk: SimulatedDisk, node: UInt64, epoch: UInt64, thing: String) {
    self.disk = disk
    self.node = node
    self.epoch = epoch
    self.thing = thing
  }

  package var descriptor: Int32 { -1 }

  package func status() throws(SystemError) -> FileStatus {
    try disk.act(.status, thing, epoch) { (state) throws(SystemError) in state.status(node) }
  }

  package func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try disk.act(.read, thing, epoch) { (state) throws(SystemError) in
      let bytes = state.files[node]?.live ?? []
      let start = min(Int(offset), bytes.count)
      return Array(bytes[start..<min(bytes.count, start + count)])
    }
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    var fault: SystemError?
    var bytes = bytes
    do throws(SystemError) {
      try disk.enter(.write, thing, epoch)
    } catch {
      // A failing call may have done a part of its work.
      fault = error
      guard disk.writesInPart else { throw error }
      bytes = Array(bytes.prefix(bytes.count / 2))
    }
    if let full = disk.write(bytes, at: offset, to: node, thing) { throw full }
    if let fault { throw fault }
  }

  package func truncate(to size: UInt64) throws(SystemError) {
    try disk.act(.truncate, thing, epoch) { (state) throws(SystemError) in
      state.change(node, .truncate(Int(size)))
    }
  }

  package func reserve(_ size: UInt64) throws(SystemError) {
    try disk.act(.reserve, thing, epoch) { (state) throws(SystemError) in
      let held = state.files[node]?.taken ?? 0
      if size > held, let free = state.free, size - held > free {
        // As on ext4, a reservation that fails takes the free space, and keeps it.
        state.files[node]?.reserved = held + free
        throw SystemError(code: 28, call: "fallocate", thing: thing)
      }
      state.files[node]?.reserved = size
    }
  }

  package func checkWritten() throws(SystemError) {
    try disk.act(.checkWritten, thing, epoch) { _ in }
  }

  package func setMode(_ mode: UInt32) throws(SystemError) {
    try disk.act(.status, thing, epoch) { _ in }
  }

  package func sync() throws(SystemError) {
    disk.beginSync()
    do throws(SystemError) {
      try disk.enter(.syncFile, thing, epoch)
    } catch {
      // As on Linux, the pages count as written after a failed sync, and never reach the disk.
      disk.change { $0.files[node]?.pending = [] }
      throw error
    }
    if disk.ignores(.syncFile, thing) { return }
    disk.change { $0.files[node]?.makeDurable() }
  }
}
