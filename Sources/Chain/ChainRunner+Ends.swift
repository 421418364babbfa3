// SPDX-License-Identifier: Apache-2.0
// The ends of photos: a failed step is recorded as a retry or as the photo's failure, or waits until trouble
// of the machine or of the list is over.

import Linux
import Synchronization
import Vocabulary

extension ChainRunner: ChainOwner {
  typealias Order = Work.Order

  /// Both only grow: the sum changes with either.
  var holds: UInt { state.withLock { $0.holds } }

  func arrived(_ photo: PhotoID, from server: String?) {
    state.withLock { $0.heardProxy(of: photo) }
    answered(photo, by: server)
  }

  func settle(
    _ work: PhotoWork<Work.Order>, _ stage: Stage, _ failure: Failure, hold: UInt
  ) async -> PhotoEnd {
    do throws(Failure) { return try await record(work, stage, failure, hold) } catch {
      switch error.kind {
      case .cancelled: return .stopped
      default: return error.scope == .one ? .listTrouble(error) : .machineTrouble(error, hold: hold)
      }
    }
  }

  private func record(
    _ work: PhotoWork<Work.Order>, _ stage: Stage, _ failure: Failure, _ hold: UInt
  ) async throws(Failure) -> PhotoEnd {
    let failed = time.uptime()
    // The list is over: its record takes no change of the photo any more.
    guard let standing = record.standing(of: work.photo) else { return .stopped }
    if stage == .download, failure.code.hasPrefix("http."), failure.kind == .final {
      state.withLock { $0.heardProxy(of: work.photo) }
    }
    if let refusal = work.refusal {
      // Nothing was tried, so no attempt is counted.
      try await record.recordFailure(work.counted(standing.attempts), stage, refusal)
      return .failed
    }
    if stage == .download, work.state == .new, let wish = answered(work.photo, failure) {
      switch wish {
      case .granted(let gate):
        let wait = max(.zero, gate - time.uptime())
        let work = work.counted(standing.attempts)
        try await record.recordRetry(work, .download, failure, after: wait)
        return .retry(after: wait, failed: failed)
      case .refused:
        let work = work.counted(standing.attempts + 1)
        try await record.recordFailure(work, .download, Self.impatience(failure))
        return .failed
      }
    }
    let jitter = state.withLock { Double.random(in: 0...1, using: &$0.random) }
    let work = work.counted(standing.attempts + (failure.isLostOriginal ? 0 : 1))
    let verdict = policy.verdict(
      on: failure, attempt: work.attempt, deaths: standing.deaths, jitter: jitter)
    switch verdict {
    case .again(let delay):
      try await record.recordRetry(work, stage, failure, after: delay)
      return .retry(after: delay, failed: failed)
    case .giveUp:
      try await record.recordFailure(work, stage, failure)
      return .failed
    case .waitForMachine: return .machineTrouble(failure, hold: hold)
    case .waitForList: return .listTrouble(failure)
    case .stop: return .stopped
    }
  }

  func ended(_ photo: PhotoID, _ end: PhotoEnd) {
    let now = time.uptime()
    state.withLock { state in
      state.chains[photo] = nil
      state.admission.ended(photo, end, now: now)
      switch end {
      case .machineTrouble(let failure, let hold) where failure.scope == .proxy:
        state.metProxy(failure, isCurrent: hold == state.holds, now)
      case .machineTrouble(let failure, let hold):
        // A chain that failed before the last hold may end after it, since its other operations were in
        // suspended queues.
        let current = hold == state.holds ? state.trouble.holds : .max
        if state.trouble.met(failure, hold: current, now: now) {
          state.events.append(.troubled(failure))
        }
        if state.trouble.isHeld { state.admission.isHeld = true }
      case .filtered, .failed, .retry:
        // A step became durable.
        if state.trouble.passed(isPrint: end == .filtered) {
          state.events.append(.recovered(isProven: true))
        }
      case .stopped, .listTrouble: break
      }
    }
    bell.changed()
  }

  func awaitPlace(_ chain: PhotoChain<Work.Order>) {
    let (photo, serviceClass) = (chain.work.photo, chain.work.serviceClass)
    let (owner, rank) = state.withLock { state in
      (state.admission.owner(of: photo.list), state.admission.ownClass(of: photo))
    }
    let claim = FilterClaim(
      owner: owner, serviceClass: serviceClass, rank: rank ?? serviceClass)
    turn { $0.wait(chain, claim) }
  }

  func leavePlace(_ chain: PhotoChain<Work.Order>) { turn { $0.leave(chain) } }

  /// Gives the places that are free after a change.
  func turn(_ change: (inout FilterTurns<PhotoChain<Work.Order>>) -> Void) {
    let now = time.uptime()
    let chains = state.withLock { state in
      change(&state.filterTurns)
      var chains: [PhotoChain<Work.Order>] = []
      while let chain = state.filterTurns.next(now: now) { chains.append(chain) }
      return chains
    }
    for chain in chains { chain.beginFilter() }
  }

  func released(_ photo: PhotoID) {
    let isRoom = state.withLock { state in
      state.queued -= 1
      return state.queued == state.longestQueue - 1
    }
    if isRoom { bell.changed() }
  }
}

extension ChainRunner.State {
  var holds: UInt { trouble.holds + proxyTrouble.holds }

  /// A download met the proxy's trouble.
  mutating func metProxy(_ failure: Failure, isCurrent: Bool, _ now: Duration) {
    let hold = isCurrent ? proxyTrouble.holds : .max
    if proxyTrouble.met(failure, hold: hold, now: now) { events.append(.proxyTroubled(failure)) }
    if proxyTrouble.isHeld { admission.shutProxy(true, now: now) }
  }

  /// The photo's host has answered; perhaps through the proxy, which then works.
  mutating func heardProxy(of photo: PhotoID) {
    guard proxyTrouble.failure != nil, admission.isProxied(photo) else { return }
    if proxyTrouble.passed() { events.append(.proxyRecovered) }
  }
}
