// SPDX-License-Identifier: Apache-2.0
// A network that answers a little later, from a task of its own, and a folder whose files have one name.

import Synchronization
import Vocabulary

final class BusyNetwork: Network {
  private struct State {
    var last: UInt64 = 0
    var running: [UInt64: @Sendable (Result<TransferReply, Failure>) -> Void] = [:]
  }

  private let state = Mutex(State())
  private let size: Int

  init(size: Int) { self.size = size }

  var isIdle: Bool { state.withLock { $0.running.isEmpty } }

  func begin(
    _ request: TransferRequest, into file: any OpenFile,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    let number = state.withLock { state in
      state.last += 1
      state.running[state.last] = whenOver
      return state.last
    }
    Task {
      for _ in 0..<(number % 5) { await Task.yield() }
      // Whoever takes it out may write: a cancelled transfer writes no more.
      guard let whenOver = state.withLock({ $0.running.removeValue(forKey: number) }) else {
        return
      }
      try? file.truncate(to: 0)
      try? file.write(Array(repeating: 7, count: size), at: 0)
      whenOver(.success(TransferReply(status: 200, size: UInt64(size))))
    }
    return TransferTicket(number)
  }

  func cancel(_ ticket: TransferTicket) {
    let whenOver = state.withLock { $0.running.removeValue(forKey: ticket.number) }
    whenOver?(.failure(.cancelled))
  }

  func change(_ ticket: TransferTicket, to priority: ServiceClass) {}
  func progress() -> [TransferProgress] { [] }
}

/// As FAT has it: no second names, and none across its border either. It counts what it refused.
final class LonelyFolder: Folder {
  let base: any Folder
  private let refused = Mutex(0)

  var refusals: Int { refused.withLock { $0 } }

  init(_ base: any Folder) { self.base = base }

  var path: String { base.path }
  func open(_ name: FileName, _ use: FileUse) throws(SystemError) -> any OpenFile {
    try base.open(name, use)
  }
  func folder(_ name: FileName, creating: Bool) throws(SystemError) -> any Folder {
    try base.folder(name, creating: creating)
  }
  func rename(
    _ name: FileName, to folder: any Folder, as newName: FileName, replacing: Bool
  ) throws(SystemError) {
    refused.withLock { $0 += 1 }
    throw SystemError(code: 18, call: "rename", thing: "\(name)")
  }
  func link(_ name: FileName, to folder: any Folder, as newName: FileName) throws(SystemError) {
    refused.withLock { $0 += 1 }
    throw SystemError(code: 1, call: "link", thing: "\(name)")
  }
  func remove(_ name: FileName) throws(SystemError) { try base.remove(name) }
  func removeFolder(_ name: FileName) throws(SystemError) { try base.removeFolder(name) }
  func names() throws(SystemError) -> [FileName] { try base.names() }
  func status(of name: FileName) throws(SystemError) -> FileStatus { try base.status(of: name) }
  func sync() throws(SystemError) { try base.sync() }
  func syncFileSystem() throws(SystemError) { try base.syncFileSystem() }
  func device() throws(SystemError) -> UInt64 { try base.device() }
  func freeSpace() throws(SystemError) -> UInt64 { try base.freeSpace() }
  func totalSpace() throws(SystemError) -> UInt64 { try base.totalSpace() }
  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try base.setMode(mode, of: name)
  }
}
