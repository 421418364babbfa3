// SPDX-License-Identifier: Apache-2.0
// Makes files and folders of lists durable for many callers at once. Its thread is not the one that syncs prints: a
// disk of prints that hangs holds up no list on its way in. Raises a `Failure` of kind `machine`, and `cancelled`
// after `close`.
//
// Concurrency model: one own thread. `state` guards the queue; it is not held during disk calls or while a caller is
// answered. A group takes all that has come while the group before it was synced and, where many come, a moment longer
// (`GroupPace`).

internal import Linux
internal import Synchronization
internal import Vocabulary

final class GroupSyncer: Sendable {
  private struct Request: Sendable {
    let effects: [Effect]
    let reply: Reply<Result<Void, Failure>>
  }

  private struct State {
    var waiting: [Request] = []
    var isClosing = false
    var isDone = false
    var closers: [Reply<Void>] = []
  }

  private let time: any Timekeeper
  private let state = Mutex(State())
  private let signal = ThreadSignal()

  init(time: any Timekeeper) { self.time = time }

  func start(_ effects: DurableEffects) throws(SystemError) {
    try OwnThread.start("groups") { self.run(effects) }
  }

  /// Returns when all effects are durable. A cancelled task also waits.
  func sync(_ effects: [Effect]) async throws(Failure) {
    let result = await Reply<Result<Void, Failure>>.wait { reply in
      let (isClosing, isFirst) = state.withLock { state -> (Bool, Bool) in
        if state.isClosing { return (true, false) }
        state.waiting.append(Request(effects: effects, reply: reply))
        return (false, state.waiting.count == 1)
      }
      if isClosing { reply.give(.failure(.cancelled)) }
      if isFirst { signal.ring() }
    }
    try result.get()
  }

  /// Takes no more requests, finishes the queued ones, and ends the thread.
  func close() async {
    await Reply<Void>.wait { reply in
      let isDone = state.withLock { state in
        state.isClosing = true
        if !state.isDone { state.closers.append(reply) }
        return state.isDone
      }
      if isDone { reply.give() }
      signal.ring()
    }
  }

  private func run(_ effects: DurableEffects) {
    var effects = effects
    var requests: [Request] = []
    var pace = GroupPace()
    var isLast = false
    while !isLast {
      signal.wait()
      rest(pace)
      isLast = state.withLock { state in
        swap(&state.waiting, &requests)
        return state.isClosing
      }
      if requests.isEmpty { continue }
      pace.begin(requests.count, at: time.uptime())
      let failures = effects.perform(requests.lazy.map(\.effects))
      for (place, request) in requests.enumerated() {
        request.reply.give(failures[place].map { .failure($0) } ?? .success(()))
      }
      requests.removeAll(keepingCapacity: true)
    }
    let closers = state.withLock { state in
      state.isDone = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.give() }
  }

  /// `close` rings, and ends the rest.
  private func rest(_ pace: GroupPace) {
    var rest = pace.rest(at: time.uptime())
    while rest > .zero, !state.withLock({ $0.isClosing }), signal.wait(atMost: rest) {
      rest = pace.rest(at: time.uptime())
    }
  }
}
