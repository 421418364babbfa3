// SPDX-License-Identifier: Apache-2.0
// Runs the inbox: waits for the doorbell, sweeps, and performs the actions of the state machine. Every event
// leads to a full sweep; a timer for due files leads to a look at those alone. Nothing is missed: watches are
// set before a sweep, and events are drained before a look. Claims interleave with the loop where they await.
// Confined to the thread "inbox". Raises nothing: trouble is reported as news.

internal import Linux
internal import Vocabulary

final class InboxLoop {
  private enum Look { case all, due, nothing }

  private let mailbox: Mailbox<Inbox.Letter>
  /// The clock rings it.
  private let alarm: WakeEvent
  private let reactor: Reactor
  private let door: InboxDoor
  private let mounts: MountTable?
  private let memory: ClaimMemory
  private var state: InboxState
  private var queue: ClaimQueue
  private var times = InboxTimes()
  private var trouble = InboxMood()
  private var timer: (any Cancellable)?
  private var isTimerForDue = false
  private var isRecovered = false
  private var mustSweep = false
  private var replies = InboxReplies()

  private var parts: ClaimParts { memory.parts }

  init(
    _ path: String, _ folder: any Folder, _ parts: ClaimParts, mailbox: Mailbox<Inbox.Letter>,
    alarm: WakeEvent, reactor: Reactor
  ) {
    self.mailbox = mailbox
    self.alarm = alarm
    self.reactor = reactor
    memory = ClaimMemory(parts)
    state = InboxState(parts.settings)
    queue = ClaimQueue(most: parts.settings.claims) { [rules = parts.rules] in
      rules.folderKey(of: $0)
    }
    door = InboxDoor(path: path, state: folder)
    // Without it only the safety sweep finds a mount over the inbox.
    mounts = try? MountTable()
  }

  /// Runs until a stop letter; then cancels the running claims and waits for them.
  func run(_ home: OnThread<InboxLoop>) async {
    await withDiscardingTaskGroup { group in
      var next = Look.all
      while let letters = read() {
        if letters { next = .all }
        if next != .nothing { await look(next) }
        queueRepeats()
        queueRolls()
        while let task = queue.next(unless: memory.ahead.reading) {
          begin(task)
          group.addTask { await home.with { await $0.perform(task) } }
        }
        if next != .nothing, let candidate = await fileToReadAhead(),
          let staged = await memory.ahead.begin(candidate, memory)
        {
          group.addTask { await home.with { await $0.readAhead(candidate, staged) } }
        }
        answer()
        if isIdle { door.rest() }
        arm()
        next = await wait()
      }
      group.cancelAll()
    }
    timer?.cancel()
    await memory.ahead.clear(memory)
    door.leave()
    replies.stop()
  }

  /// True if a full sweep is due; nil after a stop letter.
  private func read() -> Bool? {
    var (isAsked, isStopped) = (false, false)
    for letter in mailbox.takeAll() {
      switch letter {
      case .adopt: door.ask()
      case .look(let question, let reply): replies.look.append((question, reply))
      case .settle(let reply): replies.settle.append(reply)
      case .claimed: continue
      case .relieve:
        state.relieve(at: parts.clock.uptime())
        times.relieve()
      case .again(let order, let stem, let reply):
        replies.again.append((order, stem, reply))
        continue
      // Later letters of the same batch still get an answer.
      case .stop: isStopped = true
      }
      isAsked = true
    }
    return isStopped ? nil : isAsked || mustSweep
  }

  // MARK: looking

  private func look(_ look: Look) async {
    if heard() { mustSweep = true }
    let isWhole = look == .all || mustSweep
    let before = state.waiting
    if isWhole { memory.discardLeftovers() }
    do throws(Attempt) {
      let claim = try await attach()
      if !isRecovered {
        try await InboxRecovery(claim: claim).run()
        isRecovered = true
      }
      close()
      let actions = isWhole ? try sweep(claim.inbox) : try glance(claim.inbox)
      trouble.isBlind = false
      // Report before the actions, and again after them: they may change the trouble.
      say()
      for action in actions { perform(action, claim) }
      if noteRoom() { mailbox.put(.claimed) }
      noteQueue()
      say()
    } catch {
      trouble.isBlind = true
      if case .troubled(let failure) = error { say(failure) }
    }
    times.looked(
      at: parts.clock.uptime(), isWhole: isWhole || trouble.isBlind, isTroubled: isClosed)
    if before != state.waiting { parts.rules.tell(.changed(state.counts)) }
  }

