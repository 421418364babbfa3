// SPDX-License-Identifier: Apache-2.0
// Tests that each hold something the kernel counts by user: inotify instances are 128 in all, and others
// have some, too.
// Concurrency model: one Mutex; whoever leaves lets the next one in with it released.

import Synchronization
import Testing

struct FewAtOnce: TestTrait, SuiteTrait, TestScoping {
  private static let gate = Gate(places: 24)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.gate.enter()
    defer { Self.gate.leave() }
    try await function()
  }
}

extension Trait where Self == FewAtOnce {
  static var fewAtOnce: Self { FewAtOnce() }
}

private final class Gate: Sendable {
  private struct State {
    var places: Int
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(places: Int) { state = Mutex(State(places: places)) }

  func enter() async {
    await withCheckedContinuation { waiter in
      let isIn = state.withLock { state in
        if state.places == 0 {
          state.waiters.append(waiter)
          return false
        }
        state.places -= 1
        return true
      }
      if isIn { waiter.resume() }
    }
  }

  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.places += 1
      return nil
    }
    next?.resume()
  }
}
