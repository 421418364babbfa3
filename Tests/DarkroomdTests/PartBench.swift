// SPDX-License-Identifier: Apache-2.0
// The parts of the daemon on real folders, joined as `Darkroom` joins them, with a clock that the test moves.
// Photos come from files; pictures and lists are read in this process.

import Accept
import Catalog
import Chain
import Download
import Filter
import Linux
import Record
import Report
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

final class PartBench: ListBench {
  let scratch: FreshFolder
  let clock = SimulatedClock(uptime: .seconds(1000))
  let told: ToldLines
  let ground: Ground
  let workers = InnerWorkers()
  let network = SilentNetwork()
  let notes = PhotoNotes()
  let photos: PhotoParts
  let keeper: ListKeeper
  let retention: ListRetention
  let witness: NumberWitness
  let departures = InboxDepartures()
  let claims: PrintClaims
  let desk: HookDesk
  /// Counts the orders for webhooks.
  let webhookCalls = ChangeSignal()

  var folders: StateFolders { ground.folders }
  var recorder: Recorder { ground.recorder }
  var lists: OpenLists { ground.lists }
  var index: ListIndex { ground.index }
  var health: HealthBoard { ground.health }
  var narrator: Narrator { ground.narrator }

  /// - Parameter mark: of the drafts of this process, where others print into the same folder.
  private init(mark: String, _ change: (inout Settings) -> Void) throws {
    scratch = try FreshFolder()
    try Places.make(root: "\(scratch.path)/daemon")
    try scratch.write([], to: "photos/empty")
    told = try ToldLines()
    var settings = Settings()
    settings.download.fileFolders = ["\(scratch.path)/photos"]
    settings.download.freeSpace = 0
    settings.report.transitions = true
    change(&settings)
    var places = Places.below("\(scratch.path)/daemon")
    places.mark = mark
    ground = try Ground(
      places, LiveSettings(settings), clock: clock,
      reporter: told.reporter, status: .unheard, openLists: 4
    ) { _ in }
    let (ground, folders) = (ground, ground.folders)
    claims = PrintClaims(folders)
    photos = PhotoParts(ground, network: network, workers: workers, notes: notes)
    keeper = ListKeeper(clock: clock, changes: ground.changes)
    retention = ListRetention(
      ground.recorder, ground.index, folders, settings: ground.settings, ground.narrator,
      ground.health, clock: clock)
    witness = NumberWitness(folders.done)
    let calls = webhookCalls
    desk = try HookDesk.make(ground) { _ in calls.changed() }
  }

  static func use(
    mark: String = "", settings change: (inout Settings) -> Void = { _ in },
    _ body: (PartBench) async throws -> Void
  ) async throws {
    let bench = try PartBench(mark: mark, change)
    do { try await body(bench) } catch {
      await bench.recorder.close()
      throw error
    }
    await bench.recorder.close()
  }

  // MARK: parts

  var poison: PoisonPictures {
    PoisonPictures(
      quarantine: Quarantine(folders.quarantine), recorder: recorder, clock: clock)
  }

  var stages: PhotoStages {
    PhotoStages(
      ground: ground, downloader: photos.downloader, workers: workers, notes: notes,
      poison: poison, space: photos.space)
  }

  var record: PhotoRecord {
    PhotoRecord(
      ground: ground, downloader: photos.downloader, notes: notes, poison: poison)
  }

  var work: ListWork {
    ListWork(
      ground: ground, chains: photos.chains, notes: notes,
      returns: ReturnFolder(
        done: folders.done, failed: folders.failed, lists: folders.lists, groups: recorder,
        copies: ground.lists.copies),
      downloader: photos.downloader, retention: retention, hooks: desk, sheets: sheets)
  }

  var sheets: ContactSheets {
    ContactSheets(ground, workers: workers)
  }

  var intake: ListIntake {
    ListIntake(
      ground: ground, claims: claims, workers: workers, keeper: keeper,
      departures: departures, space: photos.space, witness: witness, hooks: desk)
  }

  // MARK: chains

