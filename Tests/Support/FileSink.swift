// SPDX-License-Identifier: Apache-2.0
// The sink of a transfer in tests: writes into a file at once, on the network's thread. A test may wait for
// its disk. Concurrency model: one Mutex, held for a write.

internal import Synchronization
package import Vocabulary

package final class FileSink: TransferSink {
  package struct Beginning: Equatable, Sendable {
    package let entity: EntityFacts
    package let offset: UInt64
  }

  private struct State {
    var end: UInt64 = 0
    var beginnings: [Beginning] = []
    var trouble: Failure?
  }

  private let file: any OpenFile
  private let state = Mutex(State())

  package init(_ file: any OpenFile) { self.file = file }

  package var beginnings: [Beginning] { state.withLock { $0.beginnings } }

  package func begin(_ entity: EntityFacts, at offset: UInt64) {
    state.withLock { state in
      state.beginnings.append(Beginning(entity: entity, offset: offset))
      state.end = offset
      if offset > 0 { return }
      do throws(SystemError) { try file.truncate(to: 0) } catch {
        state.trouble = error.machineFailure
      }
    }
  }

  package func take(
    _ bytes: [UInt8], goOn: @escaping @Sendable () -> Void
  ) throws(Failure) -> Bool {
    try state.withLock { (state) throws(Failure) in
      if let trouble = state.trouble { throw trouble }
      let end = state.end
      try asMachine { () throws(SystemError) in try file.write(bytes, at: end) }
      state.end += UInt64(bytes.count)
      return true
    }
  }
}
