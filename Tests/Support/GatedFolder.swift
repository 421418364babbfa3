// SPDX-License-Identifier: Apache-2.0
// A folder that notes the threads that call it, and holds one kind of call at a gate, as a hanging disk
// does. Concurrency model: one Mutex; a caller at the gate waits with it released.

import Foundation
import Linux
import Synchronization
package import Vocabulary

package final class DiskGate: Sendable {
  package enum Call: Sendable, CaseIterable {
    case open, write, truncate, rename, link, remove, sync
  }

  private struct State {
    var closed: Call?
    var waiting: [ThreadSignal] = []
    var threads: [Call: Set<String>] = [:]
    var counts: [Call: Int] = [:]
  }

  private let state = Mutex(State())
  private let visitors = EventBoard(0)

  package init() {}

  /// The names of all threads that called.
  package var threads: Set<String> {
    state.withLock { $0.threads.values.reduce([]) { $0.union($1) } }
  }

  /// The names of those that made this call.
  package func threads(_ call: Call) -> Set<String> { state.withLock { $0.threads[call] ?? [] } }

  package func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

  package func close(_ call: Call) { state.withLock { $0.closed = call } }

  package func open() {
    let waiting = state.withLock { state in
      defer { (state.closed, state.waiting) = (nil, []) }
      return state.waiting
    }
    for one in waiting { one.ring() }
  }

  /// Waits until this number of calls has reached the gate.
  package func visited(_ count: Int = 1) async -> Bool { await visitors.wait { $0 >= count } }

  fileprivate func pass(_ call: Call) {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    let wait = state.withLock { state -> ThreadSignal? in
      state.threads[call, default: []].insert(String((name ?? "?").dropLast()))
      state.counts[call, default: 0] += 1
      guard state.closed == call else { return nil }
      let signal = ThreadSignal()
      state.waiting.append(signal)
      return signal
    }
    guard let wait else { return }
    visitors.change { $0 += 1 }
    wait.wait()
  }
}

package final class GatedFolder: Folder {
  private let base: any Folder
  private let gate: DiskGate
  private let ownDevice: UInt64?

  /// - Parameter device: of another file system than that of `base`.
  package init(_ base: any Folder, _ gate: DiskGate, device: UInt64? = nil) {
    (self.base, self.gate, ownDevice) = (base, gate, device)
  }

  private static func real(_ folder: any Folder) -> any Folder {
    (folder as? GatedFolder)?.base ?? folder
  }

  package var path: String { base.path }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    gate.pass(.open)
    return GatedFile(try base.open(name, use), gate, device: ownDevice)
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    GatedFolder(try base.folder(name, creating: creating), gate)
  }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    gate.pass(.rename)
    try base.rename(name, to: Self.real(folder), as: newName, replacing: replacing)
  }

  package func renameOnce(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    gate.pass(.rename)
    try base.renameOnce(name, to: Self.real(folder), as: newName)
  }

  package func link(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    gate.pass(.link)
    try base.link(name, to: Self.real(folder), as: newName)
  }

  package func remove(_ name: FileName) throws(SystemError) {
    gate.pass(.remove)
    try base.remove(name)
  }

  package func removeFolder(_ name: FileName) throws(SystemError) { try base.removeFolder(name) }
  package func names() throws(SystemError) -> [FileName] { try base.names() }
  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try base.status(of: name)
  }
  package func sync() throws(SystemError) {
    gate.pass(.sync)
    try base.sync()
  }
  package func syncFileSystem() throws(SystemError) { try base.syncFileSystem() }
  package func identity() throws(SystemError) -> FolderIdentity {
    let identity = try base.identity()
    return FolderIdentity(device: ownDevice ?? identity.device, inode: identity.inode)
  }
  package func room() throws(SystemError) -> DiskRoom { try base.room() }
  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try base.setMode(mode, of: name)
  }
}

private final class GatedFile: OpenFile {
  private let base: any OpenFile
  private let gate: DiskGate
  private let ownDevice: UInt64?

  init(_ base: any OpenFile, _ gate: DiskGate, device: UInt64?) {
    (self.base, self.gate, ownDevice) = (base, gate, device)
  }

  var descriptor: Int32 { base.descriptor }
  func status() throws(SystemError) -> FileStatus {
    let status = try base.status()
    return FileStatus(
      kind: status.kind, device: ownDevice ?? status.device, inode: status.inode,
      size: status.size, owner: status.owner, mode: status.mode, modified: status.modified,
      changed: status.changed, links: status.links)
  }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try base.read(at: offset, upTo: count)
  }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    gate.pass(.write)
    try base.write(bytes, at: offset)
  }
  func truncate(to size: UInt64) throws(SystemError) {
    gate.pass(.truncate)
    try base.truncate(to: size)
  }
  func reserve(_ size: UInt64) throws(SystemError) { try base.reserve(size) }
  func sync() throws(SystemError) {
    gate.pass(.sync)
    try base.sync()
  }
  func setMode(_ mode: UInt32) throws(SystemError) { try base.setMode(mode) }
  func setReader(_ user: UInt32) throws(SystemError) { try base.setReader(user) }
}
