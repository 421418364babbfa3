// SPDX-License-Identifier: Apache-2.0
// The daemon: makes its parts, each from earlier ones, runs them side by side and stops them. `run` connects
// the events of the parts when all exist. `init` raises `StartFailure`.
// Concurrency: immutable. The loops of the parts are children of `run`, which returns after all loops. The
// operations of photos end with the chains, and the calls of users with the control socket; transfers,
// record, inbox and report have separate threads.

import Accept
import Chain
import Cluster
import Download
import Linux
import Record
import Report
import Return
import Steer
import Transfer
import Vocabulary
import Worker

final class Darkroom: Sendable {
  private let ground: Ground
  private let transfers: TransferLoop
  private let workers: WorkerPool
  private let photos: PhotoParts
  private let keeper: ListKeeper
  private let work: ListWork
  private let retention: ListRetention
  private let witness: NumberWitness
  private let intake: ListIntake
  private let inbox: Inbox
  private let reload: Reload
  private let calls: ControlCalls
  /// Nil if another process runs the hooks.
  private let hooks: HookThread?
  private let webhooks: Webhooks
  let idle: IdleWatch

  init(
    _ ground: Ground, _ source: ConfigurationFile, leavesHooks: Bool
  ) throws(StartFailure) {
    self.ground = ground
    let settings = ground.settings.current
    let (folders, recorder, clock) = (ground.folders, ground.recorder, ground.clock)
    let (notes, departures) = (PhotoNotes(), InboxDepartures())
    ground.health.set(settings.shares.shortage(settings), for: .openFiles)
    recorder.keep(lists: settings.inbox.listsPerUser)
    ground.health.set(settings.record.weakness, for: .unsynced)
    let webhooks = try Webhooks.make(ground)
    self.webhooks = webhooks
    let desk = try HookDesk.make(ground) { webhooks.added($0) }
    hooks = try leavesHooks ? nil : .make(ground, desk)
    transfers = try .make(settings)
    workers = try .make(settings)
    photos = PhotoParts(ground, network: transfers, workers: workers, notes: notes)
    keeper = ListKeeper(clock: clock, changes: ground.changes)
    retention = ListRetention(
      recorder, ground.index, folders, settings: ground.settings, ground.narrator, ground.health,
      clock: clock, grace: ground.grace, keeper: keeper)
    let sheets = ContactSheets(ground, workers: workers)
    witness = NumberWitness(folders.done)
    let cluster = try ClusterNode.make(
      ground, chains: photos.chains, keeper: keeper, witness: witness)
    work = ListWork(
      ground: ground, chains: photos.chains, notes: notes,
      returns: ReturnFolder(
        done: folders.done, failed: folders.failed, lists: folders.lists, groups: recorder,
        copies: ground.lists.copies),
      downloader: photos.downloader, retention: retention, hooks: desk, sheets: sheets,
      cluster: cluster)
    intake = ListIntake(
      ground: ground, claims: PrintClaims(folders), workers: workers, keeper: keeper,
      departures: departures, space: photos.space, witness: witness, hooks: desk, part: ground.part,
      isNode: cluster != nil, footing: ground.footing)
    inbox = try .make(ground, rules: intake)
    reload = Reload(source, ground.settings)
    let views = Views(
      ground: ground, chains: photos.chains, notes: notes, downloader: photos.downloader,
      inbox: inbox, departures: departures, started: clock.wallTime())
    calls = ControlCalls(
      views, PageCalls(views, in: folders.state), keeper: keeper,
      remover: ListRemover(
        recorder, ground.index, ground.lists, keeper, ground.narrator, ground.health, clock: clock,
        entries: cluster?.entries),
      sheets: sheets, reload: reload, narrator: ground.narrator, changes: ground.changes,
      stop: ground.stop,
      metrics: MetricsView(
        views: views, workers: workers, outbox: desk.webhooks, space: photos.space
      ).report, expiring: { [retention] in retention.expiring() },
      old: { [retention] age throws(Failure) in try retention.old(age) }, cluster: cluster)
    idle = IdleWatch(
      ground, inbox: inbox, keeper: keeper, departures: departures,
      hooks: leavesHooks ? nil : desk.outbox
    ) { await webhooks.areSettled() }
  }

  /// Nil for a machine that works alone.
  private var cluster: ClusterNode? { work.cluster }

  /// Reloads the settings; for SIGHUP. A part keeps those that it has begun with.
  func hangUp() { if ground.part == nil { reload.hangUp() } }

  // MARK: running

