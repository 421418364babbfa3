// SPDX-License-Identifier: Apache-2.0
// The history of a state folder, from a seed: work, disk trouble, power cuts at any call, starts. The disk is
// remembered before each sync. From a share of these moments, power cuts of every rule are tried on copies of
// the disk, and now and then a second one while the start reads the first one's remains.

import Record
import Support
import Vocabulary

struct CrashSimulation {
  /// How much of a history is tried on copies.
  struct Effort: Sendable {
    /// One moment in this number is tried, and one end of a life.
    let oneMomentIn: UInt64
    let oneEndIn: UInt64
    let cuts: Int

    static let short = Effort(oneMomentIn: 200, oneEndIn: 5, cuts: 6)
    static let long = Effort(oneMomentIn: 4, oneEndIn: 1, cuts: 32)
  }

  /// The different disks that were judged.
  struct Tally: Sendable {
    var cuts: [CutRule: Int] = [:]
    /// After a second power cut, while a start was under way.
    var secondCuts = 0
    /// After a second power cut, when the start had ended.
    var lateCuts = 0
    var starts = 0
    var histories = 0
    var violations: [String] = []

    var states: Int { cuts.values.reduce(0, +) + secondCuts + lateCuts + starts }

    mutating func add(_ other: Tally) {
      cuts.merge(other.cuts, uniquingKeysWith: +)
      secondCuts += other.secondCuts
      lateCuts += other.lateCuts
      starts += other.starts
      histories += other.histories
      violations += other.violations
    }
  }

  private let disk = SimulatedDisk()
  private let effort: Effort
  private var random: SimulatedRandom
  /// Chooses moments and cuts, so that the history is the same at any effort.
  private var chance: SimulatedRandom
  private var judge = CrashJudge()
  private var segmentBytes: UInt64 = 0
  private var tally = Tally()
  /// The disks judged since the last acknowledged change.
  private var seen: Set<UInt64> = []

  private init(seed: UInt64, effort: Effort) {
    random = SimulatedRandom(seed: seed)
    chance = SimulatedRandom(seed: ~seed)
    self.effort = effort
  }

  /// Ends with the first violation.
  static func run(
    seed: UInt64, _ effort: Effort = .short, ignoring: Set<SimulatedDisk.Call> = [],
    on thing: String = ""
  ) -> Tally {
    var simulation = CrashSimulation(seed: seed, effort: effort)
    simulation.disk.ignore(ignoring, on: thing)
    simulation.disk.watchSyncs()
    simulation.tally.histories = 1
    do throws(CrashViolation) {
      for _ in 0..<5 { try simulation.live() }
    } catch { simulation.tally.violations.append("SEED=\(seed): \(error.words)") }
    return simulation.tally
  }

  /// From a start to a power cut, or to an end without one.
  private mutating func live() throws(CrashViolation) {
    disk.cutPower(afterCalls: random.number(below: 160))
    segmentBytes = UInt64(300 + random.number(below: 1500))
    if let desk = try start() { try work(desk) }
    try tryCuts([disk.moment], oneIn: effort.oneEndIn)
    if disk.isPowerCut || random.oneIn(3) {
      disk.crash(seed: random.next())
    } else {
      disk.cutPower(afterCalls: nil)
      disk.fail(nil)
    }
    // Without a power cut, as after kill -9, everything written is there.
    guard let desk = try start() else {
      throw CrashViolation(words: "a start failed on a disk that is well")
    }
    try judge.checkEffects(desk)
  }

  private mutating func start() throws(CrashViolation) -> JournalDesk? {
    let desk = try judge.start(disk, segmentBytes: segmentBytes)
    try tryCuts(disk.takeMoments(), oneIn: effort.oneMomentIn)
    guard let desk else { return nil }
    tally.starts += 1
    settle(desk.ledger)
    return desk
  }

  private mutating func settle(_ ledger: Ledger) {
    judge.settle(ledger)
    seen = []
  }

  private mutating func work(_ start: JournalDesk) throws(CrashViolation) {
    var journal = start.journal
    var effects = DurableEffects(
      disk.rootFolder, rows: ResultRows(lists: start.start.lists))
    for _ in 0..<(5 + random.number(below: 30)) {
      if random.oneIn(15) { disk.fail(fault()) }
      if disk.isPowerCut || judge.uncertain.count > 6 { return }
      guard try step(&journal, &effects) else { return }
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
  private mutating func step(
    _ journal: inout Journal, _ effects: inout DurableEffects
  ) throws(CrashViolation) -> Bool {
    let before = judge.model
    var after = before
    var changes: [Change] = []
    // A judge tries all subsets of the changes in flight.
    let isLarge = random.oneIn(4) && judge.uncertain.isEmpty
    for _ in 0...random.number(below: isLarge ? 8 : 2) {
      let change = Samples.change(after, &random)
      if after.apply(Transition(time: Samples.time, change)) { changes.append(change) }
    }
    let failures = effects.perform(changes.map { CrashEffects.of($0, on: disk) })
    let durable = changes.indices.filter { failures[$0] == nil }
    let transitions = Samples.at(durable.map { changes[$0] })
    let trouble: Journal.Trouble?
    do throws(Journal.Trouble) {
      try journal.append(transitions) { before }
      trouble = nil
    } catch { trouble = error }
    let acknowledged = judge
    judge.doubt(transitions)
    try tryCuts(disk.takeMoments(), oneIn: effort.oneMomentIn)
    switch trouble {
    case nil:
      judge = acknowledged
      judge.acknowledge(transitions)
      if !transitions.isEmpty { seen = [] }
      return true
    case .waits: return true
    case .over: return false
    }
  }

  // MARK: copies

  private mutating func tryCuts(_ moments: [DiskMoment], oneIn share: UInt64) throws(CrashViolation)
  {
    for moment in moments where chance.oneIn(share) {
      for cut in moment.cuts(effort.cuts, &chance) where seen.insert(cut.digest).inserted {
        tally.cuts[cut.rule, default: 0] += 1
        do throws(CrashViolation) {
          try recover(cut)
        } catch { throw CrashViolation(words: "\(cut.rule): \(error.words)") }
      }
    }
  }

  private mutating func recover(_ cut: PowerCut) throws(CrashViolation) {
    let copy = cut.disk()
    let isWatched = chance.oneIn(16)
    if isWatched { copy.watchSyncs() }
    guard let desk = try judge.start(copy, segmentBytes: segmentBytes) else {
      throw CrashViolation(words: "a start failed on a disk that is well")
    }
    try judge.checkEffects(desk)
    guard isWatched else { return }
    for moment in copy.takeMoments() {
      for second in moment.cuts(2, &chance) where seen.insert(second.digest).inserted {
        tally.secondCuts += 1
        try check(second, by: judge)
      }
    }
    // This state was served.
    var served = judge
    served.settle(desk.ledger)
    for late in copy.moment.cuts(2, &chance) where seen.insert(~late.digest).inserted {
      tally.lateCuts += 1
      try check(late, by: served)
    }
  }

  private func check(_ cut: PowerCut, by judge: CrashJudge) throws(CrashViolation) {
    var judge = judge
    do throws(CrashViolation) {
      guard let desk = try judge.start(cut.disk(), segmentBytes: segmentBytes) else {
        throw CrashViolation(words: "a start failed on a disk that is well")
      }
      try judge.checkEffects(desk)
    } catch { throw CrashViolation(words: "then \(cut.rule): \(error.words)") }
  }
}
