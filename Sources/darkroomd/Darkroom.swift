// SPDX-License-Identifier: Apache-2.0
// The daemon: makes its parts in the order in which each relies on the ones before, and takes them
// down in the other. Everything that the parts know of each other is said here.
// Concurrency model: the parts are made before any of them starts; `state` guards what changes after.

import Accept
import Catalog
import Chain
import Download
import Linux
import Output
import Record
import Report
import Steer
import Synchronization
import Transfer
import Vocabulary
import Worker

final class Darkroom: Sendable {
  private struct State {
    var isStopping = false
    /// The inbox has made sense of the folders of lists.
    var isSettled = false
    var control: ControlServer?
    /// The code of the trouble that people know of.
    var trouble: String?
    /// Lists that are over and on their way to `done`.
    var closing = 0
  }

  let places: Places
  let settings: LiveSettings
  let clock: any Timekeeper
  let reporter: Reporter
  let status: ServiceStatus
  let shelf: ListShelf
  let recorder: Recorder
  let transfers: TransferLoop
  let downloader: Downloader
  let workers: WorkerPool
  let runner: ChainRunner<any OpenFile, Negative>
  let teller: Teller
  let frontDesk: FrontDesk
  let inbox: Inbox
  let news = ListNews()
  let tally = RunTally()
  let reasons = RetryReasons()
  private let unsure = UnsureOriginals()
  private let times = StageTimes()
  let turnstile = Turnstile()
  let chores: OpenChores
  let space: SpaceWatch
  let started: UInt64
  let user = ThisProcess.user
  let ends: EndSignal
  private let pulses: LoopPulses
  private let source: ConfigurationSource
  let lane: WorkLane
  let retentionTimer = Mutex<(any Cancellable)?>(nil)
  private let state = Mutex(State())
  private let statusLine = Mutex(())
  private let reloading = Mutex(())

  // MARK: start

  init(
    _ places: Places, source: ConfigurationSource, settings: Settings, clock: any Timekeeper,
    reporter: Reporter, status: ServiceStatus, ends: EndSignal, pulses: LoopPulses
  ) throws(StartFailure) {
    self.places = places
    self.source = source
    self.settings = LiveSettings(settings)
    self.clock = clock
    self.reporter = reporter
    self.status = status
    self.ends = ends
    chores = OpenChores(clock: clock)
    self.pulses = pulses
    started = clock.wallTime()
    let live = self.settings
    let (news, tally) = (news, tally)
    let folders = try Self.open(places)
    shelf = ListShelf(folders)
    let recovery: Record.Recovery
    (recorder, recovery) = try Self.record(folders.state, clock, settings, ends)
    reporter.report(.journalReplayed(ReplayFacts(recovery)))
    let events = EventDesk()
    teller = Teller(
      reporter, recorder: recorder, clock: clock, news: news, settings: settings
    ) { events.progressed() }

    transfers = try Self.need("the transfers") { () throws(SystemError) in
      try TransferLoop(TransferSettings(settings))
    }
    let lane = try Self.need("the file lane") { () throws(SystemError) in try WorkLane("files") }
    self.lane = lane
    let partials = PartialShelf(folders.incoming, clock: clock)
    downloader = Downloader(
      network: transfers, partials: partials, cache: OriginalCache(folders.cache, clock: clock),
      settings: DownloadSettings(settings), files: try Self.files(settings),
      lane: { lane.run($0) })
    let words = SandboxWords()
    workers = try Self.need("the workers") { [teller] () throws(SystemError) in
      try WorkerPool(
        settings: WorkerSettings(
          path: ThisProcess.workerPath,
          width: settings.workerCount(processors: ThisProcess.processors)),
        pulse: pulses.workers
      ) { notice in
        words.note(notice, teller)
      }
    }
    let poison = PoisonPictures(
      quarantine: Quarantine(folders.quarantine), shelf: shelf, recorder: recorder, clock: clock,
      lane: lane)
    space = Self.space(folders, recorder, clock, live, downloader, events)
    let stages = PhotoStages(
      shelf: shelf, recorder: recorder, downloader: downloader, workers: workers, times: times,
      clock: clock, settings: live, teller: teller, poison: poison, unsure: unsure, space: space
    ) { events.abandon($0, $1) }
    let books = RecordedBooks(
      shelf: shelf, recorder: recorder, downloader: downloader, times: times, reasons: reasons,
      clock: clock, teller: teller, poison: poison)
    runner = ChainRunner(
      stages.functions, widths: StageQueues.Widths(settings), books: books, time: clock,
      policy: RetryPolicy(attempts: settings.attempts), hosts: HostLimits(settings)
    ) { events.take($0) }
    frontDesk = FrontDesk(
      shelf: shelf, recorder: recorder, workers: workers, settings: live, teller: teller,
      tally: tally, inboxPath: places.inbox, turnstile: turnstile
    ) { events.accepted($0) }
    inbox = try Self.inbox(places, folders, frontDesk, clock, settings)
    sandbox = words
    events.attach(self)
  }

