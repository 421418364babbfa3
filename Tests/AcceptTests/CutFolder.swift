// SPDX-License-Identifier: Apache-2.0
// Folders that fail at one step, counted over all of them: once (a fault), or then and ever after (the
// process was killed there; what it would have cleaned up stays).

import Accept
import Linux
import Synchronization
import Vocabulary

final class Cut: Sendable {
  enum Kind: Sendable { case never, fault, kill }

  private struct State {
    var kind: Kind = .never
    var left = 0
    var step: String?
  }

  private let state = Mutex(State())
  private let watch = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Called with each step before it is made.
  func onStep(_ act: (@Sendable (String) -> Void)?) { watch.withLock { $0 = act } }

  func set(_ kind: Kind, at step: Int) {
    state.withLock { $0 = State(kind: kind, left: step, step: nil) }
  }

  /// Where it cut; nil when the work was over before.
  var step: String? { state.withLock { $0.step } }

  func step(_ name: @autoclosure () -> String) throws(SystemError) {
    if let watch = watch.withLock({ $0 }) { watch(name()) }
    let fails = state.withLock { state in
      guard state.kind != .never else { return false }
      state.left -= 1
      if state.left == 0 { state.step = name() }
      return state.kind == .kill ? state.left <= 0 : state.left == 0
    }
    if fails { throw SystemError(code: 28, call: "cut", thing: name()) }
  }
}

final class CutFile: OpenFile {
  private let base: any OpenFile
  private let cut: Cut
  private let name: String

  init(_ base: any OpenFile, _ cut: Cut, _ name: String) {
    self.base = base
    self.cut = cut
    self.name = name
  }

  var descriptor: Int32 { base.descriptor }

  func status() throws(SystemError) -> FileStatus {
    try cut.step("fstat \(name)")
    return try base.status()
  }

  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try cut.step("read \(name)")
    return try base.read(at: offset, upTo: count)
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    // Killed in the middle of a write: half of it is there.
    do throws(SystemError) {
      try cut.step("write \(name)")
    } catch {
      try? base.write(Array(bytes.prefix(bytes.count / 2)), at: offset)
      throw error
    }
    try base.write(bytes, at: offset)
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try cut.step("truncate \(name)")
    try base.truncate(to: size)
  }

  func reserve(_ size: UInt64) throws(SystemError) { try base.reserve(size) }

  func sync() throws(SystemError) {
    try cut.step("sync \(name)")
    try base.sync()
  }
}

final class CutFolder: Folder {
  let base: any Folder
  private let cut: Cut

  init(_ base: any Folder, _ cut: Cut) {
    self.base = base
    self.cut = cut
  }

  var path: String { base.path }

  func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try cut.step("open \(name)")
    return CutFile(try base.open(name, use), cut, "\(name)")
  }

  func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try cut.step("folder \(name)")
    return CutFolder(try base.folder(name, creating: creating), cut)
  }

  func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try cut.step("rename \(name) to \(newName)")
    let target = (folder as? CutFolder)?.base ?? folder
    try base.rename(name, to: target, as: newName, replacing: replacing)
  }

  func remove(_ name: FileName) throws(SystemError) {
    try cut.step("remove \(name)")
    try base.remove(name)
  }

  func removeFolder(_ name: FileName) throws(SystemError) {
    try cut.step("remove folder \(name)")
    try base.removeFolder(name)
  }

  func names() throws(SystemError) -> [FileName] {
    try cut.step("names")
    return try base.names()
  }

  func status(of name: FileName) throws(SystemError) -> FileStatus {
    try cut.step("status \(name)")
    return try base.status(of: name)
  }

  func sync() throws(SystemError) {
    try cut.step("sync folder")
    try base.sync()
  }

  func syncFileSystem() throws(SystemError) { try base.syncFileSystem() }
  func device() throws(SystemError) -> UInt64 { try base.device() }
  func freeSpace() throws(SystemError) -> UInt64 { try base.freeSpace() }
  func totalSpace() throws(SystemError) -> UInt64 { try base.totalSpace() }

  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try cut.step("mode \(name)")
    try base.setMode(mode, of: name)
  }
}
