// SPDX-License-Identifier: Apache-2.0
// A world in which lists live: the real keeper, ledger and admission, with full disks, dying workers,
// requests of people, stops and crashes between any two jobs of the keeper's tasks, all drawn from one seed.
// The record and `done` survive a stop or a crash; everything else is lost.

import Linux
import Record
import Support
import Vocabulary

@testable import Chain
@testable import darkroomd

struct ListWorld {
  /// An effect that lasts until the world ends it.
  private struct Pending {
    let deed: ListLives.Deed
    let reply: Reply<Failure?>
    /// Of an `awaitIdle`: older ones of the list do not count.
    let number: UInt64
    /// The list's class when the effect began.
    let serviceClass: ServiceClass
  }

  private static let full = Failure(.machine, code: "disk.full", reason: "no room")
  private static let odd = Failure(.machine, scope: .one, code: "system.21", reason: "a folder")
  private static let gone = Failure(.final, code: "list.gone", reason: "no catalog")

  // Survives a crash.
  private(set) var ledger = Ledger()
  private(set) var returned: Set<ListID> = []
  private var prints: [ListID: FileName] = [:]
  private var revises: [ListID: ListID] = [:]
  /// Lists whose files are damaged until a person mends them.
  private var damaged: Set<ListID> = []
  private(set) var witness = ListWitness()

  // Lost in a stop or crash.
  private var keeper: SteppedKeeper
  private var lives = ListLives()
  private var admission = Admission(window: 6)
  private var pending: [Pending] = []
  private var flying: [PhotoID] = []
  private var toldDone: Set<ListID> = []
  private var lastWait: [ListID: UInt64] = [:]

  private var random: SimulatedRandom
  private let clock = SimulatedClock()
  private var isFull = false
  /// Of the keeper: its stop is handled; its tasks have ended.
  private var isStopped = false
  private var isStopping = false
  private var isOver = false
  private var oddList: ListID?
  private(set) var violations: [String] = []
  private(set) var accepted = 0
  private(set) var crashes = 0
  private(set) var stops = 0
  private(set) var steps = 0

  /// All news in their order, for a replay.
  private(set) var trace: UInt64 = 0

  init(seed: UInt64) {
    random = SimulatedRandom(seed: seed)
    keeper = SteppedKeeper(clock: clock, open: [])
  }

  private var now: Duration { clock.uptime() }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  // MARK: history

  /// Lets this number of lists come and go, then removes every obstacle: now all lists must end.
  mutating func run(lists: Int) {
    while accepted < lists, violations.isEmpty {
      step()
      if chance(3) { turn(Int.random(in: 1...3, using: &random)) } else { settle() }
      check()
    }
    isFull = false
    oddList = nil
    rest()
    expectAnswers()
    damaged = []
    // The damaged files are mended, and the daemon is restarted, as its advice says.
    stop()
    for list in ledger.openLists where list.state == .paused { ask(.resume, list.id) }
    rest()
    judge()
    unwind()
  }

  /// Until nothing happens by itself.
  private mutating func rest() {
    for _ in 0..<200_000 where violations.isEmpty {
      guard act(isResting: true) else { return }
      settle()
      check()
    }
  }

