// SPDX-License-Identifier: Apache-2.0
// The inbox's thread: waits for the doorbell, sweeps, does what the state machine says. One sweep for
// every cause; only where nothing but time has passed, the files whose time has come are looked at alone.
// Watch first, then sweep; drain first, then look: so nothing falls between. Confined to the thread "inbox".

internal import Linux
internal import Vocabulary

final class InboxLoop {
  private enum Look { case all, due, nothing }

  private static let sweepGap: Duration = .milliseconds(20)
  /// What rang so long before a sweep at most counts as seen then: a sweep of very many names takes time.
  private static let ringAge: Duration = .milliseconds(100)
  private static let longestTrouble: Duration = .seconds(5)

  private let inbox: Inbox
  private let door: InboxDoor
  private let mounts: MountTable?
  private var claim: Claim?
  private var state: InboxState
  private var isRecovered = false
  private var trouble: Failure?
  /// Why files wait that could be lists.
  private var queueTrouble: Failure?
  /// Nothing is known of what lies in the inbox.
  private var isBlind = false
  private var troublePause: Duration = .seconds(1)
  private var news = WaitNews()
  private var timer: (any Cancellable)?
  private var isTimerForDue = false
  private var lastSweep: Duration?
  /// When all of the folder was looked at last, or could not be.
  private var lastWhole = Duration.zero
  private var troubleWait: Duration?
  /// When the doorbell rang first since the last sweep.
  private var rangAt: Duration?
  private var mustSweep = false
  private var hasOverflowed = false

  init(_ inbox: Inbox) {
    self.inbox = inbox
    state = InboxState(inbox.settings)
    door = InboxDoor(path: inbox.path, state: inbox.state)
    // Without it a mount over the inbox is found by the safety sweep alone.
    mounts = try? MountTable()
  }

  func run() {
    var next = Look.all
    while !inbox.isStopping {
      let waiters = inbox.takeSweeps()
      if inbox.takeAsk() {
        door.ask()
        next = .all
      }
      if !waiters.isEmpty { next = .all }
      if next != .nothing { look(next) }
      closeLists()
      if !waiters.isEmpty {
        let report = report()
        for waiter in waiters { waiter.resume(returning: report) }
      }
      arm()
      next = wait()
    }
    timer?.cancel()
    claim?.clearLayout()
    inbox.end()
  }

  private func look(_ look: Look) {
    if heard() { mustSweep = true }
    let isWhole = look == .all || mustSweep
    do throws(Attempt) {
      let claim = try attach()
      if !isRecovered {
        _ = try Recovery(claim: claim).run()
        isRecovered = true
      }
      state.isClosed = door.intakeTrouble != nil || inbox.reception.fullness() != nil
      let actions = isWhole ? try sweep(claim) : try glance(claim)
      isBlind = false
      // What must be known before, and what is known only after.
      say(softTrouble)
      act(on: actions, claim)
      if let next = state.nextSettled, !state.isClosed, !inbox.isStopping {
        claim.prepare(for: next)
      } else {
        claim.clearLayout()
      }
      queueTrouble = state.isQueued ? inbox.reception.fullness() ?? queueTrouble : nil
      say(softTrouble)
    } catch {
      isBlind = true
      if case .troubled(let failure) = error { say(failure) }
    }
    door.rest()
    claim?.inbox = inbox.lists
    lastSweep = inbox.clock.uptime()
    if isWhole || isBlind { lastWhole = inbox.clock.uptime() }
    let isTroubled = isBlind || door.intakeTrouble != nil
    troubleWait = isTroubled ? troublePause : nil
    if isTroubled { troublePause = min(troublePause * 2, Self.longestTrouble) }
  }

  private func attach() throws(Attempt) -> Claim {
    do throws(Failure) {
      if try door.attach(at: inbox.clock.uptime()) {
        state.nature = door.nature
        inbox.reception.inboxSurveyed(door.nature, door.nature.words(inbox.settings))
      }
    } catch { throw .troubled(error) }
    guard let folder = door.folder else { throw .interrupted }
    let claim =
      claim
      ?? Claim(
        inbox: folder, lists: inbox.lists, archive: inbox.archive, quarantine: inbox.quarantine,
        reception: inbox.reception, bridge: inbox.bridge, clock: inbox.clock,
        settings: inbox.settings)
    claim.inbox = folder
    claim.trustsLeases = !door.nature.isShared
    self.claim = claim
    return claim
  }

  private func sweep(_ claim: Claim) throws(Attempt) -> [InboxState.Action] {
    mustSweep = false
    let start = inbox.clock.uptime()
    let seen = rangAt.map { max($0, start - Self.ringAge) } ?? start
    rangAt = nil
    let entries = try read { () throws(SystemError) in try InboxLook.entries(claim.inbox) }
    let actions = state.swept(entries, since: seen, at: inbox.clock.uptime())
    for item in news.forget(all: { state.waiting[$0] != nil }) { tell(item) }
    if hasOverflowed {
      hasOverflowed = false
      inbox.reception.inboxOverflowed(entries.count)
    }
    return actions
  }

