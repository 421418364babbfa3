// SPDX-License-Identifier: Apache-2.0
// A disk that guarantees only synced bytes. At a crash every page written since its file's last sync is
// old, new or zero, and every name changed since its folder's last sync exists or not, each
// independently, as the seed decides. It fails calls on demand, runs full, and can ignore syncs, so
// that a test can prove that it notices a missing one. Concurrency: `state` guards everything.

import Synchronization
internal import Vocabulary

package final class SimulatedDisk: Sendable {
  package enum Call: Sendable, CaseIterable {
    case open, openFolder, read, write, truncate, reserve, syncFile, syncFolder, syncFileSystem
    case rename, remove, list, status, checkWritten

    var isSync: Bool { self == .syncFile || self == .syncFolder || self == .syncFileSystem }
  }

  package struct Fault: Sendable {
    /// Nil matches every call.
    package let call: Call?
    package let code: Int32
    /// The first matching call that fails, from 1.
    package let first: Int
    package let isPermanent: Bool
    /// True if a failing write writes half of its bytes.
    package let isPartial: Bool

    package init(
      _ call: Call?, code: Int32, first: Int = 1, isPermanent: Bool = false,
      isPartial: Bool = false
    ) {
      self.call = call
      self.code = code
      self.first = first
      self.isPermanent = isPermanent
      self.isPartial = isPartial
    }
  }

  private let state: Mutex<SimulatedState>
  private let atSync = Mutex<(@Sendable () -> Void)?>(nil)
  private static let root: UInt64 = 1

  package convenience init() { self.init(SimulatedState()) }

  init(_ state: SimulatedState) { self.state = Mutex(state) }

  /// A disk of its own with the same contents, synced and unsynced.
  package func copy() -> SimulatedDisk { SimulatedDisk(state.withLock { $0 }) }

  /// The disk as it is now. Folders and files from before a crash are dead.
  package var rootFolder: SimulatedFolder {
    SimulatedFolder(self, node: Self.root, epoch: state.withLock { $0.epoch }, path: "disk")
  }

  // MARK: faults

  package func fail(_ fault: Fault?) {
    state.withLock { state in
      state.fault = fault
      state.seen = 0
    }
  }

  /// Lets this number of calls work; then the power is gone.
  package func cutPower(afterCalls calls: Int?) { state.withLock { $0.callsLeft = calls } }

  package var isPowerCut: Bool { state.withLock { $0.callsLeft == 0 } }

  /// Makes these syncs succeed without any effect; `thing` is a part of the path, empty for all.
  package func ignore(_ calls: Set<Call>, on thing: String = "") {
    state.withLock { state in
      state.ignored = calls
      state.ignoredThing = thing
    }
  }

  /// The number of bytes that fit; nil is unlimited.
  package func setCapacity(_ bytes: UInt64?) { state.withLock { $0.capacity = bytes } }

  /// Brings the power back: the fate of unsynced changes is decided now.
  package func crash(seed: UInt64) {
    state.withLock { state in
      var random = SimulatedRandom(seed: seed)
      state.crash(&random)
    }
  }

  // MARK: moments

  /// Remembers the disk before each sync, also before one that fails.
  package func watchSyncs() { state.withLock { $0.moments = [] } }

  /// The moments since the last call.
  package func takeMoments() -> [DiskMoment] {
    state.withLock { state in
      defer { if state.moments != nil { state.moments = [] } }
      return state.moments ?? []
    }
  }

  /// The disk as it is now.
  package var moment: DiskMoment { state.withLock { $0.moment } }

  package func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

  // MARK: for files and folders

  func ignores(_ call: Call, _ thing: String) -> Bool {
    state.withLock { state in
      guard state.ignored.contains(call) else { return false }
      let part = Array(state.ignoredThing.utf8)
      let thing = Array(thing.utf8)
      return part.isEmpty
        || (0..<max(0, thing.count - part.count + 1)).contains {
          thing[$0..<($0 + part.count)] == part[...]
        }
    }
  }

  /// Calls it once, before the next sync of a file.
  package func atNextSync(_ act: @escaping @Sendable () -> Void) { atSync.withLock { $0 = act } }

  func beginSync() {
    let act = atSync.withLock { act in
      defer { act = nil }
      return act
    }
    act?()
  }

  var writesInPart: Bool { state.withLock { $0.fault?.isPartial ?? false && $0.callsLeft != 0 } }

  func change(_ body: (inout SimulatedState) -> Void) { state.withLock { body(&$0) } }

  func enter(_ call: Call, _ thing: String, _ epoch: UInt64) throws(SystemError) {
    try act(call, thing, epoch) { (_) throws(SystemError) in }
  }

  func act<R: Sendable>(
    _ call: Call, _ thing: @autoclosure () -> String, _ epoch: UInt64,
    _ body: (inout SimulatedState) throws(SystemError) -> R
  ) throws(SystemError) -> R {
    try state.withLock { (state) throws(SystemError) -> R in
      if let code = state.refusal(of: call, epoch) {
        throw SystemError(code: code, call: "\(call)", thing: thing())
      }
      return try body(&state)
    }
  }

  /// Writes the bytes that fit; returns the error if some do not.
  func write(_ bytes: [UInt8], at offset: UInt64, to node: UInt64, _ thing: String) -> SystemError?
  {
    state.withLock { state in
      guard let file = state.files[node] else { return nil }
      let end = UInt64(bytes.count) + offset
      let growth = end > file.taken ? end - file.taken : 0
      let missing = state.free.map { growth > $0 ? growth - $0 : 0 } ?? 0
      let fitting = bytes.dropLast(Int(min(missing, UInt64(bytes.count))))
      state.change(node, .write(Array(fitting), at: Int(offset)))
      return missing > 0 ? SystemError(code: 28, call: "write", thing: thing) : nil
    }
  }
}
