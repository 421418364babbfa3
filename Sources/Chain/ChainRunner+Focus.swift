// SPDX-License-Identifier: Apache-2.0
// The focus of the chains: leases of viewers, and the photos that make room for what they look at.

import Linux
import Synchronization
package import Vocabulary

extension ChainRunner {
  /// Begins or renews the viewer's lease: these photos go first within the share of the list's owner. Those
  /// that are done are ignored.
  package func focus(
    _ viewer: FocusBoard.Viewer, on photos: [UInt32], for time: Duration
  ) throws(Failure) {
    let now = self.time.uptime()
    let until = now + min(time, FocusBoard.longestLease)
    try state.withLock { (state) throws(Failure) in
      try state.admission.setFocus(viewer, photos, until: until, now: now)
    }
    reclass(renewing: true) { $0.list == viewer.list }
    bell.changed()
  }

  /// Returns false if the viewer had no lease.
  package func unfocus(_ viewer: FocusBoard.Viewer) -> Bool {
    state.withLock { $0.admission.endFocus(viewer) }
  }

  package func isFocused(_ photo: PhotoID) -> Bool {
    state.withLock { $0.admission.focus.isFocused(photo) }
  }

  /// Ends old leases, and cancels chains that make room. Returns when to look again.
  func makeRoom() -> Duration? {
    let now = time.uptime()
    let (chains, end) = state.withLock { state -> ([PhotoChain<Work.Order>]?, Duration?) in
      state.admission.focus.expire(now)
      let mayWait =
        state.mode == .running && !state.admission.focus.isEmpty
        && (state.admission.isFocusWaiting
          || state.chains.keys.contains(where: state.admission.focus.isFocused))
      return (mayWait ? Array(state.chains.values) : nil, state.admission.focus.nextEnd)
    }
    guard let chains else { return end }
    let transfers = stages.transfers()
    let movables = chains.compactMap { movable($0, transfers) }
    let chosen = state.withLock { state in
      state.admission.makeRoom(movables, now: now).compactMap { state.chains[$0] }
    }
    // A download that has begun since then runs to its end: its request is on the way.
    let running = Set(movables.filter { $0.state != .waits }.map(\.photo))
    for chain in chosen {
      if running.contains(chain.work.photo) { chain.cancel() } else { chain.giveWay() }
    }
    // A focused photo waits: a transfer that could not be continued may have got its answer by then.
    let isWaiting =
      state.withLock { $0.admission.isFocusWaiting }
      || movables.contains {
        $0.state == .needsConnection
      }
    return [end, isWaiting ? now + FocusBoard.patience : nil].compactMap { $0 }.min()
  }

  private func movable(
    _ chain: PhotoChain<Work.Order>, _ transfers: [PhotoID: TransferStanding]
  ) -> Admission.Movable? {
    let work = chain.work
    let standing: Admission.MovableState
    switch (chain.stage, transfers[work.photo]) {
    case (nil, _): standing = .waits
    case (.download, .waiting): standing = .needsConnection
    case (.download, .running(mayStop: true)): standing = .transfers
    case (.download, _): standing = .settled
    default: return nil
    }
    return Admission.Movable(work.photo, admitted: work.admitted, standing)
  }
}
