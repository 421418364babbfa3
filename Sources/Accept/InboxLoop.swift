// SPDX-License-Identifier: Apache-2.0
// The inbox's thread: waits for the doorbell, sweeps, does what the state machine says. One sweep for
// every cause. Watch first, then sweep; drain first, then look: so nothing falls between.
// Confined to the thread "inbox".

internal import Linux
internal import Vocabulary

final class InboxLoop {
  private static let sweepGap: Duration = .milliseconds(20)
  /// How often a folder is looked at that cannot be watched.
  private static let unwatchedInterval: Duration = .seconds(5)
  private static let longestTrouble: Duration = .seconds(5)

  private let inbox: Inbox
  private let claim: Claim
  private let mounts: MountTable?
  private var folder: LinuxFolder
  private var doorbell: Doorbell?
  private var state: InboxState
  private var isRecovered = false
  private var trouble: Failure?
  private var troublePause: Duration = .seconds(1)
  private var claimTrouble: Failure?
  private var news = WaitNews()
  private var timer: (any Cancellable)?
  private var lastSweep: Duration?

  init(_ inbox: Inbox, _ folder: LinuxFolder) {
    self.inbox = inbox
    self.folder = folder
    state = InboxState(inbox.settings)
    // Without it a mount over the inbox is found by the safety sweep alone.
    mounts = try? MountTable()
    claim = Claim(
      inbox: folder, lists: inbox.lists, archive: inbox.archive,
      quarantine: inbox.quarantine, reception: inbox.reception,
      bridge: inbox.bridge, clock: inbox.clock, settings: inbox.settings)
  }

  func run() {
    while !inbox.isStopping {
      let waiters = inbox.takeSweeps()
      sweep()
      closeLists()
      if !waiters.isEmpty {
        let report = report()
        for waiter in waiters { waiter.resume(returning: report) }
      }
      arm()
      wait()
    }
    timer?.cancel()
    inbox.end()
  }

  private func sweep() {
    doorbell?.drain()
    do throws(Attempt) {
      try attach()
      if !isRecovered {
        _ = try Recovery(claim: claim).run()
        isRecovered = true
      }
      let entries = try look()
      say(softTrouble)
      let actions = state.swept(entries, at: inbox.clock.uptime())
      for item in news.forget(all: { state.waiting[$0] != nil }) { tell(item) }
      act(on: actions)
    } catch {
      if case .troubled(let failure) = error { say(failure) }
    }
    lastSweep = inbox.clock.uptime()
  }

  private static let replaced = Failure(
    .machine, code: "inbox.replaced",
    reason: "the inbox is another folder than before, and is used as it is")

  /// Told, but lists are seen nevertheless.
  private var softTrouble: Failure? { claimTrouble ?? watchTrouble }

  private var watchTrouble: Failure? {
    doorbell == nil
      ? Failure(
        .machine, code: "inbox.watch",
        reason: "the inbox cannot be watched; it is looked at every few seconds",
        advice: "Raise fs.inotify.max_user_watches or max_user_instances") : nil
  }

  /// Holds the folder that the path leads to now, and watches it.
  private func attach() throws(Attempt) {
    do throws(SystemError) {
      let there = try LinuxFolder.open(path: inbox.path)
      if try there.identity() != folder.identity() {
        say(Self.replaced)
        folder = there
        claim.inbox = there
        doorbell = nil
      }
    } catch {
      throw .troubled(
        Failure(
          .machine, code: "inbox.lost", reason: "the inbox cannot be opened: \(error)",
          advice: "Bring the folder back; running lists go on meanwhile"))
    }
    do throws(SystemError) {
      _ = try ClaimFolder(inbox: folder).ready()
      claimTrouble = nil
    } catch { claimTrouble = Claim.foreign(error) }
    if doorbell == nil { doorbell = try? Doorbell(folder) }
  }

  private func look() throws(Attempt) -> [InboxState.Entry] {
    do throws(SystemError) {
      return try InboxLook.entries(folder)
    } catch {
      throw .troubled(
        Failure(.machine, code: "inbox.read", reason: "the inbox cannot be read: \(error)"))
    }
  }