  private func glance(_ claim: Claim) throws(Attempt) -> [InboxState.Action] {
    let keys = state.dueKeys(at: inbox.clock.uptime())
    let files = try read { () throws(SystemError) in
      try keys.map { key throws(SystemError) in
        (key: key, status: try InboxLook.status(key, claim.inbox))
      }
    }
    return state.glanced(files, at: inbox.clock.uptime())
  }

  private func read<Value>(_ act: () throws(SystemError) -> Value) throws(Attempt) -> Value {
    do throws(SystemError) { return try act() } catch {
      throw .troubled(InboxTrouble.unreadable(error))
    }
  }

  /// Told, but lists are seen nevertheless.
  private var softTrouble: Failure? { door.softTrouble ?? queueTrouble }

  /// Told once when trouble comes, once when it changes, once when it goes.
  private func say(_ failure: Failure?) {
    if failure == nil { troublePause = .seconds(1) }
    guard failure != trouble else { return }
    trouble = failure
    inbox.reception.inboxTroubled(failure)
  }

  private func act(on actions: [InboxState.Action], _ claim: Claim) {
    var left = actions[...]
    while let action = left.popFirst(), !inbox.isStopping {
      // What an action leads to comes before the other candidates.
      var next: InboxState.Action? = action
      while let action = next, !inbox.isStopping { next = perform(action, claim).first }
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

  private func perform(_ action: InboxState.Action, _ claim: Claim) -> [InboxState.Action] {
    switch action {
    case .probe(let candidate):
      // A list on its way out of the inbox goes on, however many there are: the claim tells it apart.
      let failure = claim.drops.isEmpty ? inbox.reception.fullness() : nil
      if let failure = door.intakeTrouble ?? failure {
        state.queued(candidate.key, failure)
        return []
      }
      let answer = claim.probe(candidate)
      return state.probed(candidate.key, answer, at: inbox.clock.uptime())
    case .attempt(let candidate, let proof):
      return settle(candidate, claim.attempt(candidate, proof))
    case .reject(let candidate, let failure, let proof):
      return settle(candidate, claim.reject(candidate, failure, proof))
    case .ignore(let name, let reason):
      inbox.reception.ignored(name, reason)
      return []
    }
  }

  private func settle(_ candidate: Candidate, _ attempt: Attempt) -> [InboxState.Action] {
    // A file may change without ringing: then its new status is not known yet.
    if attempt == .changed { mustSweep = true }
    return state.attempted(candidate.key, attempt, at: inbox.clock.uptime())
  }

  private func report() -> SweepReport {
    var report = SweepReport(isTroubled: isBlind)
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

  /// One timer: the next look that somebody asked for, else the safety sweep, which counts from the last
  /// whole look, whatever else was done since.
  private func arm() {
    let last = timer
    var pause = inbox.settings.rescanInterval
    if !door.isWatched || state.nature.isShared { pause = min(pause, InboxSettings.pollInterval) }
    if let troubleWait { pause = min(pause, troubleWait) }
    pause = max(.zero, lastWhole + pause - inbox.clock.uptime())
    isTimerForDue = false
    if let next = state.nextLook(at: inbox.clock.uptime()), next < pause {
      pause = next
      isTimerForDue = !isBlind
    }
    let alarm = inbox.alarm
    timer = inbox.clock.after(pause) { alarm.ring() }
    last?.cancel()
  }

  /// Returns once there is reason to look, with what has to be looked at.
  private func wait() -> Look {
    while true {
      var watches = [Poll.Watch(inbox.bell.descriptor), Poll.Watch(inbox.alarm.descriptor)]
      let mountPlace = mounts.map { mounts in
        watches.append(Poll.Watch(mounts.descriptor, wantsPriority: true))
        return watches.count - 1
      }
      if let bell = door.descriptor { watches.append(Poll.Watch(bell)) }
      let rung = (try? Poll.wait(watches, for: nil)) ?? watches
      let (isAsked, isTime) = (rung[0].isReadable, rung[1].isReadable)
      if isTime { inbox.alarm.clear() }
      let isMounted = mountPlace.map { rung[$0].isPriority } ?? false
      if isMounted { door.forgetWay() }
      let isRung = heard()
      if isAsked { inbox.bell.clear() }
      if isMounted || isRung {
        if !isAsked { calm() }
        return .all
      }
      if isTime { return isTimerForDue ? .due : .all }
      // Lists that are over ask for no look.
      if isAsked { return .nothing }
    }
  }

  /// Whether the doorbell has rung; it does so once for all that happened.
  private func heard() -> Bool {
    let rings = door.hear()
    if rings.isEmpty { return false }
    if rangAt == nil { rangAt = inbox.clock.uptime() }
    if rings.contains(.overflow) { hasOverflowed = true }
    return true
  }

  /// A burst of arrivals is worth one sweep, not one each; who asks is not kept waiting.
  private func calm() {
    guard let lastSweep else { return }
    let rest = lastSweep + Self.sweepGap - inbox.clock.uptime()
    guard rest > .zero else { return }
    _ = try? Poll.wait([Poll.Watch(inbox.bell.descriptor)], for: rest)
    inbox.bell.clear()
  }
}