  /// Runs until `stop`. Opens the front desk, and reports READY=1, before it opens any list.
  /// - Parameter serving: the loop of the control socket.
  func run(
    _ control: ControlServer?, _ serving: Task<Void, Never>, behind desk: FrontDesk,
    on reactor: Reactor, untilIdle: Bool, of task: PartTask?,
    telling ends: Mailbox<Lifecycle.End>
  ) async {
    await withDiscardingTaskGroup { loops in
      // Both end by a letter. A cancelled loop could not tell a quiet socket from a ready one.
      loops.addTask { await serving.value }
      loops.addTask(executorPreference: reactor) { [workers, work] in
        await workers.run(on: reactor) { work.health.note($0) }
      }
      if desk.open(calls) { hangUp() }
      if ground.part == nil { ground.tellReady() }
      await runParts(untilIdle: untilIdle ? ends : nil, of: task) { await end(control) }
    }
    await ground.recorder.close()
    ground.reporter.flush(within: .seconds(2))
    ends.put(.stopped)
  }

  /// Runs the other parts until the daemon stops and `end` has ended them.
  private func runParts(
    untilIdle ends: Mailbox<Lifecycle.End>?, of task: PartTask?, _ end: () async -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        await work.health.run(ground.status, ground.recorder, work.index, on: ground.clock)
      }
      group.addTask { [self] in await runReload() }
      group.addTask(executorPreference: TaskHome.disk.executor) { [self] in
        await photos.chains.run { take($0) }
      }
      group.addTask { [self] in await photos.watchSpace(work.health, ground.recorder) }
      group.addTask { [self] in await watchRelief() }
      group.addTask { [self] in await watchNetwork() }
      group.addTask { [self] in await watchRecord() }
      group.addTask { [photos] in await photos.downloader.run() }
      group.addTask { [self] in await keeper.run(work) }
      group.addTask { [self] in await runLists() }
      group.addTask { [work] in await work.sheets.run() }
      group.addTask { [hooks] in await hooks?.run() }
      group.addTask { [webhooks] in await webhooks.run() }
      if let ends {
        group.addTask { [idle, task, work] in
          guard let code = await idle.run() else { return }
          ends.put(.idle(await onDisk { task?.end(code, work) ?? code }))
        }
      }
      await ground.stop.wait()
      await end()
      group.cancelAll()
    }
  }

  /// Stops the parts: admits nothing more and cancels running work. Nothing recorded is lost.
  private func end(_ control: ControlServer?) async {
    await tellMoved()
    ground.status.stopping()
    ground.tellStopping()
    control?.stop()
    reload.stop()
    keeper.stop()
    calls.remover.stop()
    inbox.stop()
    hooks?.stop()
    await webhooks.stop()
    await photos.chains.stop()
    await transfers.stop()
    photos.downloader.stop()
    workers.shutdown()
    cluster?.stop()
  }

  /// Continues the lists of earlier runs, then runs the inbox, then removes old lists.
  private func runLists() async {
    let (recorder, folders) = (ground.recorder, ground.folders)
    let (births, ended, removed, hidden) = await onDisk {
      // After the way back to one machine, the shares of the earlier node are in the record.
      let wasNode = (try? KnownLedger.read(in: folders.state)) != nil
      retention.forgetRemoved(isNode: cluster != nil || wasNode)
      try? work.returns.sweep()
      let entries = recorder.ledger { $0.lists.values.sorted { $0.id < $1.id } }
      work.index.load(entries.map(\.id), from: folders.lists)
      try? intake.sweepClaims()
      let removed = calls.remover.resume()
      let hidden = retention.resume()
      let ended = entries.filter { $0.state.isFinal }.map(\.id)
      let open = entries.filter { !$0.state.isFinal }.map(birth)
      let needed = open.flatMap { [$0.list] + work.index.predecessors(of: $0.list) }
      try? folders.removeOriginals(except: Set(needed))
      for list in Set(ended).subtracting(needed) { recorder.dropBequest(of: list) }
      for entry in entries {
        cluster?.restore(
          entry.id, isPending: (try? work.returns.isPending(entry.id)) ?? true)
      }
      return (open, ended, removed, hidden)
    }
    let lineage = await LineageCheck(
      state: folders.state, witness: witness, recorder: recorder, clock: ground.clock,
      narrator: work.narrator
    ).settle()
    for birth in births {
      keeper.begin(birth)
      // Other nodes have it when its lease is over.
      if birth.isShare, cluster == nil { keeper.happened(.asked(.cancel, .ledger), to: birth.list) }
    }
    if births.isEmpty { photos.downloader.discardPartials() }
    await returnEnded(ended)
    async let removals: Void = calls.remover.run(removed)
    async let witnessEnd: Void = keepWitness(lineage)
    async let inboxEnd: Void = inbox.run()
    await inbox.settled()
    async let nodeEnd: Void = runNode()
    await retention.run(hidden)
    await removals
    await inboxEnd
    await nodeEnd
    await witnessEnd
    if let lineage { await witness.flush(as: lineage) }
  }

  private func runNode() async { await cluster?.run() }

  private func keepWitness(_ lineage: String?) async {
    if let lineage { await witness.run(as: lineage, on: ground.clock) }
  }

  /// Returns lists that had ended when a crash prevented their copy in `done`.
  private func returnEnded(_ ended: [ListID]) async {
    let left = await onDisk {
      ended.filter { list in
        // The keeper tries again where the folder, or the name, cannot be read now.
        if work.isPending(list) { return true }
        ground.recorder.archived(list)
        return !work.hasName(list)
      }
    }
    for entry in left.compactMap({ list in ground.recorder.ledger { $0[list] } }) {
      keeper.begin(birth(entry))
    }
  }

  private func birth(_ entry: ListEntry) -> ListLives.Birth {
    ListLives.Birth(entry, work.index[entry.id])
  }

  /// A disk that is better ends the pauses of what waits for it.
  private func watchRelief() async {
    let watch = ReliefWatch(
      rooms: { [ground] in ground.places.rooms(withInbox: true) }, clock: ground.clock,
      changes: ground.changes)
    await watch.run(isTroubled: { work.health.health.waitsForDisk }) {
      photos.chains.relieve()
      keeper.relieve()
      inbox.relieve()
    }
  }

  /// Lists that wait for a network go on as soon as there is one.
  private func watchNetwork() async {
    let watch = NetworkWatch(
      hasNetwork: { DialSocket.hasNetwork }, clock: ground.clock, changes: ground.changes)
    await watch.run(isTroubled: { work.health.health.waitsForNetwork }) {
      photos.chains.reconnected()
    }
  }

  /// A clock that is set rings no bell, and nor does a folder of the record that a person moves; the inbox reports the folder
  /// and closes.
  private func watchRecord() async {
    while !Task.isCancelled {
      await ground.clock.rest(.seconds(60))
      retention.noteClock()
      let moved = await onDisk {
        ground.folders.look()
        return ground.footing.held.trouble
      }
      if moved != nil { inbox.relieve() }
    }
  }

  /// The last moment in which it can be moved back.
  private func tellMoved() async {
    let moved = await onDisk { ground.footing.held.trouble }
    guard let moved, work.health.health[.inbox]?.code != moved.code else { return }
    work.health.report(moved, waits: "no start knows the lists in it")
  }

  private func runReload() async {
    await reload.run(
      ground.status, work.health, telling: { work.narrator.tell($0) },
      forecast: { [retention] in retention.forecast($1.record, after: $0.record) },
      secrets: { [cluster] settings throws(Failure) in
        try cluster?.renewPassword(settings.cluster) ?? []
      },
      [
        { [transfers] in transfers.change(TransferSettings($0)) },
        { [webhooks] in webhooks.change($0) },
        { [photos] in photos.apply($0) },
        { [workers] in workers.resize(to: $0.workerCount) },
        { [work] in work.health.set($0.shares.shortage($0), for: .openFiles) },
        { [inbox] _ in inbox.adopt() },
        { [ground] in ground.recorder.keep(lists: $0.inbox.listsPerUser) },
        { [retention] _ in retention.look() },
      ])
  }

  // MARK: events of the chains

  private func take(_ event: ChainEvent) {
    switch event {
    case .troubled(let failure): work.health.set(failure, for: .work)
    case .recovered(let isProven):
      work.health.worked(isProven: isProven, isNode: cluster != nil)
    case .proxyTroubled(let failure): work.health.set(failure, for: .proxy)
    case .proxyRecovered: work.health.set(nil, for: .proxy)
    case .listTroubled(let list, let failure): keeper.happened(.troubled(failure), to: list)
    case .listRecovered(let list): keeper.happened(.troubled(nil), to: list)
    case .unreadable(let list, let failure): keeper.happened(.unreadable(failure), to: list)
    case .done(let list): keeper.happened(.photosDone, to: list)
    case .seatsWanted: cluster?.shares.wantSeats()
    case .host(let news): work.narrator.tell(.host(news, now: ground.clock.uptime()))
    }
  }
}