  /// Told once when trouble comes, once when it changes, once when it goes.
  private func say(_ failure: Failure?) {
    if failure == nil { troublePause = .seconds(1) }
    guard failure != trouble else { return }
    trouble = failure
    inbox.reception.inboxTroubled(failure)
  }

  private func act(on actions: [InboxState.Action]) {
    var left = actions[...]
    while let action = left.popFirst(), !inbox.isStopping {
      // What an action leads to comes before the other candidates.
      var next: InboxState.Action? = action
      while let action = next, !inbox.isStopping { next = perform(action).first }
      if case .probe(let candidate) = action {
        tell(news.look(candidate.key, state.waiting[candidate.key]))
      }
      closeLists()
    }
  }

  private func tell(_ item: WaitNews.Item?) {
    if let item { inbox.reception.waits(item.name, item.failure) }
  }

  /// Asked for meanwhile: a burst of arrivals does not keep the lists waiting that are over.
  private func closeLists() {
    for job in inbox.takeJobs() {
      do throws(Failure) {
        try inbox.archive.close(job.list, in: inbox.lists)
        job.done.resume(returning: .success(()))
      } catch { job.done.resume(returning: .failure(error)) }
    }
  }

  private func perform(_ action: InboxState.Action) -> [InboxState.Action] {
    switch action {
    case .probe(let candidate):
      let answer = claim.probe(candidate)
      return state.probed(candidate.key, answer, at: inbox.clock.uptime())
    case .attempt(let candidate, let proof):
      let attempt = claim.attempt(candidate, proof)
      return state.attempted(candidate.key, attempt, at: inbox.clock.uptime())
    case .reject(let candidate, let failure, let proof):
      let attempt = claim.reject(candidate, failure, proof)
      return state.attempted(candidate.key, attempt, at: inbox.clock.uptime())
    case .ignore(let name, let reason):
      inbox.reception.ignored(name, reason)
      return []
    }
  }

  private func report() -> SweepReport {
    var report = SweepReport(isTroubled: trouble != nil && trouble != softTrouble)
    report.ignored = state.ignored
    report.ignoredCount = state.ignoredCount
    report.waitingCount = state.waiting.count
    for file in state.waiting.values {
      switch file.phase {
      case .unreadable: report.unreadable += 1
      case .leftBehind: break
      default: report.candidates += 1
      }
      if report.waiting.count < SweepReport.maximumShown {
        report.waiting.append(SweepReport.Waiting(file))
      }
    }
    return report
  }

  /// One timer: the next look that somebody asked for, else the safety sweep.
  private func arm() {
    timer?.cancel()
    var pause = inbox.settings.rescanInterval
    if doorbell == nil { pause = min(pause, Self.unwatchedInterval) }
    if let next = state.nextLook(at: inbox.clock.uptime()) { pause = min(pause, next) }
    if trouble != nil, trouble != watchTrouble {
      pause = min(pause, troublePause)
      troublePause = min(troublePause * 2, Self.longestTrouble)
    }
    let bell = inbox.bell
    timer = inbox.clock.after(pause) { bell.ring() }
  }

  private func wait() {
    var watches = [Poll.Watch(inbox.bell.descriptor)]
    if let doorbell { watches.append(Poll.Watch(doorbell.descriptor)) }
    if let mounts { watches.append(Poll.Watch(mounts.descriptor, wantsPriority: true)) }
    let rung = try? Poll.wait(watches, for: nil)
    let isAsked = rung?.first?.isReadable ?? true
    // A burst of arrivals is worth one sweep, not one each; who asks is not kept waiting.
    if !isAsked, let lastSweep, inbox.clock.uptime() - lastSweep < Self.sweepGap {
      _ = try? Poll.wait([Poll.Watch(inbox.bell.descriptor)], for: Self.sweepGap)
    }
    inbox.bell.clear()
  }
}
