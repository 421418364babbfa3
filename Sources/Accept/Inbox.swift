// SPDX-License-Identifier: Apache-2.0
// The inbox as the daemon sees it: run, adopt, look, stop. A missing or replaced folder is reported as news,
// and the inbox waits for it. `init` raises SystemError.
// Concurrency model: the state machine, the claims and the descriptors belong to `InboxLoop`, which is
// confined to the thread "inbox". That thread awaits workers, the record, syncs, long copies and sums without blocking;
// other disk calls block it. Other threads send letters.

internal import Files
internal import Linux
package import Vocabulary

package final class Inbox: Sendable {
  enum Letter: Sendable {
    /// An operator confirms that the path is the inbox.
    case adopt
    case look(SweepQuestion, Reply<SweepReport>)
    case settle(Reply<SweepReport>)
    case again(RepeatOrder, stem: [UInt8], Reply<Result<ListID, Failure>>)
    /// A claim has ended.
    case claimed
    /// A disk is better: what waits for this machine is tried at once.
    case relieve
    case stop

    func refuse() {
      switch self {
      case .look(_, let reply), .settle(let reply): reply.give(.stopped)
      case .again(_, _, let reply): reply.give(.failure(.cancelled))
      case .adopt, .claimed, .relieve, .stop: break
      }
    }
  }

  private let mailbox: Mailbox<Letter>
  private let reactor: Reactor
  private let loop: OnThread<InboxLoop>

  package init(
    path: String, state: any Folder, lists: any Folder, failed: any Folder, quarantine: Quarantine,
    rules: any IntakeRules, groups: any SyncGroups, clock: any Timekeeper, settings: InboxSettings
  ) throws(SystemError) {
    let mailbox = try Mailbox<Letter> { $0.refuse() }
    let alarm = try WakeEvent()
    let reactor = try Reactor()
    let parts = ClaimParts(
      lists: lists, failed: FailedFolder(folder: failed), quarantine: quarantine, rules: rules,
      groups: groups, clock: clock, settings: settings)
    FileLease.ignoreBreaks()
    // Removes leftovers only, so a failure does not matter. Must run before any claim.
    try? FreshName.sweep(failed)
    try? quarantine.sweep()
    try OwnThread.start("inbox") { _ = reactor.work() }
    loop = OnThread(reactor) {
      InboxLoop(path, state, parts, mailbox: mailbox, alarm: alarm, reactor: reactor)
    }
    self.mailbox = mailbox
    self.reactor = reactor
  }

  deinit { reactor.end() }

  /// Accepts lists until `stop`. The next start finishes interrupted claims.
  package func run() async {
    await loop.with { [loop] in await $0.run(loop) }
    mailbox.close()
  }

  /// An operator confirms that the path is the inbox: its folder is marked, unless it is on another file
  /// system than before.
  package func adopt() { mailbox.put(.adopt) }

  /// A disk is better: files that wait for this machine are tried at once.
  package func relieve() { mailbox.put(.relieve) }

  /// Reports one full sweep that begins after this call.
  package func look(for question: SweepQuestion = SweepQuestion()) async -> SweepReport {
    await Reply.wait { mailbox.put(.look(question, $0)) }
  }

  /// The same, after everything that the sweep started has ended.
  @discardableResult
  package func settled() async -> SweepReport {
    await Reply.wait { mailbox.put(.settle($0)) }
  }

  /// Makes a new list of the files of an earlier one, which it takes over from. Returns its number when
  /// `accepted` is durable.
  /// - Parameter stem: the name of the list without its ending; lists of one name become lists in turn.
  package func again(_ order: RepeatOrder, stem: [UInt8]) async throws(Failure) -> ListID {
    try await Reply.wait { mailbox.put(.again(order, stem: stem, $0)) }.get()
  }

  /// Cancels the running claims and starts no others; then `run` returns.
  package func stop() { mailbox.put(.stop) }
}
