// SPDX-License-Identifier: Apache-2.0
// A network that answers a little later, from another task, and a folder without hard links.

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
    _ request: TransferRequest, into sink: any TransferSink,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    let number = state.withLock { state in
      state.last += 1
      state.running[state.last] = whenOver
      return state.last
    }
    Task {
      for _ in 0..<(number % 5) { await Task.yield() }
      // A cancelled transfer delivers nothing.
      guard let whenOver = state.withLock({ $0.running.removeValue(forKey: number) }) else {
        return
      }
      sink.begin(EntityFacts(), at: 0)
      _ = try? sink.take(Array(repeating: 7, count: size), goOn: {})
      whenOver(.success(TransferReply(status: 200, size: UInt64(size))))
    }
    return TransferTicket(number)
  }

  func cancel(_ ticket: TransferTicket) {
    let whenOver = state.withLock { $0.running.removeValue(forKey: ticket.number) }
    whenOver?(.failure(.cancelled))
  }

  func change(_ ticket: TransferTicket, to demand: TransferDemand) {}
  func progress() -> [TransferProgress] { [] }
}

/// A folder as on FAT: refuses hard links, and renames to another file system. Counts the refusals.
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
  func identity() throws(SystemError) -> FolderIdentity { try base.identity() }
  func room() throws(SystemError) -> DiskRoom { try base.room() }
  func setMode(_ mode: UInt32, of name: FileName) throws(SystemError) {
    try base.setMode(mode, of: name)
  }
}
