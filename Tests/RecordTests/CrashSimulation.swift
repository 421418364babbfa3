// SPDX-License-Identifier: Apache-2.0
// The history of a state folder, from a seed: work, disk trouble, power cuts at any call, starts.
// After each start the state must be the acknowledged one, with or without the changes in flight, and
// every effect that a record promises must be on the disk.

import Record
import Support
import Vocabulary

struct CrashSimulation {
  private struct Violation: Error { let words: String }

  private let disk = SimulatedDisk()
  private var random: SimulatedRandom
  /// The acknowledged state.
  private var model = Ledger()
  /// Changes in flight when the power or a call failed: each may be recorded or not.
  private var uncertain: [Transition] = []
  private var isStarted = false
  private let root: FileName = FileName(literal: "originals")

  private init(seed: UInt64) { random = SimulatedRandom(seed: seed) }

  /// The first violation, or nil.
  static func run(
    seed: UInt64, ignoring: Set<SimulatedDisk.Call> = [], on thing: String = ""
  ) -> String? {
    var simulation = CrashSimulation(seed: seed)
    simulation.disk.ignore(ignoring, on: thing)
    do {
      for _ in 0..<5 { try simulation.live() }
      return nil
    } catch let violation as Violation {
      return "seed \(seed): \(violation.words)"
    } catch { return "seed \(seed): \(error)" }
  }

  /// From a start to a power cut, or to an end without one.
  private mutating func live() throws {
    disk.cutPower(afterCalls: random.number(below: 160))
    let size = UInt64(300 + random.number(below: 1500))
    if let desk = try start(segmentBytes: size) { work(desk) }
    if disk.isPowerCut || random.oneIn(3) {
      disk.crash(seed: random.next())
    } else {
      disk.cutPower(afterCalls: nil)
      disk.fail(nil)
    }
    // Without a power cut, as after kill -9, everything written is there.
    guard let desk = try start(segmentBytes: size) else {
      throw Violation(words: "a start failed on a disk that is well")
    }
    try checkEffects(desk)
  }

  private mutating func start(segmentBytes: UInt64) throws -> JournalDesk? {
    let desk: JournalDesk
    do throws(Failure) {
      desk = try JournalDesk(disk, segmentBytes: segmentBytes)
    } catch {
      if disk.isPowerCut { return nil }
      throw Violation(words: "refused: \(error)")
    }
    let isExpected = candidates().contains { candidate in
      // Folders of unrecorded lists raise the next number; nothing may lower it.
      var candidate = candidate
      candidate.reserve(upTo: ListID(desk.ledger.nextList.number - 1))
      return candidate == desk.ledger
    }
    guard isExpected else {
      throw Violation(
        words: "\(desk.ledger.lists.count) lists, not what was acknowledged: \(model) and perhaps"
          + " \(uncertain), but \(desk.start.recovery)")
    }
    model = desk.ledger
    uncertain = []
    return desk
  }

  private func candidates() -> [Ledger] {
    (0..<(1 << uncertain.count)).map { choice in
      var ledger = model
      for (place, transition) in uncertain.enumerated() where choice & (1 << place) != 0 {
        ledger.apply(transition)
      }
      return ledger
    }
  }

  private mutating func work(_ start: JournalDesk) {
    var journal = start.journal
    var effects = DurableEffects(
      disk.rootFolder, rows: ResultRows(lists: start.start.lists))
    for _ in 0..<(5 + random.number(below: 30)) {
      if random.oneIn(15) { disk.fail(fault()) }
      if disk.isPowerCut || uncertain.count > 6 { return }
      guard !step(&journal, &effects) else { continue }
      return
    }
  }

  private mutating func fault() -> SimulatedDisk.Fault {
    let calls: [SimulatedDisk.Call] = [
      .write, .write, .syncFile, .syncFile, .rename, .syncFolder, .truncate, .open, .reserve,
      .syncFileSystem,
    ]
    return SimulatedDisk.Fault(
      calls[random.number(below: calls.count)], code: random.oneIn(2) ? 5 : 28,
      first: 1 + random.number(below: 6), isPartial: random.oneIn(2))
  }

