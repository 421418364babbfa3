// SPDX-License-Identifier: Apache-2.0
// A world in which lists live: the lives, the real ledger and the real admission, with full disks, dying
// workers, requests of people and crashes, all drawn from one seed. The record and `done` survive a crash;
// everything else is lost.

import Record
import Support
import Vocabulary

@testable import Chain
@testable import darkroomd

struct ListWorld {
  /// A deed that was begun and has not reported back, or an alarm.
  private enum Pending: Equatable {
    case deed(ListID, ListLife.Action)
    case wake(ListID, due: Duration)
  }

  private struct Question {
    let list: ListID
    let ask: ListLife.Ask
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

  // Lost in a crash.
  private(set) var lives = ListLives()
  private var admission = Admission(window: 6)
  private var pending: [Pending] = []
  private var flying: [PhotoID] = []
  private var toldDone: Set<ListID> = []
  private var lastWait: [ListID: UInt64] = [:]
  private var questions: [UInt64: Question] = [:]

  private var random: SimulatedRandom
  private var now = Duration.zero
  private var isFull = false
  private var oddList: ListID?
  private var lastQuestion: UInt64 = 0
  /// Lists whose cancel was answered: nothing of them may ever run again.
  private var still: Set<ListID> = []
  private(set) var violations: [String] = []
  private(set) var accepted = 0
  private(set) var crashes = 0
  private(set) var answers = 0
  private(set) var steps = 0

  init(seed: UInt64) { random = SimulatedRandom(seed: seed) }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  // MARK: history

  /// Lets this number of lists come and go, then removes every obstacle: now all lists must end.
  mutating func run(lists: Int) {
    while accepted < lists, violations.isEmpty {
      step()
      check()
    }
    isFull = false
    oddList = nil
    damaged = []
    // The damaged files are mended, and the daemon is restarted, as its advice says.
    restart()
    for _ in 0..<200_000 where violations.isEmpty {
      for list in ledger.openLists where list.state == .paused { ask(.resume, list.id) }
      guard act() else { break }
      check()
    }
    judge()
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
    case 15 where chance(6):
      crashes += 1
      restart()
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
    // A crash may come between the record and the life.
    if chance(50) { return restart() }
    begin(list, .accepted)
  }

  private mutating func begin(_ list: ListID, _ state: ListState) {
    perform(
      lives.begin(
        .init(list, state, prints: prints[list], revises: revises[list]), at: now))
  }

  private mutating func askSomething() {
    guard let list = ledger.lists.keys.sorted().randomElement(using: &random) else { return }
    let asks: [ListLife.Ask] = [.pause, .resume, .cancel]
    ask(asks.randomElement(using: &random) ?? .cancel, list)
  }

  private mutating func ask(_ ask: ListLife.Ask, _ list: ListID) {
    lastQuestion += 1
    questions[lastQuestion] = Question(list: list, ask: ask)
    happened(.asked(ask, .person(lastQuestion)), to: list)
  }

  private mutating func damage() {
    guard let list = ledger.openLists.map(\.id).randomElement(using: &random) else { return }
    damaged.insert(list)
  }

  /// Loses everything in memory, and begins the lives from the record.
  private mutating func restart() {
    (lives, admission, pending) = (ListLives(), Admission(window: 6), [])
    (flying, toldDone, lastWait, questions) = ([], [], [:], [:])
    for (list, entry) in ledger.lists.sorted(by: { $0.key < $1.key })
    where !(entry.state.isFinal && returned.contains(list)) {
      begin(list, entry.state)
    }
  }

  // MARK: events

