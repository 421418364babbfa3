// SPDX-License-Identifier: Apache-2.0
// A network that does what the test says: writes these pieces, then answers or fails; at once, or when
// the test lets it.

import Synchronization
import Vocabulary

final class ScriptedNetwork: Network {
  struct Turn: Sendable {
    var pieces: [[UInt8]] = []
    var result: Result<TransferReply, Failure>
    /// Told before the first piece; nil where the origin's word is not of interest.
    var entity: EntityFacts?
    /// The part asked for is sent, not the whole.
    var isPart = false
    var isHeld = false
  }

  private struct Held {
    let turn: Turn
    let request: TransferRequest
    let file: any OpenFile
    let whenOver: @Sendable (Result<TransferReply, Failure>) -> Void
  }

  private struct State {
    var turns: [Turn]
    var asked: [TransferRequest] = []
    var held: [UInt64: Held] = [:]
    var last: UInt64 = 0
    var cancelled: [TransferTicket] = []
    var changes: [ServiceClass] = []
    var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ turns: Turn...) { state = Mutex(State(turns: turns)) }
  init(_ turns: [Turn]) { state = Mutex(State(turns: turns)) }

  var requests: [TransferRequest] { state.withLock { $0.asked } }
  var cancelled: [TransferTicket] { state.withLock { $0.cancelled } }
  var changes: [ServiceClass] { state.withLock { $0.changes } }

  func begin(
    _ request: TransferRequest, into file: any OpenFile,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    let (turn, ticket, waiters) = state.withLock { state in
      state.asked.append(request)
      state.last += 1
      let turn = state.turns.isEmpty ? nil : state.turns.removeFirst()
      if let turn, turn.isHeld {
        state.held[state.last] = Held(
          turn: turn, request: request, file: file, whenOver: whenOver)
      }
      let ready = state.waiters.filter { $0.count <= state.asked.count }
      state.waiters.removeAll { $0.count <= state.asked.count }
      return (turn, TransferTicket(state.last), ready.map(\.waiter))
    }
    for waiter in waiters { waiter.resume() }
    guard let turn else {
      whenOver(.failure(Failure(.final, code: "script.over", reason: "nothing is left")))
      return ticket
    }
    if !turn.isHeld { whenOver(Self.play(turn, request, file)) }
    return ticket
  }

  func cancel(_ ticket: TransferTicket) {
    let held = state.withLock { state in
      state.cancelled.append(ticket)
      return state.held.removeValue(forKey: ticket.number)
    }
    held?.whenOver(.failure(.cancelled))
  }

  func change(_ ticket: TransferTicket, to priority: ServiceClass) {
    state.withLock { $0.changes.append(priority) }
  }

  func progress() -> [TransferProgress] {
    state.withLock { state in
      state.held.keys.sorted().map {
        TransferProgress(
          ticket: TransferTicket($0), server: "photos.example.org", received: 1, total: 2, rate: 3)
      }
    }
  }

  /// Until it was asked so often.
  func asked(_ count: Int) async {
    await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        if state.asked.count >= count { return true }
        state.waiters.append((count, waiter))
        return false
      }
      if isThere { waiter.resume() }
    }
  }

  /// Lets what is held go on to its end.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for one in held { one.whenOver(Self.play(one.turn, one.request, one.file)) }
  }

  /// Writes what is held and keeps it held.
  func trickle() {
    for one in state.withLock({ Array($0.held.values) }) {
      _ = Self.play(one.turn, one.request, one.file)
    }
  }

  private static func play(_ turn: Turn, _ request: TransferRequest, _ file: any OpenFile)
    -> Result<TransferReply, Failure>
  {
    var offset: UInt64 = 0
    do throws(SystemError) {
      if case .rest(_, let length) = request.scope {
        if turn.isPart { offset = length } else { try file.truncate(to: 0) }
      }
      if let entity = turn.entity { request.whenBegun(entity, offset) }
      for piece in turn.pieces {
        try file.write(piece, at: offset)
        offset += UInt64(piece.count)
      }
    } catch { return .failure(error.machineFailure) }
    return turn.result
  }
}

extension ScriptedNetwork.Turn {
  /// A body in pieces, answered as it was sent.
  static func body(_ pieces: [UInt8]...) -> Self { .sent(pieces) }

  static func sent(_ pieces: [[UInt8]], _ entity: EntityFacts? = nil) -> Self {
    let size = UInt64(pieces.joined().count)
    let reply = TransferReply(
      status: 200, size: size, entity: entity ?? EntityFacts())
    return Self(pieces: pieces, result: .success(reply), entity: entity)
  }

  static func part(_ bytes: [UInt8], whole: UInt64, _ entity: EntityFacts) -> Self {
    let reply = TransferReply(
      status: 206, size: whole, entity: entity)
    return Self(pieces: [bytes], result: .success(reply), entity: entity, isPart: true)
  }

  static func failing(_ failure: Failure, after pieces: [UInt8]...) -> Self {
    Self(pieces: pieces, result: .failure(failure))
  }

  static func failing(_ failure: Failure, after bytes: [UInt8], of entity: EntityFacts) -> Self {
    Self(pieces: [bytes], result: .failure(failure), entity: entity)
  }

  static var unchanged: Self {
    Self(result: .success(TransferReply(status: 304, size: 0)))
  }

  var held: Self {
    var turn = self
    turn.isHeld = true
    return turn
  }
}
