// SPDX-License-Identifier: Apache-2.0
// Makes transfers, workers and the inbox from settings; looks at the folders of FileFolders=. Raises
// `StartFailure`. Without state.

import Accept
import Linux
import Return
import Transfer
import Vocabulary
import Worker

extension Settings {
  /// The connections and workers for which the process may open files.
  var connections: Int { min(download.connections, shares.downloads) }
  var workerCount: Int { min(filter.wantedWorkers, shares.workers) }
}

extension Settings {
  var userAgent: String {
    "darkroom/\(Release.version)" + (network.contact.isEmpty ? "" : " (+\(network.contact))")
  }
}

extension Settings.Filter {
  var wantedWorkers: Int { workers ?? ThisProcess.processors }
}

extension Settings.Download {
  private static let patience = Duration.seconds(5)

  /// The folders of FileFolders= that cannot be opened now or are empty, for people. Their photos wait; so do photos of a
  /// folder that does not answer.
  var fileFolderNotes: [String] {
    fileFolders.compactMap { path in
      let found = withPatience(Self.patience) {
        Result { () throws(SystemError) in try LinuxFolder.open(path: path).isEmpty() }
      }
      let folder = "the folder \(Printable.text(path)) of FileFolders="
      return switch found {
      case .failure(let error):
        "\(folder) cannot be opened: \(error.words); its photos wait until it can"
      case .success(true): "\(folder) is empty; its photos wait until there is something in it"
      case .success(false), nil: nil
      }
    }
  }
}

extension Settings.Record {
  /// The risk that the settings take, until the next start; nil for none.
  var weakness: Failure? {
    sync
      ? nil
      : Failure(
        .machine, code: "record.unsynced",
        reason:
          "Sync=no, so a power cut may lose lists that were accepted and photos that were reported",
        advice: "Set Sync=yes under [Record], and restart darkroomd")
  }
}

extension Settings {
  /// For people, at a start, a check and a reload. Waits for the folders.
  var notes: [String] { download.fileFolderNotes + [record.weakness?.words].compactMap(\.self) }
}

extension TransferSettings {
  init(_ settings: Settings) {
    let download = settings.download
    self.init(
      connections: settings.connections, connectionsPerHost: download.connectionsPerHost,
      rules: AddressRules(allowed: download.allowNetworks, denied: download.denyNetworks),
      slowestTime: download.stallTimeout,
      userAgent: settings.userAgent)
    route(settings)
    keptConnections = min(settings.connections / 4, 8)
  }
}

extension TransferSettings {
  private mutating func route(_ settings: Settings) {
    route = settings.network.route
    login = settings.networkFiles.login
    ownAuthorities = settings.networkFiles.authorities
  }

  /// For webhooks. The administrator chose their servers: every address is allowed.
  static func webhooks(_ settings: Settings) -> TransferSettings {
    let everywhere = ["0.0.0.0/0", "::/0"].compactMap { try? NetworkRange(parsing: $0) }
    var transfers = TransferSettings(
      connections: settings.shares.webhooks, connectionsPerHost: WebhookBoard.mostAtServer,
      rules: AddressRules(allowed: everywhere), slowestTime: .seconds(2 * 86400), redirects: 0,
      userAgent: settings.userAgent)
    transfers.route(settings)
    return transfers
  }
}

extension TransferLoop {
  static func make(_ settings: Settings) throws(StartFailure) -> TransferLoop {
    try StartFailure.unless("the transfers") { () throws(SystemError) in
      try TransferLoop(TransferSettings(settings))
    }
  }
}

extension HookDesk {
  /// Also removes the drafts that a crash left among the orders.
  static func make(
    _ ground: Ground, sends: @escaping @Sendable (WebhookOrder) -> Void
  ) throws(StartFailure) -> HookDesk {
    try StartFailure.unlessOnDisk("with the orders for hooks") { () throws(SystemError) in
      let desk = HookDesk(ground, bell: try WakeEvent(), sends: sends)
      try desk.outbox.sweep()
      try desk.webhooks.sweep()
      return desk
    }
  }
}

extension Webhooks {
  static func make(_ ground: Ground) throws(StartFailure) -> Webhooks {
    let network = try StartFailure.unless("the webhooks") { () throws(SystemError) in
      // Apart from downloads, whose rules on addresses do not hold for it.
      try TransferLoop(.webhooks(ground.settings.current), name: "webhooks")
    }
    return make(
      ground, network, change: { network.change(.webhooks($0)) },
      close: { await network.stop() })
  }

  static func make(
    _ ground: Ground, _ network: any Network,
    change: @escaping @Sendable (Settings) -> Void = { _ in },
    close: @escaping @Sendable () async -> Void
  ) -> Webhooks {
    Webhooks(
      WebhookSender(
        ground: ground, outbox: WebhookOutbox(ground.folders.webhooks), network: network),
      most: ground.settings.current.shares.webhooks, changes: ground.changes, change: change,
      close: close)
  }
}

extension HookThread {
  static func make(_ ground: Ground, _ desk: HookDesk) throws(StartFailure) -> HookThread {
    try StartFailure.unless("the hooks") { () throws(SystemError) in
      try HookThread(desk, reporter: ground.reporter, changes: ground.changes)
    }
  }
}

extension Settings {
  /// Why dropped pictures stay in the inbox, as a clause; nil if they become lists.
  var pictureRefusal: String? {
    if cluster.ledger != nil { return "the nodes of a cluster do not share dropped pictures" }
    return inbox.pictures ? nil : "darkroomd takes no pictures (Pictures=no)"
  }
}

extension WorkerPool {
  /// Workers of users who wait for their turns, as long as their files fit.
  private static let spareWorkers = 12

  static func make(_ settings: Settings) throws(StartFailure) -> WorkerPool {
    try StartFailure.unless("the workers") { () throws(SystemError) in
      var pool = WorkerSettings(path: try ThisProcess.workerPath, width: settings.workerCount)
      pool.spares = spareWorkers
      pool.most = settings.shares.workers
      return try WorkerPool(settings: pool)
    }
  }
}

extension Inbox {
  static func make(_ ground: Ground, rules: any IntakeRules) throws(StartFailure) -> Inbox {
    let (places, folders) = (ground.places, ground.folders)
    let (settings, shares) = (ground.settings.current.inbox, ground.settings.current.shares)
    return try StartFailure.unless("with the inbox") { () throws(SystemError) in
      try Inbox(
        path: places.inbox, state: folders.state, lists: folders.lists,
        failed: folders.failed, quarantine: Quarantine(folders.quarantine),
        rules: rules, groups: ground.recorder, clock: ground.clock,
        settings: InboxSettings(
          quietTime: settings.quietTime, rescanInterval: settings.rescanInterval,
          maximumListSize: settings.maximumListSize, claims: shares.claims,
          // Only the node where they are dropped has them.
          pictures: settings.pictures, isNode: ground.settings.current.cluster.ledger != nil))
    }
  }
}
