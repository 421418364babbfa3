// SPDX-License-Identifier: Apache-2.0
// How single parts are made from settings and places; what goes wrong is worded for the start.

import Accept
import Catalog
import Chain
import Download
import Linux
import Record
import Report
import Synchronization
import Transfer
import Vocabulary
import Worker

extension Darkroom {
  static func need<Part>(_ what: String, _ make: () throws(SystemError) -> Part)
    throws(StartFailure) -> Part
  {
    do throws(SystemError) { return try make() } catch {
      throw StartFailure(
        ExitCode.io, "could not start \(what): \(error)", mayPass: error.isDiskFull)
    }
  }

  static func open(_ places: Places) throws(StartFailure) -> StateFolders {
    try need("with the folders") { () throws(SystemError) in
      try StateFolders(
        state: LinuxFolder.open(path: places.state), prints: LinuxFolder.open(path: places.prints))
    }
  }

  static func record(
    _ state: any Folder, _ clock: any Timekeeper, _ settings: Settings, _ ends: EndSignal
  ) throws(StartFailure) -> (Recorder, Record.Recovery) {
    let random: [UInt8]
    do throws(SystemError) { random = try ThisProcess.randomBytes(16) } catch {
      throw StartFailure(ExitCode.io, "could not draw a number for the journal file: \(error)")
    }
    let journal = JournalSettings(
      stateID: hex(random), bootID: ThisProcess.bootIdentifier, isSynced: settings.sync)
    do throws(Failure) {
      return try Recorder.open(
        state, time: clock, settings: journal, durable: { _ in },
        died: { failure in ends.end(.journalDied(failure)) })
    } catch {
      throw StartFailure(
        ExitCode.io, "could not open the journal file: \(error.words)",
        mayPass: error.code == "disk.full")
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  static func files(_ settings: Settings) throws(StartFailure) -> FileFolders {
    var folders: [any Folder] = []
    for path in settings.fileFolders {
      do throws(SystemError) { folders.append(try LinuxFolder.open(path: path)) } catch {
        throw StartFailure(
          ExitCode.configuration, "FileFolders= under [Download]: could not open \(path): \(error)")
      }
    }
    return FileFolders(folders)
  }

  static func space(
    _ folders: StateFolders, _ recorder: Recorder, _ clock: any Timekeeper,
    _ settings: LiveSettings, _ downloader: Downloader, _ events: EventDesk
  ) -> SpaceWatch {
    SpaceWatch(
      folders, clock: clock, settings: settings,
      hasWork: { recorder.ledger { $0.open.lists > 0 } },
      makeRoom: { downloader.cache?.clear() }, changed: { events.spaceChanged($0) })
  }

  static func inbox(
    _ places: Places, _ folders: StateFolders, _ desk: FrontDesk, _ clock: any Timekeeper,
    _ settings: Settings
  ) throws(StartFailure) -> Inbox {
    try need("with the inbox") { () throws(SystemError) in
      try Inbox(
        path: places.inbox, state: folders.state, lists: folders.lists,
        archive: Archive(
          done: PathFolder(path: places.done), failed: PathFolder(path: places.failed)),
        quarantine: Quarantine(folders.quarantine), reception: desk, clock: clock,
        settings: InboxSettings(
          quietTime: settings.quietTime, rescanInterval: settings.rescanInterval,
          maximumListSize: settings.maximumListSize))
    }
  }
}

/// The runner is made before the daemon is whole; its events wait here for somebody to take them.
final class EventDesk: Sendable {
  private struct State {
    weak var darkroom: Darkroom?
    var kept: [ChainEvent] = []
  }

  private let state = Mutex(State())

  func take(_ event: ChainEvent) {
    let darkroom = state.withLock { state in
      if state.darkroom == nil { state.kept.append(event) }
      return state.darkroom
    }
    darkroom?.take(event)
  }

  func accepted(_ list: ListID) { state.withLock { $0.darkroom }?.accepted(list) }

  func abandon(_ list: ListID, _ failure: Failure) {
    state.withLock { $0.darkroom }?.abandon(list, failure)
  }

  func spaceChanged(_ failure: Failure?) { state.withLock { $0.darkroom }?.spaceChanged(failure) }

  /// A list has come further: the status line may say so.
  func progressed() { state.withLock { $0.darkroom }?.tellStatus() }

  func attach(_ darkroom: Darkroom) {
    let kept = state.withLock { state in
      state.darkroom = darkroom
      defer { state.kept = [] }
      return state.kept
    }
    for event in kept { darkroom.take(event) }
  }
}

/// What the workers' walls are, as their first answer told.
final class SandboxWords: Sendable {
  private let layers = Mutex<SandboxLayers?>(nil)

  var text: String {
    layers.withLock { $0?.description } ?? "no worker has started yet"
  }

  func note(_ notice: WorkerNotice, _ teller: Teller) {
    switch notice {
    case .sandbox(let found):
      layers.withLock { $0 = found }
      let missing = SandboxLayers.all.subtracting(found)
      if !missing.isEmpty {
        teller.tell(
          .sandboxReduced(protection: missing.description, reason: "this kernel does not offer it"))
      }
    case .said, .died: break  // the photo's or the list's own notice tells of it
    }
  }
}

extension ReplayFacts {
  init(_ recovery: Record.Recovery) {
    let first = recovery.damages.first
    self.init(
      records: recovery.records, openLists: UInt64(recovery.ledger.open.lists),
      knownLists: UInt64(recovery.ledger.lists.count),
      bytesCut: recovery.tornBytes,
      recordsLost: max(recovery.missing, UInt64(recovery.damageCount)),
      file: first?.file ?? "", offset: first?.offset ?? 0)
  }
}

extension StageQueues.Widths {
  /// Output is wide so that the prints of many photos share one sync; who waits for the transfer of
  /// another photo takes no place of one that transfers.
  init(_ settings: Settings) {
    self.init(
      download: settings.connections + Admission.mostCompanions,
      filter: settings.workerCount(processors: ThisProcess.processors), output: 64)
  }
}

extension Lineup {
  /// Photos with a class of their own stand in lines of their own.
  init(
    _ serviceClass: ServiceClass, _ catalog: CatalogFile,
    waiting: [(number: UInt32, due: Duration)]
  ) {
    var parts = [Part(own: nil)]
    parts += catalog.spans.map { Part(own: $0.serviceClass, first: $0.first, last: $0.last) }
    for photo in waiting {
      let own =
        catalog.spans.isEmpty ? nil : try? catalog.entry(photo.number).options.serviceClass
      let place = parts.firstIndex { $0.holds(photo.number, own: own) } ?? 0
      parts[place].waiting.append(photo)
    }
    self.init(serviceClass, parts: parts)
  }
}

extension HostLimits {
  init(_ settings: Settings) {
    // Where nothing is tried twice, no server is waited for.
    self.init(
      most: settings.connectionsPerHost,
      patience: settings.attempts == 1 ? .zero : settings.hostPatience)
  }
}

extension Notice {
  init(_ told: Admission.HostNews, now: Duration) {
    switch told.news {
    case .closed(let closure):
      self = .hostClosed(told.name, closure.failure, retryAfter: max(.zero, closure.gate - now))
    case .reopened(let closure): self = .hostReopened(told.name, after: now - closure.since)
    }
  }
}

extension TransferSettings {
  init(_ settings: Settings) {
    // The reader has checked every network.
    let rules = try? AddressRules(allow: settings.allowNetworks, deny: settings.denyNetworks)
    self.init(
      connections: settings.connections, connectionsPerHost: settings.connectionsPerHost,
      rules: rules ?? AddressRules(), slowestTime: settings.stallTimeout,
      userAgent: "darkroom/\(Release.version)")
  }
}

extension DownloadSettings {
  init(_ settings: Settings) {
    self.init(
      maximumSize: settings.maximumSize, timeout: settings.timeout,
      connectTimeout: settings.connectTimeout, cache: settings.cache)
  }
}
