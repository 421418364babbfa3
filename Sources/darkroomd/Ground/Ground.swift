// SPDX-License-Identifier: Apache-2.0
// The services that all parts of the daemon use: places, clock, settings, the state folder, the record, the labels and
// open files of lists, the reporter and all who report through it, and the service manager's status. `init` opens the
// record; it raises `StartFailure`.
// Concurrency: immutable; each service has its own lock. `init` waits for a disk.

import Files
import Linux
import Record
import Report
import Return
import Vocabulary

final class Ground: Sendable {
  enum Kind: Sendable {
    case daemon(ExpiryGrace)
    /// `darkroomd run`, which removes no prints.
    case part(PartOrder)
  }

  let kind: Kind
  let places: Places
  let clock: any Timekeeper
  let settings: LiveSettings
  let folders: StateFolders
  let recorder: Recorder
  let footing: Footing
  let reporter: Reporter
  let status: ServiceStatus
  /// Rings at every change that users can see.
  let changes = ChangeSignal()
  let stop = StopFlag()
  let lists: OpenLists
  let index = ListIndex()
  let narrator: Narrator
  let health: HealthBoard

  /// - Parameters:
  ///   - openLists: the number of lists whose files are kept open; nil for what the limits of the process allow.
  ///   - died: called when the journal file takes no more records.
  init(
    _ places: Places, _ settings: LiveSettings, clock: any Timekeeper, reporter: Reporter,
    status: ServiceStatus, kind: Kind = .daemon(.full), openLists: Int? = nil,
    died: @escaping @Sendable (Failure) -> Void
  ) throws(StartFailure) {
    self.kind = kind
    self.places = places
    self.clock = clock
    self.settings = settings
    self.reporter = reporter
    self.status = status
    let isPart = if case .part = kind { true } else { false }
    let state = try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      try LinuxFolder.open(path: places.state)
    }
    let shared = SharedMark(settings.current.cluster, in: state)
    let isMarked = try shared.map { (shared) throws(StartFailure) in try FolderShelf.check(shared) }
    let store = try SharedStore.open(settings.current, in: state)
    let seat = try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      isPart ? nil : try PrintsSeat.check(for: state)
    }
    let others = try OwnDisks(state: state).open(
      OwnDisks.places(places, sharing: shared?.check, seat: seat))
    let ways = try SharedPrints.ways(places, isPart: isPart, isMarked: isMarked)
    folders = try StartFailure.unlessOnDisk("with the folders") { () throws(SystemError) in
      try StateFolders(
        state: state, prints: others[0], done: others[1], failed: others[2], mark: places.mark,
        ways: ways, isShared: settings.current.cluster.ledger != nil && store == nil,
        alone: others.count > 3 ? others[3] : nil, store: store,
        cache: places.cache.map { (path) throws(SystemError) in try LinuxFolder.open(path: path) },
        lost: { reporter.report(.folderLost($0)) })
    }
    let recovery: Record.Recovery
    (recorder, recovery) = try Self.record(
      folders.state, clock, settings.current.record, reporter, died)
    footing = try StartFailure.unlessOnDisk("with the folders") {
      [folders] () throws(SystemError) in
      try Self.footing(folders, isPart: isPart)
    }
    lists = OpenLists(
      folders, most: openLists ?? settings.current.shares.lists,
      copies: CopyRoom { SpaceFloor.intake(settings.current.download.freeSpace, of: $0) })
    health = HealthBoard(reporter, inbox: places.inbox, changes: changes)
    narrator = Narrator(
      reporter, recorder: recorder, index: index, clock: clock, changes: changes,
      settings: settings.current.report)
    reporter.report(.journalReplayed(ReplayFacts(recovery)))
    if recovery.unrecorded > 0 {
      reporter.report(.listsUnrecorded(recovery.unrecorded, in: folders.lists.path))
    }
  }

  /// Nil for a daemon.
  var part: PartOrder? { if case .part(let order) = kind { order } else { nil } }
  var grace: ExpiryGrace { if case .daemon(let grace) = kind { grace } else { .full } }

  /// Parts of a list share the folder of prints, and so do the nodes of a cluster.
  private static func footing(
    _ folders: StateFolders, isPart: Bool
  ) throws(SystemError) -> Footing {
    let journal = try folders.state.folder(FileName(literal: "journal"), creating: false)
    let prints = folders.isShared ? folders.alone : folders.prints
    return Footing(
      held: try HeldFolders([folders.state, folders.lists, journal], notes: folders.claims),
      seat: isPart
        ? nil
        : try prints.map { (prints) throws(SystemError) in try PrintsSeat(prints, of: folders.state)
        })
  }

  /// Waits while another daemon of this machine prints into the folder: both would give their removed and expired
  /// folders of prints the same hidden names.
  func checkSeat() throws(StartFailure) {
    guard let failure = footing.seat?.trouble else { return }
    throw StartFailure(
      ExitCode.io, failure.reason, trouble: failure.code, advice: failure.advice)
  }

  private static let diskTroubles = Set(
    [SystemError.Name.noSpace, .readOnly, .inputOutput].map {
      SystemError($0, call: "", thing: "").machineFailure.code
    })

  private static func record(
    _ state: any Folder, _ clock: any Timekeeper, _ settings: Settings.Record, _ reporter: Reporter,
    _ died: @escaping @Sendable (Failure) -> Void
  ) throws(StartFailure) -> (Recorder, Record.Recovery) {
    let random = try StartFailure.unless("with a random number for the journal file") {
      () throws(SystemError) in try ThisProcess.randomBytes(16)
    }
    let journal = JournalSettings(
      stateID: String(hex: random), bootID: ThisProcess.bootIdentifier,
      isSynced: settings.sync, openResults: max(16, FileShares.ofThisProcess.lists))
    do throws(Failure) {
      return try Recorder.open(
        state, time: clock, settings: journal,
        lost: { reporter.report(.journalRenewed($0)) }, died: died)
    } catch {
      throw StartFailure(
        ExitCode.io, "could not open the journal file: \(error.words)",
        trouble: diskTroubles.contains(error.code) ? error.code : nil)
    }
  }

  func tellReady() {
    reporter.report(
      .ready(
        version: Release.version, inbox: places.inbox,
        openLists: UInt64(recorder.ledger { $0.open.lists })))
    status.ready()
  }

  func tellStopping() {
    reporter.report(.stopping(openLists: UInt64(recorder.ledger { $0.open.lists })))
    changes.changed()
  }
}

/// A part that uses the services.
protocol OnGround: Sendable {
  var ground: Ground { get }
}

extension OnGround {
  var places: Places { ground.places }
  var clock: any Timekeeper { ground.clock }
  var settings: LiveSettings { ground.settings }
  var folders: StateFolders { ground.folders }
  var recorder: Recorder { ground.recorder }
  var reporter: Reporter { ground.reporter }
  var changes: ChangeSignal { ground.changes }
  var lists: OpenLists { ground.lists }
  var index: ListIndex { ground.index }
  var narrator: Narrator { ground.narrator }
  var health: HealthBoard { ground.health }
}

extension ReplayFacts {
  init(_ recovery: Record.Recovery) {
    let first = recovery.damages.first
    self.init(
      records: recovery.records, openLists: UInt64(recovery.ledger.open.lists),
      knownLists: UInt64(recovery.ledger.lists.count), bytesCut: recovery.tornBytes,
      recordsLost: max(recovery.missing, UInt64(recovery.damageCount)), file: first?.file ?? "",
      offset: first?.offset ?? 0)
  }
}
