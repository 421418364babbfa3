// SPDX-License-Identifier: Apache-2.0
// A network that follows a script: delivers pieces, then answers or fails, at once or when the test
// releases it. Pauses while the sink has no room.

import Synchronization
import Vocabulary

final class ScriptedNetwork: Network {
  struct Turn: Sendable {
    var pieces: [[UInt8]] = []
    var result: Result<TransferReply, Failure>
    /// Given to the sink before the first piece; nil for an origin that states nothing.
    var entity: EntityFacts?
    /// True if the requested part is sent instead of the whole.
    var isPart = false
    var isHeld = false
  }

  private struct Held {
    let turn: Turn
    let request: TransferRequest
    let sink: any TransferSink
    let whenOver: @Sendable (Result<TransferReply, Failure>) -> Void
  }

  private struct State {
    var turns: [Turn]
    var asked: [TransferRequest] = []
    var held: [UInt64: Held] = [:]
    var last: UInt64 = 0
    var cancelled: [TransferTicket] = []
    var changes: [TransferDemand] = []
    var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ turns: Turn...) { state = Mutex(State(turns: turns)) }
  init(_ turns: [Turn]) { state = Mutex(State(turns: turns)) }

  var requests: [TransferRequest] { state.withLock { $0.asked } }
  var cancelled: [TransferTicket] { state.withLock { $0.cancelled } }
  var changes: [TransferDemand] { state.withLock { $0.changes } }

  func begin(
    _ request: TransferRequest, into sink: any TransferSink,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket {
    let (turn, ticket, waiters) = state.withLock { state in
      state.asked.append(request)
      state.last += 1
      let turn = state.turns.isEmpty ? nil : state.turns.removeFirst()
      if let turn, turn.isHeld {
        state.held[state.last] = Held(
          turn: turn, request: request, sink: sink, whenOver: whenOver)
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
    if !turn.isHeld { Self.play(turn, request, sink, whenOver) }
    return ticket
  }

  func cancel(_ ticket: TransferTicket) {
    let held = state.withLock { state in
      state.cancelled.append(ticket)
      return state.held.removeValue(forKey: ticket.number)
    }
    held?.whenOver(.failure(.cancelled))
  }

  func change(_ ticket: TransferTicket, to demand: TransferDemand) {
    state.withLock { $0.changes.append(demand) }
  }

  func progress() -> [TransferProgress] {
    state.withLock { state in
      state.held.keys.sorted().map {
        TransferProgress(
          ticket: TransferTicket($0), server: "photos.example.org", received: 1, total: 2, rate: 3)
      }
    }
  }

  /// Returns after this number of requests.
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

  /// Lets the held transfers run to their end.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for one in held { Self.play(one.turn, one.request, one.sink, one.whenOver) }
  }

  /// Delivers the pieces of the held transfers, and keeps them held.
  func trickle() {
    for one in state.withLock({ Array($0.held.values) }) {
      Self.play(one.turn, one.request, one.sink) { _ in }
    }
  }

  private static func play(
    _ turn: Turn, _ request: TransferRequest, _ sink: any TransferSink,
    _ whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) {
    if turn.entity != nil || !turn.pieces.isEmpty {
      var offset: UInt64 = 0
      if turn.isPart, case .rest(_, let length) = request.scope { offset = length }
      sink.begin(turn.entity ?? EntityFacts(), at: offset)
    }
    bring(turn.pieces[...], turn.result, sink, whenOver)
  }

  private static func bring(
    _ pieces: ArraySlice<[UInt8]>, _ result: Result<TransferReply, Failure>,
    _ sink: any TransferSink,
    _ whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) {
    for place in pieces.indices {
      let rest = pieces[place...]
      do throws(Failure) {
        let isTaken = try sink.take(pieces[place]) { bring(rest, result, sink, whenOver) }
        if !isTaken { return }
      } catch { return whenOver(.failure(error)) }
    }
    whenOver(result)
  }
}

extension ScriptedNetwork.Turn {
  /// A body in pieces, with a reply of its size.
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