  private let sandbox: SandboxWords
  var sandboxWords: String { sandbox.text }

  /// From here on lists are worked on and callers answered.
  func start() throws(StartFailure) {
    forgetRemovedLists()
    let open = recorder.ledger { $0.openLists }
    // All of them before any: two may share a folder until one takes the other over.
    for entry in open { prepare(entry) }
    space.look(isUrgent: true)
    for entry in open { launch(entry.id) }
    removeStrayOriginals()
    removeStrayPartials()
    let control: ControlServer
    do throws(Failure) {
      control = try ControlServer(
        path: places.control, version: Release.version, handler: ControlDesk(self), clock: clock,
        pulse: pulses.control)
    } catch {
      throw StartFailure(ExitCode.busy, "could not open the control socket: \(error.words)")
    }
    state.withLock { $0.control = control }
    control.start { [teller] in teller.tell(.machineTrouble($0, waits: "darkroomctl waits")) }
    state.withLock { $0.closing += 1 }
    archiveEndedLists()
    inbox.start()
    reporter.report(
      .ready(
        version: Release.version, inbox: places.inbox,
        openLists: UInt64(recorder.ledger { $0.open.lists })))
    tellStatus()
    status.ready()
  }

  private func prepare(_ entry: ListEntry) {
    tally.worked(on: entry.id)
    if let terms = shelf.card(entry.id)?.terms { shelf.notePrinter(entry.id, into: terms.prints) }
    try? shelf.room(entry.id).printFolder().sweep()
  }

  /// Hands a list to the chains. Where this machine is in the way, tries again until it is not.
  private func open(_ list: ListID) {
    guard let entry = recorder.ledger({ $0[list] }), !entry.state.isFinal else {
      _ = chores.isDone(.open(list))
      return
    }
    do throws(Failure) {
      let room = try shelf.room(list)
      let now = clock.wallTime()
      let uptime = clock.uptime()
      let waiting = entry.retries.map { number, plan in
        (number: number, due: uptime + .milliseconds(Int64(plan.wait(now: now))))
      }
      runner.add(
        room.id, Lineup(entry.acceptance.serviceClass, room.catalog, waiting: waiting),
        isPaused: entry.state == .paused)
    } catch {
      if error.kind == .final { return abandon(list, error) }
      let isNew = chores.add(.open(list), "list \(list) cannot be opened: \(error.reason)") {
        TaskHome.start { try? await self.turnstile.pass { self.open(list) } }
      }
      if isNew { teller.tell(.machineTrouble(error, waits: "list \(list) waits")) }
      return
    }
    if chores.isDone(.open(list)) {
      teller.tell(.machineRecovered(code: "what kept list \(list)", resumes: "it is worked on"))
    }
  }

  /// Its own files are gone or damaged: it waits for somebody, and nothing of it is marked failed.
  func abandon(_ list: ListID, _ failure: Failure) {
    if chores.abandon(list, "list \(list) cannot be opened: \(failure.reason)") {
      teller.tell(.machineTrouble(failure, waits: "list \(list) waits for somebody"))
    }
    runner.giveUp(list)
    ends.listChanged()
  }

  /// A list was accepted just now.
  func accepted(_ list: ListID) {
    if let terms = shelf.card(list)?.terms { shelf.notePrinter(list, into: terms.prints) }
    if let room = try? shelf.room(list) { teller.accepted(room) }
    space.look(isUrgent: true)
    launch(list)
  }

  /// Opens a list; one that revises another first takes over what that one has done.
  private func launch(_ list: ListID) {
    guard let terms = shelf.card(list)?.terms, let earlier = terms.revises else {
      return open(list)
    }
    beginClosing()
    TaskHome.start {
      await self.takeOver(earlier, terms.prints, by: list)
      try? await self.turnstile.pass { self.open(list) }
      self.endClosing()
    }
  }