  private mutating func step() {
    steps += 1
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<6: accept()
    case 6..<11: askSomething()
    case 11: isFull.toggle()
    case 12: oddList = ledger.lists.keys.sorted().randomElement(using: &random)
    case 13: oddList = nil
    case 14 where chance(4): damage()
    case 15 where chance(6): crash()
    case 16 where chance(6): stop()
    default: if !act() { accept() }
    }
  }

  private mutating func accept() {
    let list = ledger.nextList
    let folders = [FileName(literal: "A"), FileName(literal: "B"), FileName(literal: "C")]
    let folder = folders.randomElement(using: &random) ?? folders[0]
    let photos = UInt32.random(in: 1...3, using: &random)
    revises[list] = prints.filter { $0.value == folder }.keys.max()
    prints[list] = folder
    record(.accepted(list, Acceptance(photos: photos, serviceClass: .default, sha256: "")))
    accepted += 1
    // A request, a stop or a crash may come between the record and the life.
    if chance(8) {
      askSomething(of: list)
      turn(Int.random(in: 0...3, using: &random))
    }
    if chance(50) { return chance(2) ? crash() : stop() }
    begin(list, .accepted)
  }

  private func begin(_ list: ListID, _ state: ListState) {
    keeper.begin(
      .init(
        list, state, prints: prints[list], revises: revises[list],
        serviceClass: serviceClass(list)))
  }

  private mutating func askSomething() {
    guard let list = ledger.lists.keys.sorted().randomElement(using: &random) else { return }
    askSomething(of: list)
  }

  private mutating func askSomething(of list: ListID) {
    let asks: [ListLife.Ask] = [
      .pause, .resume, .cancel, .quality(.background), .quality(.userInitiated),
    ]
    ask(asks.randomElement(using: &random) ?? .cancel, list)
  }

  private mutating func ask(_ ask: ListLife.Ask, _ list: ListID) {
    keeper.ask(ask, of: list, witness.asked(ask, of: list))
  }

  private mutating func damage() {
    guard let list = ledger.openLists.map(\.id).randomElement(using: &random) else { return }
    damaged.insert(list)
  }

  // MARK: stops and crashes

  /// Running effects end as they like; nothing begins any more, and everyone who asked is answered.
  private mutating func stop() {
    stops += 1
    isStopping = true
    keeper.stop()
    settle()
    isStopped = true
    while violations.isEmpty, !isOver {
      if let place = pending.indices.randomElement(using: &random) {
        let one = pending.remove(at: place)
        // The chains stop, too: their photos end before they answer.
        if one.deed.action == .awaitIdle(0) { flying.removeAll { $0.list == one.deed.list } }
        finish(one, cancelled: chance(2))
      } else if !turn(1) {
        violations.append("the keeper has stopped and does not end")
      }
      settle()
    }
    expectAnswers()
    restart()
  }

  /// Everything in memory is lost. The tasks of the lost keeper end without an effect.
  private mutating func crash() {
    crashes += 1
    unwind()
    restart()
  }

  private mutating func unwind() {
    keeper.stop()
    var isOver = false
    for one in pending { one.reply.give(.cancelled) }
    while let news = keeper.step() {
      for case .deed(_, let reply?) in news { reply.give(.cancelled) }
      for case .over in news { isOver = true }
    }
    if !isOver { violations.append("the keeper does not end") }
  }

  /// Begins the lives from the record.
  private mutating func restart() {
    (lives, admission, pending) = (ListLives(), Admission(window: 6), [])
    (flying, toldDone, lastWait) = ([], [], [:])
    (isStopped, isStopping, isOver) = (false, false, false)
    witness.restarted()
    keeper = SteppedKeeper(clock: clock, open: Set(ledger.openLists.map(\.id)))
    for (list, entry) in ledger.lists.sorted(by: { $0.key < $1.key })
    where !(entry.state.isFinal && returned.contains(list)) {
      begin(list, entry.state)
    }
  }

  // MARK: events

  /// Runs some jobs of the keeper's tasks; returns false if there was none.
  @discardableResult
  private mutating func turn(_ jobs: Int = .max) -> Bool {
    for job in 0..<jobs {
      guard let news = keeper.step() else { return job > 0 }
      for one in news { take(one) }
    }
    return true
  }

  private mutating func settle() { turn() }

  /// Lets one possible event happen; returns false if none happens by itself. `isResting`: photos are given
  /// whenever they can be.
  private mutating func act(isResting: Bool = false) -> Bool {
    // Between two photos a list may have none on the way.
    if isResting || !chance(4) {
      pump()
      tellChains()
    }
    let ready = pending.indices.filter { place in
      let deed = pending[place].deed
      return deed.action != .awaitIdle(0) || !flying.contains { $0.list == deed.list }
    }
    let choices = ready.count + flying.count
    if choices > 0 {
      let choice = Int.random(in: 0..<choices, using: &random)
      if choice < ready.count {
        finish(pending.remove(at: ready[choice]))
      } else {
        end(flying.remove(at: choice - ready.count))
      }
      return true
    }
    if turn() { return true }
    let dues = [clock.next, admission.nextDue.map { $0 - now }]
    guard let next = dues.compactMap({ $0 }).min() else { return false }
    clock.advance(by: max(.zero, next))
    return true
  }

  private mutating func take(_ news: SteppedKeeper.News) {
    switch news {
    case .deed(let deed, let reply): perform(deed, reply)
    case .answer(let number, let failure):
      note(witness.answered(number, failure, isStopping: isStopping))
    case .lives(let lives): self.lives = lives ?? ListLives()
    case .over: isOver = true
    }
  }

  private mutating func perform(_ deed: ListLives.Deed, _ reply: Reply<Failure?>?) {
    let list = deed.list
    trace = trace &* 31 &+ list.number &* (reply == nil ? 1 : 7)
    if isStopped { violations.append("\(deed) begins after the stop") }
    if let reply {
      if deed.action == .awaitIdle(0) { lastWait[list, default: 0] += 1 }
      pending.append(
        Pending(
          deed: deed, reply: reply, number: lastWait[list] ?? 0,
          serviceClass: serviceClass(list)))
    }
    switch deed.action {
    case .pauseChains: admission.pause(list, now: now)
    case .resumeChains: admission.resume(list, now: now)
    case .setClass(let serviceClass): admission.setClass(serviceClass, of: list, now: now)
    case .dropChains:
      admission.drop(list, now: now)
      toldDone.remove(list)
    case .forget:
      let isAtWork = pending.contains { $0.deed.list == list && $0.deed.action != .awaitIdle(0) }
      if isAtWork || !returned.contains(list) || flying.contains(where: { $0.list == list }) {
        violations.append("\(list) is forgotten at work")
      }
    case .tell(let turn, _): note(witness.told(turn, list))
    default: break
    }
  }

  private mutating func note(_ violation: String?) {
    if let violation { violations.append(violation) }
  }

  private mutating func expectAnswers() {
    let open = witness.openQuestions
    if open > 0 { violations.append("\(open) questions are unanswered") }
  }

  private mutating func finish(_ pending: Pending, cancelled: Bool = false) {
    let list = pending.deed.list
    let failure: Failure? =
      switch pending.deed.action {
      case .awaitIdle: nil
      case .record(let turn, _): record(turn, list)
      case _ where cancelled: .cancelled
      case .takeOver: isFull ? Self.full : takeOver(list)
      // It reads the class at any time.
      case .open: open(list, chance(2) ? pending.serviceClass : serviceClass(list))
      case .giveBack: giveBack(list)
      default: Self.full
      }
    pending.reply.give(failure)
  }

  private mutating func giveBack(_ list: ListID) -> Failure? {
    if isFull || chance(20) { return Self.full }
    if ledger[list]?.state.isFinal != true { violations.append("\(list) returned early") }
    if !returned.insert(list).inserted { violations.append("\(list) returned twice") }
    return nil
  }

  /// Takes a print of the revised list over without making it again.
  private mutating func takeOver(_ list: ListID) -> Failure? {
    guard ledger[list]?.state.isFinal == false else { return .cancelled }
    let others = prints.filter { $0.value == prints[list] && $0.key < list }.keys
    for other in others where flying.contains(where: { $0.list == other }) {
      violations.append("\(list) takes over from \(other), of which photos are on the way")
    }
    if let before = revises[list], ledger[before]?.counts.filtered ?? 0 > 0, chance(2) {
      record(.filtered(PhotoID(list: list, number: 1), Contents(size: 1, hash: 1)))
    }
    return nil
  }

  private func serviceClass(_ list: ListID) -> ServiceClass {
    ledger[list]?.acceptance.serviceClass ?? .default
  }

  private mutating func open(_ list: ListID, _ serviceClass: ServiceClass) -> Failure? {
    if damaged.contains(list) { return Self.gone }
    if isFull || chance(30) { return Self.full }
    // As in the daemon, steps from before the list was closed end first.
    admission.drop(list, now: now)
    toldDone.remove(list)
    guard let entry = ledger[list], !entry.state.isFinal else { return .cancelled }
    if flying.contains(where: { $0.list == list }) { return Self.full }
    let waiting = entry.retries.keys.map { (number: $0, due: now) }
    admission.add(list, ListLines(serviceClass, waiting: waiting), isPaused: true, now: now)
    return nil
  }

  private mutating func record(_ turn: ListLife.Turn, _ list: ListID) -> Failure? {
    if isFull {
      witness.refused(list, Self.full)
      return Self.full
    }
    return record(turn.change(of: list)) ? nil : .overtaken
  }

  @discardableResult
  private mutating func record(_ change: Change) -> Bool {
    let isLegal = ledger.apply(Transition(time: 1, change))
    let state = ledger[change.list]?.state
    keeper.isOpen(change.list, state?.isFinal == false)
    if let state { witness.recorded(state, serviceClass(change.list), of: change.list) }
    return isLegal
  }

  // MARK: photos

  private mutating func pump() {
    while let step = admission.next(now: now) {
      switch step {
      case .seek(let list, let after):
        admission.sought(list, ledger[list]?.nextUnfinished(after: after))
      case .ask(let photo):
        if damaged.contains(photo.list) {
          admission.drop(photo.list, now: now)
          keeper.happened(.unreadable(Self.gone), to: photo.list)
        } else {
          admission.learn(photo, Admission.Prospect())
        }
      case .give(let admitted):
        let photo = admitted.photo
        if witness.still.contains(photo.list) {
          violations.append("\(photo) begins after its cancel")
        }
        if flying.contains(photo) { violations.append("\(photo) is on the way twice") }
        flying.append(photo)
      }
    }
  }

  private mutating func tellChains() {
    for news in admission.setbacks.takeNews() {
      keeper.happened(.troubled(news.failure), to: news.list)
    }
    for list in admission.doneLists where toldDone.insert(list).inserted {
      keeper.happened(.photosDone, to: list)
    }
  }

  private mutating func end(_ photo: PhotoID) {
    let end: PhotoEnd
    if photo.list == oddList {
      end = .listTrouble(Self.odd)
    } else if isFull {
      end = .stopped
    } else if chance(12) {
      record(.died(photo))
      record(
        .retry(photo, .filter, code: "worker.died", attempt: 1, after: 1, until: 1))
      end = .retry(after: .seconds(1))
    } else if chance(5) {
      end = record(.failed(photo, .download, code: "http.404", attempt: 1)) ? .failed : .stopped
    } else {
      let isRecorded = record(.filtered(photo, Contents(size: 1, hash: 1)))
      end = isRecorded ? .filtered : .stopped
    }
    admission.ended(photo, end, now: now)
  }

  // MARK: invariants

  private mutating func check() {
    for photo in flying where witness.still.contains(photo.list) {
      violations.append("\(photo) runs after its list's cancel was answered")
    }
    // Photos of two lists never print into one folder at once.
    let folders = Set(flying.map(\.list)).map { (list: $0, folder: prints[$0]) }
    if Set(folders.map(\.folder)).count < folders.count {
      violations.append("two lists print into one folder: \(folders)")
    }
    guard chance(4) else { return }
    keeper.look()
    settle()
    for (list, lines) in admission.keys where lives[list]?.isOpen == true {
      let found = lines.first.flatMap { admission.lines[$0]?.serviceClass }
      let isChanging = pending.contains { $0.deed.list == list && $0.deed.action.isQuality }
      if found != serviceClass(list), !isChanging {
        violations.append("\(list) is at work in class \(found as Any)")
      }
    }
    if lives.isSettled != isSettled {
      violations.append(
        "settled: the lives say \(lives.isSettled), the world \(isSettled): \(pending) "
          + "\(ledger.openLists.map { "\($0.id) \($0.state) \(lives[$0.id]?.phase as Any)" })")
    }
  }

  /// Nothing is under way, and every list is over, paused or damaged.
  private var isSettled: Bool {
    guard flying.isEmpty else { return false }
    let isWorkLeft = pending.contains { one in
      one.deed.action != .awaitIdle(0) || one.number == lastWait[one.deed.list]
    }
    if isWorkLeft { return false }
    return ledger.lists.allSatisfy { list, entry in
      switch entry.state {
      case .finished, .cancelled: returned.contains(list)
      case .paused: isOpenOrDamaged(list)
      case .accepted, .running: isDamaged(list)
      }
    }
  }

  private func isDamaged(_ list: ListID) -> Bool {
    if case .damaged = lives[list]?.phase { true } else { false }
  }

  private func isOpenOrDamaged(_ list: ListID) -> Bool {
    if case .open = lives[list]?.phase { true } else { isDamaged(list) }
  }

  /// Judges the end of a history, when every obstacle is gone.
  private mutating func judge() {
    if !violations.isEmpty { return }
    for (list, entry) in ledger.lists {
      if !entry.state.isFinal { violations.append("\(list) never ended: \(entry.state)") }
      if !returned.contains(list) { violations.append("\(list) never returned") }
    }
    expectAnswers()
    keeper.look()
    settle()
    if lives.count > 0 { violations.append("\(lives.count) lives are left") }
    if !lives.isSettled || !isSettled { violations.append("nothing happens, and it is unsettled") }
  }
}

extension ListLife {
  fileprivate var isOpen: Bool { if case .open = phase { true } else { false } }
}

extension ListLife.Action {
  fileprivate var isQuality: Bool { if case .record(.quality, _) = self { true } else { false } }
}
