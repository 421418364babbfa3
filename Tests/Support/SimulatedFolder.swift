// SPDX-License-Identifier: Apache-2.0
// A folder of a simulated disk. After a crash of the disk every call on it fails.

package import Vocabulary

package final class SimulatedFolder: Folder {
  private let disk: SimulatedDisk
  private let node: UInt64
  private let epoch: UInt64
  package let path: String

  init(_ disk: SimulatedDisk, node: UInt64, epoch: UInt64, path: String) {
    self.disk = disk
    self.node = node
    self.epoch = epoch
    self.path = path
  }

  package func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    let node = try disk.act(.open, thing(name), epoch) { (state) throws(SystemError) in
      if let known = state.folders[self.node]?.live[name] {
        if use == .create { throw error(17, "open", name) }
        if state.files[known] == nil { throw error(21, "open", name) }
        return known
      }
      guard use == .create || use == .ensure else { throw error(2, "open", name) }
      let made = state.newNode()
      state.files[made] = SimulatedFileNode()
      state.setName(name, in: self.node, to: made, order: state.nextOrder())
      return made
    }
    return SimulatedFile(disk, node: node, epoch: epoch, thing: thing(name))
  }

  package func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    let node = try disk.act(.openFolder, thing(name), epoch) { (state) throws(SystemError) in
      if let known = state.folders[self.node]?.live[name] {
        if state.folders[known] == nil { throw error(20, "open", name) }
        return known
      }
      guard creating else { throw error(2, "open", name) }
      let made = state.newNode()
      state.folders[made] = SimulatedFolderNode()
      state.setName(name, in: self.node, to: made, order: state.nextOrder())
      return made
    }
    return SimulatedFolder(disk, node: node, epoch: epoch, path: thing(name))
  }

  package func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    guard let target = try folder.standing() as? SimulatedFolder else {
      preconditionFailure("folders of two worlds")
    }
    try disk.act(.rename, thing(name), epoch) { (state) throws(SystemError) in
      guard let moved = state.folders[node]?.live[name] else { throw error(2, "rename", name) }
      if !replacing, state.folders[target.node]?.live[newName] != nil {
        throw error(17, "rename", newName)
      }
      let order = state.nextOrder()
      state.setName(name, in: node, to: nil, order: order)
      state.setName(newName, in: target.node, to: moved, order: order)
    }
  }

  package func renameOnce(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    try rename(name, to: folder, as: newName, replacing: false)
  }

  package func link(_ name: FileName, to folder: any Folder, as newName: FileName)
    throws(SystemError)
  {
    guard let target = try folder.standing() as? SimulatedFolder else {
      preconditionFailure("folders of two worlds")
    }
    try disk.act(.rename, thing(name), epoch) { (state) throws(SystemError) in
      guard let file = state.folders[node]?.live[name] else { throw error(2, "link", name) }
      if state.folders[target.node]?.live[newName] != nil { throw error(17, "link", newName) }
      state.setName(newName, in: target.node, to: file, order: state.nextOrder())
    }
  }

  package func remove(_ name: FileName) throws(SystemError) {
    try disk.act(.remove, thing(name), epoch) { (state) throws(SystemError) in
      guard let known = state.folders[node]?.live[name] else { throw error(2, "unlink", name) }
      if state.folders[known] != nil { throw error(21, "unlink", name) }
      state.setName(name, in: node, to: nil, order: state.nextOrder())
    }
  }

  package func removeFolder(_ name: FileName) throws(SystemError) {
    try disk.act(.remove, thing(name), epoch) { (state) throws(SystemError) in
      guard let known = state.folders[node]?.live[name] else { throw error(2, "rmdir", name) }
      guard let folder = state.folders[known] else { throw error(20, "rmdir", name) }
      if !folder.live.isEmpty { throw error(39, "rmdir", name) }
      state.setName(name, in: node, to: nil, order: state.nextOrder())
    }
  }

  package func names() throws(SystemError) -> [FileName] {
    try disk.act(.list, path, epoch) { (state) throws(SystemError) in
      Array((state.folders[node]?.live ?? [:]).keys)
    }
  }

  package func status(of name: FileName) throws(SystemError) -> FileStatus {
    try disk.act(.status, thing(name), epoch) { (state) throws(SystemError) in
      guard let known = state.folders[node]?.live[name] else { throw error(2, "stat", name) }
      return state.status(known)
    }
  }

  package func sync() throws(SystemError) {
    try disk.enter(.syncFolder, path, epoch)
    if disk.ignores(.syncFolder, path) { return }
    disk.change { $0.folders[node]?.makeDurable() }
  }

  package func syncFileSystem() throws(SystemError) {
    try disk.enter(.syncFileSystem, path, epoch)
    if disk.ignores(.syncFileSystem, path) { return }
    disk.change { $0.makeDurable() }
  }

  package func identity() throws(SystemError) -> FolderIdentity {
    FolderIdentity(device: 1, inode: node)
  }

  package func room() throws(SystemError) -> DiskRoom {
    try disk.act(.status, path, epoch) { (state) throws(SystemError) in
      DiskRoom(free: state.free ?? 1 << 40, total: 1 << 40)
    }
  }

  package func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try disk.act(.status, thing(name), epoch) { (state) throws(SystemError) in
      if state.folders[node]?.live[name] == nil { throw error(2, "chmod", name) }
    }
  }

  private func thing(_ name: FileName) -> String {
    "\(path)/\(String(decoding: name.bytes, as: UTF8.self))"
  }

  private func error(_ code: Int32, _ call: String, _ name: FileName) -> SystemError {
    SystemError(code: code, call: call, thing: thing(name))
  }
}