  private func attach() async throws(Attempt) -> Claim {
    guard let standing = await parts.rules.standing() else { throw .interrupted }
    trouble.standing = standing
    door.note(record: trouble.standing.record)
    do throws(Failure) {
      if try door.attach(at: parts.clock.uptime()) {
        state.nature = door.nature
        parts.rules.tell(.surveyed(door.nature, door.nature.words(parts.settings)))
      }
    } catch { throw .troubled(error) }
    guard door.folder != nil else { throw .interrupted }
    return claim()
  }

  /// A claim in the held folder. Without one it works in STATE/lists, where it finds no file.
  private func claim() -> Claim {
    Claim(
      memory: memory, inbox: door.folder ?? parts.lists, trustsLeases: !door.nature.isShared)
  }

  /// True if nothing needs the inbox before the next look: it is closed then, and can be unmounted.
  private var isIdle: Bool {
    queue.isEmpty && memory.ahead.reading == nil && state.nextSettled == nil
  }

  /// Finds out for whom the inbox is closed, and returns why, by user.
  @discardableResult
  private func close() -> [UInt32: Failure] {
    let reasons = state.queuedUsers.reduce(into: [UInt32: Failure]()) { reasons, user in
      reasons[user] = fullness(for: user)
    }
    state.closure =
      door.intakeTrouble != nil
      ? .all
      : reasons.isEmpty ? .none : .users(Set(reasons.keys))
    state.isHeldForLong =
      door.intakeTrouble == nil && reasons.values.allSatisfy { $0.kind == .final }
    return reasons
  }

  /// A limit of one user concerns that user alone, and not the inbox.
  private func noteQueue() {
    let reasons = close()
    let own = reasons.filter { $0.value.kind == .final }
    let first = reasons.filter { own[$0.key] == nil }.min { $0.key < $1.key }?.value
    trouble.queue = state.isQueued ? first ?? (own.isEmpty ? trouble.queue : nil) : nil
    tell(own)
  }

  /// By the last look: a claim asks again.
  private func fullness(for user: UInt32) -> Failure? {
    parts.rules.fullness(for: user, besides: memory.entering, adding: 0, on: trouble.standing)
  }

  private func sweep(_ inbox: any Folder) throws(Attempt) -> [InboxState.Action] {
    mustSweep = false
    let seen = times.sweeps(at: parts.clock.uptime())
    var look = memory.look(at: inbox)
    look.ignored = state.ignoredNames
    let start = parts.clock.uptime()
    state.beginWalks(rung: door.takeRung(), at: start)
    let sight = try read { () throws(SystemError) in try look.sight(&state.walks, at: start) }
    let entries = sight.entries
    door.listen(
      inside: entries.filter { $0.key.place == .inbox && $0.status?.kind == .folder }.map(
        \.key.name))
    let actions = state.swept(
      entries, passed: sight.passed, since: seen, at: parts.clock.uptime())
    for item in trouble.news.forget(all: { state.waiting[$0] != nil }) { tell(item) }
    if trouble.hasOverflowed {
      trouble.hasOverflowed = false
      parts.rules.tell(.overflowed(sight.count))
    }
    return actions
  }

  private func glance(_ inbox: any Folder) throws(Attempt) -> [InboxState.Action] {
    let start = parts.clock.uptime()
    let look = memory.look(at: inbox)
    var files: [(key: Candidate.Key, entry: InboxState.Entry?)] = []
    for key in state.dueKeys(at: start) where state.admitsWalk(of: key, at: start) {
      let entry = try read { () throws(SystemError) in try look.entry(key) }
      if let entry { state.walked(entry, at: start) }
      // It leaves its place: the sweep that follows tells.
      if entry?.isCovered == true { sweepNext() }
      files.append((key, entry))
    }
    return state.glanced(files, at: parts.clock.uptime())
  }

  private func sweepNext() {
    mustSweep = true
    mailbox.put(.claimed)
  }

  private func read<Value>(_ act: () throws(SystemError) -> Value) throws(Attempt) -> Value {
    do throws(SystemError) { return try act() } catch {
      throw .troubled(InboxTrouble.unreadable(error))
    }
  }

  /// Reports trouble that leaves the inbox readable.
  private func say() { say(door.softTrouble ?? trouble.queue) }

  /// Reports trouble once when it comes, when it changes and when it goes.
  private func say(_ failure: Failure?) {
    if failure == nil { times.recovered() }
    guard failure != trouble.told || isClosed != trouble.wasClosed else { return }
    (trouble.told, trouble.wasClosed) = (failure, isClosed)
    parts.rules.tell(.troubled(failure, isClosed: isClosed))
  }