  /// A group of one to eight changes, as the recorder's threads take them; returns false when the
  /// journal is over.
  private mutating func step(_ journal: inout Journal, _ effects: inout DurableEffects) -> Bool {
    var after = model
    var changes: [Change] = []
    for _ in 0...random.number(below: random.oneIn(4) ? 8 : 2) {
      let change = Samples.change(after, &random)
      if after.apply(Transition(time: Samples.time, change)) { changes.append(change) }
    }
    let failures = effects.perform(changes.map { self.effects(of: $0) })
    let durable = changes.indices.filter { failures[$0] == nil }
    let transitions = Samples.at(durable.map { changes[$0] })
    do throws(Journal.Trouble) {
      let before = model
      try journal.append(transitions) { before }
      for transition in transitions { model.apply(transition) }
      // Changes that failed before a segment was written again are gone for good.
      if !transitions.isEmpty { uncertain = [] }
      return true
    } catch {
      uncertain += transitions
      if case .over = error { return false }
      return true
    }
  }

  // MARK: effects

  private func effects(of change: Change) -> [Effect] {
    switch change {
    case .downloaded(let photo, let contents):
      guard let folder = try? disk.rootFolder.folder(root, creating: true) else { return [.none] }
      let temporary = name(photo, contents, ".part")
      guard let file = try? folder.open(temporary, .ensure),
        (try? file.write(body(contents), at: 0)) != nil
      else { return [.none] }
      return [
        .appear(file, in: folder, temporary: temporary, as: name(photo, contents, "")),
        .syncFolder(disk.rootFolder),
      ]
    case .filtered(let photo, let contents):
      let row = ResultRow(photo: photo.number, state: .filtered, bytes: contents.size)
      return [.row(photo.list, row), .syncFolder(disk.rootFolder)]
    default: return []
    }
  }

  private func name(_ photo: PhotoID, _ contents: Contents, _ ending: String) -> FileName {
    FileName("\(photo.list)-\(photo.number)-\(contents.hash)\(ending)") ?? root
  }

  private func body(_ contents: Contents) -> [UInt8] {
    (0..<700).map { UInt8(truncatingIfNeeded: contents.hash >> UInt64($0 % 57)) }
  }

  private func checkEffects(_ desk: JournalDesk) throws {
    let rows = ResultRows(lists: desk.start.lists)
    for entry in desk.ledger.openLists {
      for (number, contents) in entry.originals {
        let photo = PhotoID(list: entry.id, number: number)
        let folder = try disk.rootFolder.folder(root, creating: false)
        let bytes = try folder.open(name(photo, contents, ""), .read).read(at: 0, upTo: 1000)
        if bytes != body(contents) { throw Violation(words: "the original of \(photo) is torn") }
      }
      for number in 1..<(entry.acceptance.photos + 1) {
        let photo = PhotoID(list: entry.id, number: number)
        guard entry.state(of: number) == .filtered else { continue }
        if try rows.row(photo)?.state != .filtered {
          throw Violation(words: "the result of \(photo) is missing")
        }
      }
    }
  }
}

extension Effect {
  /// An effect whose work failed before it reached the recorder.
  static var none: Effect { .sync(FailedFile()) }
}

private final class FailedFile: OpenFile {
  private static let error = SystemError(code: 5, call: "write", thing: "a failed file")
  var descriptor: Int32 { -1 }
  func status() throws(SystemError) -> FileStatus { throw Self.error }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] { throw Self.error }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) { throw Self.error }
  func truncate(to size: UInt64) throws(SystemError) { throw Self.error }
  func reserve(_ size: UInt64) throws(SystemError) { throw Self.error }
  func sync() throws(SystemError) { throw Self.error }
}