  private func supersede(_ list: ListID) async throws(Failure) {
    guard recorder.ledger({ $0[list]?.state.isFinal }) == false else { return }
    do throws(Failure) { try await cancel(list) } catch {
      // Finished meanwhile.
      if error.code != Self.over.code { throw error }
    }
  }

  /// Earlier lists that print into the same folder are given up where they are still at work, and waited
  /// for. Trouble of this machine is waited out; a list that cannot be read is taken over from in nothing.
  private func takeOver(_ earlier: ListID, _ prints: FileName, by list: ListID) async {
    let revision = Revision(list: list, earlier: earlier, shelf: shelf, recorder: recorder)
    while !isStopping {
      do throws(Failure) {
        for other in recorder.ledger({ Array($0.lists.keys) }).sorted()
        where other < list && shelf.card(other)?.terms.prints == prints {
          try await supersede(other)
          await runner.idle(other)
        }
        if try await revision.carry() > 0, let room = try? shelf.look(list) {
          teller.progress(room)
        }
        _ = chores.isDone(.open(list))
        return
      } catch {
        if error.kind == .final || error.kind == .cancelled { return }
        let words = "list \(list) cannot take over yet: \(error.reason)"
        if chores.add(.open(list), words, again: {}) {
          teller.tell(.machineTrouble(error, waits: "list \(list) waits"))
        }
      }
      await rest(.seconds(5))
    }
  }