  /// Lets one possible event happen; returns false if none happens by itself.
  private mutating func act() -> Bool {
    pump()
    tellChains()
    let ready = pending.indices.filter { place in
      switch pending[place] {
      case .wake(_, let due): due <= now
      case .deed(let list, .awaitIdle): !flying.contains { $0.list == list }
      case .deed: true
      }
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
    let dues = pending.compactMap { if case .wake(_, let due) = $0 { due } else { nil } }
    guard let next = (dues + [admission.nextDue].compactMap { $0 }).min() else { return false }
    now = max(now, next)
    return true
  }

  private mutating func happened(_ event: ListLife.Event, to list: ListID) {
    perform(lives.handle(event, of: list, at: now))
  }

  private mutating func perform(_ deeds: [ListLives.Deed]) {
    for deed in deeds {
      let list = deed.list
      switch deed.action {
      case .awaitIdle(let number):
        lastWait[list] = number
        pending.append(.deed(list, deed.action))
      case .takeOver, .open, .giveBack, .record:
        pending.append(.deed(list, deed.action))
      case .wake(let time): pending.append(.wake(list, due: now + time))
      case .pauseChains:
        admission.pause(list, now: now)
      case .resumeChains: admission.resume(list, now: now)
      case .dropChains:
        admission.drop(list, now: now)
        toldDone.remove(list)
      case .answer(.person(let number), let failure): answered(number, failure)
      case .forget:
        if lives[list] != nil { violations.append("\(list) is forgotten and lives") }
      case .tell, .health, .copyHealth: break
      case .answer, .stop: violations.append("\(deed) left the lives")
      }
    }
  }

  private mutating func answered(_ number: UInt64, _ failure: Failure?) {
    guard let question = questions.removeValue(forKey: number) else {
      return violations.append("question \(number) is answered twice")
    }
    answers += 1
    guard failure == nil else { return }
    let state = ledger[question.list]?.state
    switch question.ask {
    case .cancel:
      if state != .cancelled { violations.append("\(question.list) is not recorded cancelled") }
      still.insert(question.list)
    case .pause:
      if state == .running || state == .accepted {
        violations.append("\(question.list) is not recorded paused")
      }
    case .resume: break
    }
  }

  private mutating func finish(_ deed: Pending) {
    guard case .deed(let list, let action) = deed else {
      if case .wake(let list, _) = deed { happened(.timePassed, to: list) }
      return
    }
    switch action {
    case .takeOver: happened(.tookOver(isFull ? Self.full : takeOver(list)), to: list)
    case .open: happened(.opened(open(list)), to: list)
    case .awaitIdle(let number): happened(.idle(number), to: list)
    case .record(let turn): happened(.recorded(record(turn, list)), to: list)
    case .giveBack:
      let fails = isFull || chance(20)
      if !fails {
        if ledger[list]?.state.isFinal != true { violations.append("\(list) returned early") }
        if !returned.insert(list).inserted { violations.append("\(list) returned twice") }
      }
      happened(.returned(fails ? Self.full : nil), to: list)
    default: violations.append("\(action) is no deed")
    }
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

  private mutating func open(_ list: ListID) -> Failure? {
    if damaged.contains(list) { return Self.gone }
    if isFull || chance(30) { return Self.full }
    // As in the daemon, steps from before the list was closed end first.
    admission.drop(list, now: now)
    toldDone.remove(list)
    guard let entry = ledger[list], !entry.state.isFinal else { return .cancelled }
    if flying.contains(where: { $0.list == list }) { return Self.full }
    let waiting = entry.retries.keys.map { (number: $0, due: now) }
    admission.add(list, ListLines(.default, waiting: waiting), isPaused: true, now: now)
    return nil
  }

  private mutating func record(_ turn: ListLife.Turn, _ list: ListID) -> Failure? {
    if isFull { return Self.full }
    let change: Change =
      switch turn {
      case .paused: .paused(list)
      case .resumed: .resumed(list)
      case .cancelled: .cancelled(list)
      case .finished: .finished(list)
      }
    return ledger.apply(Transition(time: 1, change)) ? nil : .overtaken
  }

  @discardableResult
  private mutating func record(_ change: Change) -> Bool {
    ledger.apply(Transition(time: 1, change))
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
          happened(.unreadable(Self.gone), to: photo.list)
        } else {
          admission.learn(photo, Admission.Prospect())
        }
      case .give(let admitted):
        let photo = admitted.photo
        if still.contains(photo.list) { violations.append("\(photo) begins after its cancel") }
        if flying.contains(photo) { violations.append("\(photo) is on the way twice") }
        flying.append(photo)
      }
    }
  }

  private mutating func tellChains() {
    for news in admission.setbacks.takeNews() {
      happened(.troubled(news.failure), to: news.list)
    }
    for list in admission.doneLists where toldDone.insert(list).inserted {
      happened(.photosDone, to: list)
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
    for photo in flying where still.contains(photo.list) {
      violations.append("\(photo) runs after its list's cancel was answered")
    }
    // Photos of two lists never print into one folder at once.
    let folders = Set(flying.map(\.list)).map { (list: $0, folder: prints[$0]) }
    if Set(folders.map(\.folder)).count < folders.count {
      violations.append("two lists print into one folder: \(folders)")
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
    let isWorkLeft = pending.contains { pending in
      switch pending {
      // The answer to an older wait changes nothing.
      case .deed(let list, .awaitIdle(let number)): lastWait[list] == number
      case .deed: true
      // A late alarm changes nothing.
      case .wake: false
      }
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
    if !questions.isEmpty { violations.append("\(questions.count) questions are unanswered") }
    if lives.count > 0 { violations.append("\(lives.count) lives are left") }
    if !lives.isSettled || !isSettled { violations.append("nothing happens, and it is unsettled") }
  }
}
