// SPDX-License-Identifier: Apache-2.0
// The daemon as a node of a cluster: the ledger (`office`), the shares that this node develops, and the lists that
// were dropped here. There is none without Ledger=. `make` raises `StartFailure`.
// Concurrency: immutable; each part has a separate lock or thread.

import Chain
import Cluster
import Digests
import Files
import Linux
import Output
import Vocabulary

struct ClusterNode: Sendable {
  /// The name of this node.
  let name: String
  let office: any ListOffice
  let leaseTime: Duration
  let shares: ShareDesk
  let entries: EntryDesk
  private let maker: ShareMaker
  private let retention: LedgerRetention
  private let sweeper: StoreSweeper
  private let tie: Tie

  /// The ends of the connection with the ledger, and of its password.
  struct Tie: Sendable {
    let close: @Sendable () -> Void
    /// Returns whether the password has changed.
    let usePassword: @Sendable (String?) -> Bool
  }

  /// A round trip to the ledger takes no longer.
  private static let patience = Duration.seconds(10)
  private static let lonely = StartFailure(
    ExitCode.configuration, Settings.Cluster.needsBlobs)

  init(
    _ name: String, _ maker: ShareMaker, _ settings: Settings.Cluster,
    chains: ChainRunner<PhotoStages>, tie: Tie
  ) {
    (self.name, self.maker, self.tie) = (name, maker, tie)
    (office, leaseTime) = (maker.office, settings.leaseTime)
    shares = ShareDesk(maker, settings, chains: chains)
    entries = EntryDesk(maker, settings)
    retention = LedgerRetention(
      ground: maker.ground, office: maker.office, shelf: maker.shelf,
      leaseTime: settings.leaseTime)
    sweeper = StoreSweeper(maker.ground, leaseTime: settings.leaseTime)
  }

  static func make(
    _ ground: Ground, chains: ChainRunner<PhotoStages>, keeper: ListKeeper, witness: NumberWitness
  ) throws(StartFailure) -> ClusterNode? {
    let settings = ground.settings.current.cluster
    guard let server = settings.ledger else { return nil }
    guard let blobs = settings.blobs else { throw lonely }
    let name = try self.name(settings)
    let shelf = try shelf(blobs, ground.folders, mark: mark(of: name))
    let password = try settings.readPassword()
    let home = NodeHome(state: ground.folders.state, shelf: shelf)
    // Before the inbox opens, and before prints are removed: a place that is not the shared one, and the verdict of an
    // earlier run. A store would have to be asked, so `StoreSweeper` waits for the entry.
    let place = ground.folders.isShared ? home.foreignPlace() : nil
    for trouble in [place, (try? home.ledger())?.trouble].compactMap(\.self) {
      ground.health.set(trouble, for: .ledger)
    }
    let bells = BellRope()
    let office = try StartFailure.unless("with the ledger") { () throws(SystemError) in
      let run = try ThisProcess.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let place = LedgerPlace(
        server: server, password: password, node: name, run: run, silence: settings.leaseTime,
        patience: min(patience, settings.leaseTime),
        home: home)
      return try PostgresOffice(place, clock: ground.clock) { bells.ring($0) }
    }
    let maker = ShareMaker(
      ground: ground, office: office, shelf: shelf, keeper: keeper, witness: witness)
    let node = ClusterNode(
      name, maker, settings, chains: chains,
      tie: Tie(close: { office.close() }, usePassword: { office.use(password: $0) }))
    bells.tie(to: node)
    return node
  }

  private static func shelf(
    _ blobs: BlobPlace, _ folders: StateFolders, mark: String
  ) throws(StartFailure) -> any ListShelf {
    switch (blobs, folders.store?.objects) {
    case (.folder(let path), _):
      FolderShelf(SharedMark(path: path, in: folders.state), mark: mark)
    case (.store, .some(let store)): StoreShelf(store: store)
    case (.store, nil): throw lonely
    }
  }

  /// Places of a node: the prints are in the shared folder, where drafts tell their node, or in a store.
  static func places(_ places: Places, _ settings: Settings.Cluster) throws(StartFailure) -> Places
  {
    guard settings.ledger != nil else { return places }
    var own = places
    switch settings.blobs {
    case nil: throw lonely
    case .folder(let path):
      own.alone = own.prints
      own.prints = "\(path)/\(FolderShelf.printsName)"
      own.mark = mark(of: try name(settings))
    case .store(let place): own.store = place
    }
    return own
  }

  /// Of one length, so that no mark is the beginning of another.
  private static func mark(of name: String) -> String {
    "\(SHA256.digest(of: Array(name.utf8)).hex.prefix(12))."
  }

  private static func name(_ settings: Settings.Cluster) throws(StartFailure) -> String {
    do throws(TextProblem) { return try NodeName.find(settings) } catch {
      throw StartFailure(ExitCode.configuration, error.description)
    }
  }

  /// Reads the password again, for sessions with the ledger that begin from now on; returns the settings
  /// whose secrets have changed.
  func renewPassword(_ settings: Settings.Cluster) throws(Failure) -> [String] {
    do throws(StartFailure) {
      return tie.usePassword(try settings.readPassword()) ? ["LedgerPassword"] : []
    } catch {
      throw ConfigurationFile.wrong(settings.password ?? "LedgerPassword=", error.words)
    }
  }

  // MARK: running

  /// Call at the start, when the index has been read and before the lives of lists begin.
  func restore(_ list: ListID, isPending: Bool) {
    if let mark = maker.index[list]?.terms.share, isPending { shares.restore(list, mark) }
  }

  /// Call when the inbox has recovered.
  func run() async {
    await onDisk { try? maker.sweep() }
    await withDiscardingTaskGroup { group in
      group.addTask { await shares.run() }
      group.addTask { await entries.run() }
      group.addTask { await retention.run() }
      group.addTask { await sweeper.run() }
    }
  }

  func stop() { tie.close() }
}