  /// Lists that were over when a crash came before their copy reached `done`. Their folders of prints
  /// keep their owners.
  private func archiveEndedLists() {
    let ended = recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }.map(\.id)
    }
    for list in ended {
      if let terms = shelf.card(list)?.terms { shelf.notePrinter(list, into: terms.prints) }
    }
    TaskHome.start {
      for list in ended.sorted() {
        let folder = try? self.shelf.folders.lists.folder(ListFolder.name(list), creating: false)
        let state = folder.flatMap { try? ListFolder.state(of: $0) }
        // A folder that is gone was told of when it was missed.
        if folder == nil || state == .archived {
          self.recorder.archived(list)
        } else {
          await self.archive(list)
        }
      }
      self.state.withLock { $0.closing -= 1 }
      self.ends.listChanged()
      // Its first sweep makes sense of the same folders.
      _ = await self.inbox.sweepNow()
      self.state.withLock { $0.isSettled = true }
      self.removeOldLists()
    }
  }

  /// Copies a list that is over to `done`; where this machine is in the way, again until it is not.
  private func archive(_ list: ListID) async {
    do throws(Failure) {
      let trouble = try await inbox.archive(list) { () throws(Failure) in
        try self.outcome(of: list)
      }
      if let trouble {
        teller.tell(.machineTrouble(trouble, waits: "list \(list) has no results in done"))
      }
      recorder.archived(list)
      if chores.isDone(.archive(list)) { ends.listChanged() }
    } catch {
      if error.kind == .cancelled { return }
      if error.kind == .final {
        // Nothing is left to copy, perhaps nothing to show.
        _ = chores.isDone(.archive(list))
        let isGone = (try? OldLists(shelf.folders.lists).isGone(list)) == true
        if isGone { recorder.forget(list) } else { recorder.archived(list) }
        teller.tell(.machineTrouble(error, waits: "list \(list) has no copy in done"))
        return ends.listChanged()
      }
      let words = "the copy of list \(list) in done waits: \(error.reason)"
      let isNew = chores.add(.archive(list), words) {
        TaskHome.start { await self.archive(list) }
      }
      if isNew {
        teller.tell(.machineTrouble(error, waits: "the copy of list \(list) in done waits"))
      }
    }
  }

  // MARK: stop

  /// Admits nothing more, cancels what runs, ends everything. Nothing is lost: what was recorded stays.
  func stop() async {
    // Not while a reload says that it is ready.
    let control = reloading.withLock { _ in
      status.stopping()
      return state.withLock { state in
        state.isStopping = true
        return state.control
      }
    }
    retentionTimer.withLock { $0?.cancel() }
    space.stop()
    let open = recorder.ledger { $0.open.lists }
    reporter.report(.stopping(openLists: UInt64(open)))
    control?.stop()
    news.changed(ListID(0))
    async let inboxEnd: Void = inbox.stop()
    await runner.stop()
    await inboxEnd
    workers.shutdown()
    await transfers.stop()
    lane.stop()
    await control?.stopped()
    await recorder.close()
    reporter.flush(within: .milliseconds(500))
  }

  var isClosing: Bool { state.withLock { $0.closing > 0 } }
  var isSettled: Bool { state.withLock { $0.isSettled } }
  var isStopping: Bool { state.withLock { $0.isStopping } }

  // MARK: what happens

  func take(_ event: ChainEvent) {
    switch event {
    case .trouble(let failure, _):
      // Once an incident, however many attempts meet it.
      let isNews = state.withLock { state in
        defer { state.trouble = failure.code }
        return state.trouble != failure.code
      }
      if isNews { teller.tell(.machineTrouble(failure, waits: "all work waits")) }
      tellStatus()
    case .recovered:
      state.withLock { $0.trouble = nil }
      teller.tell(.machineRecovered(code: "its trouble", resumes: "work goes on"))
      tellStatus()
    case .host(let news): teller.tell(Notice(news, now: clock.uptime()))
    case .finished(let list):
      beginClosing()
      TaskHome.start {
        await self.finished(list)
        self.endClosing()
      }
    }
  }

  /// A list is on its way to its end: --until-idle waits for it.
  func beginClosing() { state.withLock { $0.closing += 1 } }

  func endClosing() {
    state.withLock { $0.closing -= 1 }
    ends.listChanged()
  }

  private func finished(_ list: ListID) async {
    if let room = try? shelf.look(list) { teller.finished(room) }
    await close(list)
  }

  /// The list is over: its copy goes to `done`, its downloads go.
  func close(_ list: ListID) async {
    await archive(list)
    try? shelf.folders.removeOriginals(of: list)
    shelf.close(list)
    chores.forget(list)
    times.forget(list)
    reasons.forget(list)
    unsure.forget(list)
    teller.forget(list)
    lookAfterOldLists()
    tellStatus()
    ends.listChanged()
    removeStrayPartials()
    if recorder.ledger({ $0.open.lists == 0 }) { ThisProcess.returnMemory() }
  }

  /// The line that `systemctl status` shows. One at a time, so that the last word is the newest.
  func tellStatus() { statusLine.withLock { _ in tellStatusNow() } }

  private func tellStatusNow() {
    let open = recorder.ledger { $0.open }
    let words =
      open.lists == 0
      ? "Idle: every list is done."
      : "Working on \(open.lists) list\(open.lists == 1 ? "" : "s"), \(open.photos) photos to go."
    let failure = runner.counts().trouble ?? space.shortage
    let trouble =
      failure.map { "Waiting: \($0.reason). " }
      ?? frontDesk.inboxTrouble.map { "Inbox in trouble: \($0.reason). " } ?? ""
    status.set(trouble + words)
  }

  /// Returns after a while, without holding a thread.
  func rest(_ time: Duration) async {
    await withCheckedContinuation { continuation in
      _ = clock.after(time) { continuation.resume() }
    }
  }

  // MARK: reload

  /// Reads the settings again; those that take effect only at a restart are named in the answer.
  /// One at a time; nil while the daemon stops, which a `ready` after it would deny.
  func reload() throws(ConfigurationError) -> [String]? {
    let result = reloading.withLock { _ -> Result<[String]?, ConfigurationError> in
      do throws(ConfigurationError) { return .success(isStopping ? nil : try reloadNow()) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func reloadNow() throws(ConfigurationError) -> [String] {
    status.reloading()
    defer { status.ready() }
    let new: Settings
    do throws(ConfigurationError) { new = try source.read() } catch {
      teller.tell(
        .configurationRejected(
          Failure(.final, code: "configuration", reason: error.description)))
      throw error
    }
    let files: FileFolders
    do throws(StartFailure) { files = try Self.files(new) } catch {
      throw ConfigurationError(file: places.configuration, line: nil, problem: error.words)
    }
    let old = settings.replace(with: new)
    transfers.change(TransferSettings(new))
    downloader.change(DownloadSettings(new), files: files)
    workers.resize(to: new.workerCount(processors: ThisProcess.processors))
    runner.setWidths(StageQueues.Widths(new))
    inbox.adopt()
    runner.limitHosts(to: HostLimits(new))
    space.look(isUrgent: true)
    removeOldLists()
    let changes = SettingChanges(from: old, to: new)
    teller.tell(.configurationReloaded(changed: changes.all))
    return changes.waiting.map { "\($0) takes effect at the next start" }
  }
}