  /// A file in the inbox is not seen, or cannot become a list.
  private var isClosed: Bool { trouble.isBlind || door.intakeTrouble != nil }

  /// Reports whose files wait because of a limit, once when it comes and when it goes.
  /// - Parameter full: the users of whom no more lists are kept.
  private func tell(_ full: [UInt32: Failure]) {
    let crowd = state.crowd.union(full.keys.map { .lists($0) })
    for over in trouble.crowd.subtracting(crowd).sorted() { parts.rules.tell(.crowded(over, nil)) }
    for new in crowd.subtracting(trouble.crowd).sorted() {
      let limits = parts.settings.waiting
      let failure =
        switch new {
        case .everyone: InboxTrouble.crowded(nil, limits)
        case .user(let user): InboxTrouble.crowded(user, limits)
        case .lists(let user): full[user]
        }
      parts.rules.tell(.crowded(new, failure))
    }
    trouble.crowd = crowd
  }

  /// Enough places are free again: the next look is a sweep, which takes up the files without one.
  private func noteRoom() -> Bool {
    if state.hasRoom { mustSweep = true }
    return state.hasRoom
  }

  private func tell(_ item: WaitNews.Item?) {
    if let item { parts.rules.tell(.waits(item.name, item.failure)) }
  }

  // MARK: acting

  private func perform(_ action: InboxState.Action, _ claim: Claim) {
    switch action {
    case .probe(let candidate):
      // A full daemon still finishes lists that leave the inbox: the claim recognises them.
      let failure = memory.drops.isEmpty ? fullness(for: candidate.status.owner) : nil
      if let failure = door.intakeTrouble ?? failure {
        state.queued(candidate.key, failure)
      } else {
        let answer = state.takeFinding(candidate.key) ?? claim.probe(candidate)
        let next = state.probed(candidate.key, answer, at: parts.clock.uptime())
        for action in next { perform(action, claim) }
      }
      tell(trouble.news.look(candidate.key, state.waiting[candidate.key]))
    case .attempt(let candidate, let proof): queue.add(.attempt(candidate, proof))
    case .reject(let candidate, let failure, let proof):
      queue.add(.reject(candidate, failure, proof))
    case .ignore(let name, let reason): parts.rules.tell(.ignored(name, reason))
    }
  }

  private func begin(_ task: ClaimQueue.Task) {
    guard let candidate = task.candidate else { return }
    state.began(candidate.key)
    // A short list is not seen to wait.
    if candidate.isRoll || candidate.status.size > ReadAhead.longest {
      parts.rules.tell(.changed(state.counts))
    }
  }

  private func perform(_ task: ClaimQueue.Task) async {
    let claim = claim()
    switch task {
    case .attempt(let candidate, let proof):
      let end = await claim.attempt(candidate, proof)
      ended(task, candidate, end, claim)
    case .reject(let candidate, let failure, let proof):
      ended(task, candidate, await claim.reject(candidate, failure, proof), claim)
    case .again(let order, _):
      let reply = replies.takeAgain(order)
      do throws(Failure) {
        reply?.give(.success(try await Repetition(claim: claim).run(order)))
      } catch { reply?.give(.failure(error)) }
      queue.ended(task)
      mailbox.put(.claimed)
    case .finishRolls(let owner): await finishRolls(of: owner)
    }
  }

  private func ended(
    _ task: ClaimQueue.Task, _ candidate: Candidate, _ end: Attempt, _ claim: Claim
  ) {
    queue.ended(task)
    // A change may not ring, and the new status of a changed file is not known yet.
    if end == .changed || state.hasChanged(candidate.key) { mustSweep = true }
    // A folder may have more, and its removal does not ring.
    if candidate.isRoll, case .accepted = end { mustSweep = true }
    for action in state.attempted(candidate.key, end, at: parts.clock.uptime()) {
      perform(action, claim)
    }
    _ = noteRoom()
    // Of pictures in the inbox itself some may have stayed, for the same reason as before: the sweep tells.
    if !candidate.isLoose || !mustSweep {
      tell(trouble.news.look(candidate.key, state.waiting[candidate.key]))
    }
    parts.rules.tell(.changed(state.counts))
    mailbox.put(.claimed)
  }

  /// Lists to be made of earlier ones. Nothing is staged before the recovery, which removes what it finds.
  private func queueRepeats() {
    if isRecovered {
      for (order, stem) in replies.askedAgain() { queue.add(.again(order, stem: stem)) }
    } else if trouble.isBlind {
      replies.refuseAgain(trouble.told ?? .cancelled)
    }
  }

