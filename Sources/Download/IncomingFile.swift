// SPDX-License-Identifier: Apache-2.0
// The sink of one transfer. The network's thread puts bytes into memory; a writer, an errand on the disk
// pool, moves them into a partial file. Small bodies need no writer, because creating and renaming their
// files would take longer than everything else; a reopened file, and bytes worth keeping, always need one.
// Concurrency model: `state` guards the buffer between the network's thread and the writer; the caller performs the
// returned steps after unlocking. The partial file belongs to the writer alone.

import Linux
import Synchronization
import Vocabulary

final class IncomingFile: TransferSink {
  typealias Ending = IncomingBuffer.Ending

  enum Place {
    case memory([UInt8])
    case disk(PartialFile)
  }

  private struct State {
    var buffer: IncomingBuffer
    /// Set while the writer waits.
    var writer: Reply<IncomingBuffer.Portion>?
    /// Set while the network is paused.
    var goOn: (@Sendable () -> Void)?

    /// Turns a step into the acts to perform after unlocking.
    mutating func act(_ step: IncomingBuffer.Step) -> Act {
      var act = Act(startsWriter: step.startsWriter)
      if let portion = step.portion, let writer = writer.take() { act.portion = (writer, portion) }
      if step.resumes { act.goOn = goOn.take() }
      return act
    }

    mutating func act(_ end: IncomingBuffer.End) -> Act {
      switch end {
      case .step(let step): act(step)
      case .inMemory(let bytes, let ending): Act(settled: (bytes, ending))
      }
    }
  }

  private struct Act {
    var startsWriter = false
    var portion: (writer: Reply<IncomingBuffer.Portion>, portion: IncomingBuffer.Portion)?
    var goOn: (@Sendable () -> Void)?
    var settled: (bytes: [UInt8], ending: Ending)?
  }

  private let partial: PartialFile
  private let errands: DiskErrands
  private let whenSettled: @Sendable (Place, Ending) -> Void
  private let state: Mutex<State>

  /// `whenSettled` is called once, when the transfer is over and its bytes are in place: on the network's
  /// thread for bytes in memory, otherwise on the disk pool.
  init(
    _ partial: PartialFile, on errands: DiskErrands,
    whenSettled: @escaping @Sendable (Place, Ending) -> Void
  ) {
    (self.partial, self.errands, self.whenSettled) = (partial, errands, whenSettled)
    let buffer = IncomingBuffer(
      portionSize: partial.shelf.portionSize, isReopened: partial.file != nil)
    state = Mutex(State(buffer: buffer))
  }

  // MARK: the network's thread

  func begin(_ entity: EntityFacts, at offset: UInt64) {
    state.withLock { $0.buffer.begin(.init(entity: entity, offset: offset)) }
  }

  func take(
    _ bytes: [UInt8], goOn: @escaping @Sendable () -> Void
  ) throws(Failure) -> Bool {
    let act = try state.withLock { (state) throws(Failure) -> Act? in
      guard let step = try state.buffer.take(bytes) else {
        state.goOn = goOn
        return nil
      }
      return state.act(step)
    }
    guard let act else { return false }
    perform(act)
    return true
  }

  func rest() { perform(state.withLock { $0.act($0.buffer.rest()) }) }

  /// The last call of the network.
  func end(_ ending: Ending) { perform(state.withLock { $0.act($0.buffer.end(ending)) }) }

  private func perform(_ act: Act) {
    // The errand is refused when the daemon stops; the next start resumes as much as the notes prove.
    if act.startsWriter, !errands.begin({ await self.write() }) {
      perform(state.withLock { $0.act($0.buffer.refuse(.cancelled)) })
    }
    if let (writer, portion) = act.portion { writer.give(portion) }
    act.goOn?()
    if let (bytes, ending) = act.settled { whenSettled(.memory(bytes), ending) }
  }

  // MARK: the disk pool

  private func write() async {
    var partial = self.partial
    var memory: [UInt8] = []
    while true {
      let portion = await next(&memory)
      do throws(SystemError) {
        if let new = portion.announcement { try partial.begin(new.entity, at: new.offset) }
        if !portion.bytes.isEmpty { try partial.write(portion.bytes) }
        memory = portion.bytes
      } catch {
        let failure = error.machineFailure
        perform(state.withLock { $0.act($0.buffer.fail(failure)) })
        continue
      }
      if let ending = portion.ending { return whenSettled(.disk(partial), ending) }
    }
  }

  private func next(_ memory: inout [UInt8]) async -> IncomingBuffer.Portion {
    await Reply.wait { reply in
      let (act, portion) = state.withLock { state in
        let step = state.buffer.next(&memory)
        if step.portion == nil { state.writer = reply }
        return (Act(goOn: step.resumes ? state.goOn.take() : nil), step.portion)
      }
      perform(act)
      if let portion { reply.give(portion) }
    }
  }
}
