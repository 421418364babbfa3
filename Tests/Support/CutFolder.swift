// SPDX-License-Identifier: Apache-2.0
// Folders that fail at one step, counted over all of them: once (a fault), or from then on (a killed
// process, which cleans nothing up).

internal import Synchronization
package import Vocabulary

package final class Cut: Sendable {
  package enum Kind: Sendable { case never, fault, kill }

  private struct State {
    var kind: Kind = .never
    var left = 0
    var step: String?
  }

  private let state = Mutex(State())
  private let watch = Mutex<(@Sendable (String) -> Void)?>(nil)
  private let mount = Mutex<FileName?>(nil)

  package init() {}

  /// Sets a function that is called before each step, with its name.
  package func onStep(_ act: (@Sendable (String) -> Void)?) { watch.withLock { $0 = act } }

  /// Another file system is mounted over the name.
  package func mount(over name: FileName?) { mount.withLock { $0 = name } }

  package func isMount(_ name: FileName) -> Bool { mount.withLock { $0 } == name }

  package func set(_ kind: Kind, at step: Int) {
    state.withLock { $0 = State(kind: kind, left: step, step: nil) }
  }

  /// The step that was cut; nil if the work ended before.
  package var step: String? { state.withLock { $0.step } }

  package func step(_ name: @autoclosure () -> String) throws(SystemError) {
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

package final class CutFile: OpenFile {
  private let base: any OpenFile
  private let cut: Cut
  private let name: String

  package init(_ base: any OpenFile, _ cut: Cut, _ name: String) {
    self.base = base
    self.cut = cut
    self.name = name
  }

  package var descriptor: Int32 { base.descriptor }

  package func status() throws(SystemError) -> FileStatus {
    try cut.step("fstat \(name)")
    return try base.status()
  }

  package func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] {
    try cut.step("read \(name)")
    return try base.read(at: offset, upTo: count)
  }

  package func data(from offset: UInt64) throws(SystemError) -> Range<UInt64>? {
    try cut.step("data of \(name)")
    return try base.data(from: offset)
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    // A write that is cut leaves half of its bytes.
    do throws(SystemError) {
      try cut.step("write \(name)")
    } catch {
      try? base.write(Array(bytes.prefix(bytes.count / 2)), at: offset)
      throw error
    }
    try base.write(bytes, at: offset)
  }

  package func truncate(to size: UInt64) throws(SystemError) {
    try cut.step("truncate \(name)")
    try base.truncate(to: size)
  }

  package func reserve(_ size: UInt64) throws(SystemError) { try base.reserve(size) }

  package func sync() throws(SystemError) {
    try cut.step("sync \(name)")
    try base.sync()
  }

  package func setMode(_ mode: UInt32) throws(SystemError) {
    try cut.step("mode \(name)")
    try base.setMode(mode)
  }

  package func setReader(_ user: UInt32) throws(SystemError) {
    try cut.step("reader of \(name)")
    try base.setReader(user)
  }
}

package final class CutFolder: Folder {
  let base: any Folder
  private let cut: Cut

  package init(_ base: any Folder, _ cut: Cut) {
    self.base = base
    self.cut = cut
  }

  package var path: String { base.path }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try cut.step("open \(name)")
    return CutFile(try base.open(name, use), cut, "\(name)")
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try cut.step("folder \(name)")
    return CutFolder(try base.folder(name, creating: creating), cut)
  }

  private static func real(_ folder: any Folder) throws(SystemError) -> any Folder {
    let folder = try folder.standing()
    return (folder as? CutFolder)?.base ?? folder
  }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    try cut.step("rename \(name) to \(newName)")
    let target = try Self.real(folder)
    try base.rename(name, to: target, as: newName, replacing: replacing)
  }

  package func link(
    _ name: FileName, to folder: any Folder, as newName: FileName
  ) throws(SystemError) {
    try cut.step("link \(name) to \(newName)")
    try base.link(name, to: try Self.real(folder), as: newName)
  }

  package func remove(_ name: FileName) throws(SystemError) {
    try cut.step("remove \(name)")
    try base.remove(name)
  }

  package func removeFolder(_ name: FileName) throws(SystemError) {
    try cut.step("remove folder \(name)")
    try base.removeFolder(name)
  }

  package func names() throws(SystemError) -> [FileName] {
    try cut.step("names")
    return try base.names()
  }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try cut.step("status \(name)")
    return try base.status(of: name)
  }

  package func sync() throws(SystemError) {
    try cut.step("sync folder")
    try base.sync()
  }

  package func syncFileSystem() throws(SystemError) { try base.syncFileSystem() }
  package func identity() throws(SystemError) -> FolderIdentity { try base.identity() }
  package var isMountPoint: Bool { base.isMountPoint }
  package func isOtherFileSystem(_ name: FileName) -> Bool {
    cut.isMount(name) || base.isOtherFileSystem(name)
  }
  package func room() throws(SystemError) -> DiskRoom { try base.room() }

  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try cut.step("mode \(name)")
    try base.setMode(mode, of: name)
  }

  package func setReader(_ user: UInt32, of name: FileName) throws(SystemError) {
    try cut.step("reader of \(name)")
    try base.setReader(user, of: name)
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    try base.reader(of: name)
  }
}