  private func queueRolls() {
    let now = parts.clock.uptime()
    for owner in unfinishedOwners.sorted() where now >= times.rolls.due(of: owner) {
      queue.add(.finishRolls(of: owner))
    }
  }

  /// With unfinished rolls for which no task runs or waits.
  private var unfinishedOwners: Set<UInt32> {
    if !isRecovered || trouble.isBlind || memory.rolls.isEmpty { return [] }
    return Set(memory.rolls.values.map(\.owner)).subtracting(queue.rollOwners)
  }

  private func finishRolls(of owner: UInt32) async {
    let isDone = await RollClaim(claim: claim()).finishAll(of: owner)
    times.rolls.tried(owner, isDone: isDone, at: parts.clock.uptime())
    mustSweep = true
    queue.ended(.finishRolls(of: owner))
    mailbox.put(.claimed)
  }

  /// The file to read ahead: too young to be tried, and the next in order.
  private func fileToReadAhead() async -> Candidate? {
    guard memory.ahead.reading == nil else { return nil }
    let next =
      isClosed
      ? nil
      : state.nextSettled.flatMap { next in
        fullness(for: next.status.owner) == nil ? next : nil
      }
    // A claim that has not begun yet may take it.
    if next == nil, queue.isEmpty { await memory.ahead.clear(memory) }
    return next
  }

  private func readAhead(_ candidate: Candidate, _ staged: StagedList) async {
    await memory.ahead.run(candidate, staged, claim())
    mailbox.put(.claimed)
  }

  // MARK: answering

  private func answer() {
    guard replies.isAwaited else { return }
    let isSeen = trouble.isBlind || !mustSweep
    replies.answer(isSettled: isSeen && queue.isEmpty && memory.ahead.reading == nil, report)
  }

  private func report(_ question: SweepQuestion) -> SweepReport {
    var report = state.report(
      question, rolls: memory.rolls.count, at: parts.clock.uptime())
    report.isTroubled = trouble.isBlind
    return report
  }

  // MARK: waiting

  /// Sets the one timer: for the next due file, otherwise for the safety sweep.
  private func arm() {
    let last = timer
    let now = parts.clock.uptime()
    var interval = parts.settings.rescanInterval
    if !door.isWatched || state.nature.isShared {
      interval = min(interval, InboxSettings.pollInterval)
    }
    var pause = times.pause(of: interval, at: now)
    isTimerForDue = false
    for owner in unfinishedOwners {
      pause = min(pause, max(.zero, times.rolls.due(of: owner) - now))
    }
    // A blind inbox cannot try a file that is due: it would try at once, again and again.
    if !trouble.isBlind, let next = state.nextLook(at: now), next < pause {
      pause = next
      isTimerForDue = true
    }
    let alarm = alarm
    timer = parts.clock.after(pause) { alarm.ring() }
    last?.cancel()
  }

  /// Waits until there is a reason to look; returns how much to look at.
  private func wait() async -> Look {
    var watches = [Poll.Watch(mailbox.descriptor), Poll.Watch(alarm.descriptor)]
    let mountPlace = mounts.map { mounts in
      watches.append(Poll.Watch(mounts.descriptor, wantsPriority: true))
      return watches.count - 1
    }
    if let bell = door.descriptor { watches.append(Poll.Watch(bell)) }
    let rung = await reactor.ready(watches)
    if rung[1].isReadable { alarm.clear() }
    let isMounted = mountPlace.map { rung[$0].isPriority } ?? false
    if isMounted { door.forgetWay() }
    if heard() || isMounted {
      // One sweep serves a burst of arrivals. A letter ends the wait.
      if !rung[0].isReadable, let rest = times.calm(at: parts.clock.uptime()) {
        _ = await reactor.ready([Poll.Watch(mailbox.descriptor)], for: rest)
      }
      return .all
    }
    if rung[1].isReadable { return isTimerForDue ? .due : .all }
    // For letters, `read` decides.
    return .nothing
  }

  /// True if the doorbell rang; one ring stands for any number of events.
  private func heard() -> Bool {
    let rings = door.hear()
    if rings.isEmpty { return false }
    times.rang(at: parts.clock.uptime())
    if rings.contains(.overflow) { trouble.hasOverflowed = true }
    return true
  }
}

/// The trouble of the inbox, and how much of it was reported.
private struct InboxMood {
  var standing = IntakeStanding()
  /// Reported last.
  var told: Failure?
  var wasClosed = false
  /// Why possible lists wait.
  var queue: Failure?
  /// The contents of the inbox are unknown.
  var isBlind = false
  var hasOverflowed = false
  /// Reported last.
  var crowd: Set<InboxCrowd> = []
  var news = WaitNews()
}
