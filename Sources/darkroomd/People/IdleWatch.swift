// SPDX-License-Identifier: Apache-2.0
// --until-idle: ends the daemon when a full sweep of the inbox finds no file that may become a list, every list is
// settled (over, paused or damaged), no hook is left to run, and each webhook has been tried. A list that waits for
// this machine is not settled. Raises nothing.
// Concurrency: immutable; one task runs it.

import Accept
import Linux
import Record
import Return
import Vocabulary

struct IdleWatch: OnGround {
  private static let pause = Duration.seconds(1)

  let ground: Ground
  let inbox: Inbox
  let keeper: ListKeeper
  let departures: InboxDepartures
  /// Nil if another process runs the hooks.
  let hooks: HookOutbox?
  /// A server that does not answer would keep the daemon for a day: each webhook is tried once.
  let areWebhooksTried: @Sendable () async -> Bool
  /// The lists that were open at the start, and the first number after it.
  let openAtStart: Set<ListID>
  let firstNew: ListID

  init(
    _ ground: Ground, inbox: Inbox, keeper: ListKeeper, departures: InboxDepartures,
    hooks: HookOutbox? = nil, areWebhooksTried: @escaping @Sendable () async -> Bool
  ) {
    self.ground = ground
    self.inbox = inbox
    self.keeper = keeper
    self.departures = departures
    self.hooks = hooks
    self.areWebhooksTried = areWebhooksTried
    (openAtStart, firstNew) = ground.recorder.ledger { (Set($0.openLists.map(\.id)), $0.nextList) }
  }

  /// Returns the exit code, or nil if the daemon stops first.
  func run() async -> Int32? {
    while !Task.isCancelled {
      let seen = changes.version
      let report = await inbox.settled()
      if report.isStopped { return nil }
      // First the inbox, then the lists: a list that has left the inbox has a life.
      guard let lives = await keeper.lives() else { return nil }
      guard report.isEmpty, lives.isSettled else {
        await changes.change(after: seen)
        continue
      }
      do throws(SystemError) {
        if try await areHooksDone(), await areWebhooksTried() {
          return exitCode(helpless: report.helpless)
        }
        await changes.change(after: seen)
      } catch {
        // Nothing tells when the folder can be read again.
        await changes.change(after: seen, within: Self.pause, on: clock)
      }
    }
    return nil
  }

  private func areHooksDone() async throws(SystemError) -> Bool {
    guard let hooks else { return true }
    return try await onDisk { () throws(SystemError) in try hooks.keys().isEmpty }
  }

  /// 0: every photo is filtered. 3: a photo failed or a file was rejected. 4: a list or a file waits.
  private func exitCode(helpless: Int) -> Int32 {
    let entries = recorder.ledger { ledger in
      ledger.lists.values.filter { $0.id >= firstNew || openAtStart.contains($0.id) }
        .map { (failed: $0.counts.failed, state: $0.state) }
    }
    if departures.rejected > 0 || entries.contains(where: { $0.failed > 0 }) { return 3 }
    let waits = helpless > 0 || health.health.waitingLists > 0
    return waits || entries.contains(where: { $0.state == .paused })
      ? ExitCode.attention : ExitCode.done
  }
}