  /// Runs the chains and the downloads, and stops them at the end.
  func chaining(_ body: (EventBoard<[ChainEvent]>) async throws -> Void) async throws {
    let events = EventBoard<[ChainEvent]>([])
    let (chains, downloader) = (photos.chains, photos.downloader)
    let run = Task { await chains.run { event in events.change { $0.append(event) } } }
    let downloads = Task { await downloader.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(events)) } catch { result = .failure(error) }
    await chains.stop()
    await run.value
    downloader.stop()
    await downloads.value
    try result.get()
  }

  // MARK: photos

  /// The URL of a new file that a list may name.
  func photo(_ name: String, _ bytes: [UInt8]) throws -> String {
    try scratch.write(bytes, to: "photos/\(name)")
    return "file://\(scratch.path)/photos/\(name)"
  }

  /// A list at work with one good photo in a file.
  func addBarn(_ number: UInt64 = 1) async throws {
    let url = try photo("barn.jpg", SamplePictures.jpeg(width: 32, height: 24))
    try await add(number, SampleList { $0.photos = [("Barn", url)] })
    _ = try lists.begin(ListID(number))
  }

  /// The names of the prints; nil without their folder.
  func prints() -> [String]? {
    try? folders.prints.folder(FileName(literal: "barn"), creating: false).listing()
  }

  /// The names of the originals; nil without their folder.
  func originals(of list: UInt64 = 1) -> [String]? {
    try? folders.originals.folder(FileName(number: list), creating: false).listing()
  }
}

/// Reads lists and pictures in this process. Each failure in `failures` is raised once, instead.
final class InnerWorkers: Workers {
  let failures = Mutex<[Failure]>([])
  let orders = Mutex<[DevelopOrder]>([])
  /// The files that were handed over to be written: a worker may keep them.
  let written = Mutex<[any OpenFile]>([])

  private func fail() throws(Failure) {
    let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let failure { throw failure }
  }

  func readList(
    _ list: any OpenFile, of owner: UInt32, catalog: any OpenFile, limits: ListLimits
  ) async throws(Failure) {
    try fail()
    try ListReader.read(list: list, catalog: catalog, limits: limits)
  }

  func develop(
    _ original: any OpenFile, into print: any OpenFile, thumbnail: Thumbnail.Order?,
    _ order: DevelopOrder
  ) async throws(Failure) -> Developed {
    orders.withLock { $0.append(order) }
    written.withLock { $0 += [print] + (thumbnail.map { [$0.file] } ?? []) }
    try fail()
    return try PictureFilter.develop(
      original: original, print: print, function: order.filter, quality: order.quality.level,
      metadata: order.metadata,
      limits: PictureLimits(
        maximumPixels: order.maximumPixels, maximumMemory: order.maximumMemory),
      thumbnail: thumbnail)
  }
}

/// A network on which a transfer fails at once, if there is a failure, or waits until it is cancelled.
final class SilentNetwork: Network {
  typealias End = @Sendable (Result<TransferReply, Failure>) -> Void

  private struct State {
    var last: UInt64 = 0
    var ends: [TransferTicket: End] = [:]
    /// The server of each transfer that waits.
    var servers: [TransferTicket: String] = [:]
    var failure: Failure?
  }

  private let state = Mutex(State())

  func begin(
    _ request: TransferRequest, into sink: any TransferSink, whenOver: @escaping End
  ) -> TransferTicket {
    let (ticket, failure) = state.withLock { state in
      state.last += 1
      let ticket = TransferTicket(state.last)
      if state.failure == nil {
        state.ends[ticket] = whenOver
        state.servers[ticket] = request.url.serverName
      }
      return (ticket, state.failure)
    }
    if let failure { whenOver(.failure(failure.at(request.url.serverName))) }
    return ticket
  }

  func fail(_ failure: Failure?) { state.withLock { $0.failure = failure } }

  /// How many transfers from the server wait.
  func waiting(for server: String) -> Int {
    state.withLock { state in state.ends.keys.count { state.servers[$0] == server } }
  }

  /// The transfers that wait fail.
  func failAll(_ failure: Failure) {
    let (ends, servers) = state.withLock {
      state -> ([TransferTicket: End], [TransferTicket: String]) in
      defer { state.ends = [:] }
      return (state.ends, state.servers)
    }
    for (ticket, end) in ends {
      end(.failure(servers[ticket].map { failure.at($0) } ?? failure))
    }
  }

  func cancel(_ ticket: TransferTicket) {
    state.withLock { $0.ends.removeValue(forKey: ticket) }?(.failure(.cancelled))
  }

  func change(_ ticket: TransferTicket, to demand: TransferDemand) {}

  func progress() -> [TransferProgress] {
    state.withLock { state in
      state.ends.keys.map {
        TransferProgress(ticket: $0, server: "h", received: 10, total: 40, rate: 5)
      }
    }
  }
}
