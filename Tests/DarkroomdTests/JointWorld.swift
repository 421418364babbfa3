// SPDX-License-Identifier: Apache-2.0
// A small world of the parts that meet at a list: the lives of lists, the admission of their photos with its focus, the
// ledger, the intake with its claims of folders, and removal. All of them are the real ones; what runs between them, the
// letters, records and answers, arrives in any order that a seed draws. `JointWorld+Photos` has the chains.

import Accept
import Output
import Record
import Support
import Vocabulary

@testable import Chain
@testable import darkroomd

struct JointWorld {
  /// A list on its way in. Its `about` is durable before its record.
  struct Draft {
    let list: ListID
    let family: JointFamily
    var label: ListLabel?
    var earlier: ListID?
    var step = Step.fresh

    enum Step { case fresh, prepared, recording, recorded }
  }

  /// The effect when a request to the recorder is answered.
  enum Then {
    case life(ListID), draft(ListID), removal, carried(ListID)
    case photo(PhotoID, PhotoEnd?)
  }

  struct Request {
    let changes: [Change]
    let then: Then
  }

  /// An effect of a life that lasts.
  struct Work {
    let deed: ListLives.Deed
    var lines: ListLines?
    var isStopped = false
  }

  /// Lists that are being removed, the newest first.
  struct Removal {
    var line: [ListID]
    var isHidden = false
    var isRecording = false
  }

  /// Survives a crash.
  struct Disk {
    var ledger = Ledger()
    var labels: [ListID: ListLabel] = [:]
    var families: [ListID: JointFamily] = [:]
    var revises: [ListID: ListID] = [:]
    var returned: Set<ListID> = []
    var hidden: Set<ListID> = []
    /// The list whose print has the name, which is the number of its photo.
    var prints: [FileName: [UInt32: ListID]] = [:]
  }

  /// Lost in a crash.
  struct Memory {
    var lives = ListLives()
    var admission = Admission(window: 3, reserve: 1, hosts: HostWindows(HostLimits(most: 1)))
    var index = ListIndex()
    var drafts: [Draft] = []
    var requests: [Request] = []
    var works: [Work] = []
    var mail: [(event: ListLife.Event, list: ListID)] = []
    var alarms: [(due: Duration, list: ListID)] = []
    var trips: [PhotoID: JointTrip] = [:]
    /// The chains' loop has taken it, and not answered yet.
    var held: Admission.Step?
    var toldDone: Set<ListID> = []
    var removal: Removal?
    var cancels: [UInt64: ListID] = [:]
  }

  static let full = Failure(.machine, code: "disk.full", reason: "no room")
  private static let mostLists = 5

  var disk = Disk()
  var memory = Memory()
  var book = JointBook()
  var random: SimulatedRandom
  var now = Duration.zero
  private let labels: JointLabels
  private var asks: UInt64 = 0
  private var accepted = 0

  var violations: [String] { book.violations }

  init(seed: UInt64, labels: JointLabels) {
    random = SimulatedRandom(seed: seed)
    self.labels = labels
  }

  mutating func chance(_ one: UInt64) -> Bool { random.oneIn(one) }

  mutating func pick(_ count: Int) -> Int? { count == 0 ? nil : random.number(below: count) }

  mutating func run(steps: Int) {
    for _ in 0..<steps where violations.isEmpty {
      let choice = random.number(below: 64)
      book.note(UInt64(choice))
      switch choice {
      case 0..<4: drop()
      case 4..<7: meddle()
      case 7..<14: prepare()
      case 14..<16: remove()
      case 16..<26: deliver()
      case 26..<36: record()
      case 36..<43: work()
      case 43..<51: move()
      case 51..<62: for _ in 0...random.number(below: 4) { pump() }
      case 62: pass()
      default: if chance(8) { crash() }
      }
    }
  }

  // MARK: people

  private mutating func meddle() {
    let known = disk.ledger.lists.keys.sorted()
    guard let place = pick(known.count) else { return }
    let list = known[place]
    switch random.number(below: 12) {
    case 0..<3: ask(.cancel, list)
    case 3: ask(.pause, list)
    case 4: ask(.resume, list)
    case 5: ask(.quality(chance(2) ? .background : .userInitiated), list)
    case 6..<9: order(list)
    case 9, 10:
      let viewer = FocusBoard.Viewer(list, user: UInt32(random.number(below: 2)), name: "v")
      try? memory.admission.setFocus(
        viewer, [1, 2, 3], until: now + .seconds(5), now: now)
    default: _ = memory.admission.flush(nil, now: now)
    }
  }

  private mutating func ask(_ ask: ListLife.Ask, _ list: ListID) {
    asks += 1
    if ask == .cancel { memory.cancels[asks] = list }
    memory.mail.append((.asked(ask, .person(asks, user: 0)), list))
  }

  // MARK: intake

  private mutating func drop() {
    let family = JointFamily.all[random.number(below: JointFamily.all.count)]
    // Files of one stem are taken one after the other.
    guard accepted < Self.mostLists,
      !memory.drafts.contains(where: { $0.family.stem == family.stem })
    else { return }
    accepted += 1
    let list = disk.ledger.nextList
    disk.ledger.reserve(upTo: list)
    memory.drafts.append(Draft(list: list, family: family))
  }

  private mutating func prepare() {
    guard let place = pick(memory.drafts.count) else { return }
    var draft = memory.drafts[place]
    let index = memory.index
    switch draft.step {
    case .fresh:
      draft.earlier = index.lists(called: draft.family.list, of: draft.family.owner).max()
      if let earlier = draft.earlier, earlier > draft.list { return giveUp(place) }
      let folder: FileName
      if let kept = draft.earlier.flatMap({ index[$0]?.terms.prints }) {
        folder = kept
        index.note(draft.list, into: kept)
      } else {
        folder = claim(draft)
      }
      draft.label = labels.label(draft.family, folder)
      draft.step = .prepared
    case .prepared:
      if let earlier = draft.earlier, index[earlier] == nil { return giveUp(place) }
      if chance(16) { return giveUp(place) }
      disk.labels[draft.list] = draft.label
      disk.families[draft.list] = draft.family
      disk.revises[draft.list] = draft.earlier
      let photos = UInt32(1 + random.number(below: 3))
      let acceptance = Acceptance(photos: photos, serviceClass: .default, sha256: "")
      memory.requests.append(
        Request(changes: [.accepted(draft.list, acceptance)], then: .draft(draft.list)))
      draft.step = .recording
    case .recording: return
    case .recorded:
      guard let label = draft.label else { return }
      index.add(draft.list, label)
      memory.drafts.remove(at: place)
      return begin(draft.list, .accepted)
    }
    memory.drafts[place] = draft
  }

  /// A folder that no other list has, as `ListIntake` claims it.
  private func claim(_ draft: Draft) -> FileName {
    let plain = PrintName.folder(list: draft.family.list.text, number: nil)
    if disk.prints[plain] == nil, memory.index.claim(plain, for: draft.list) {
      return plain
    }
    let own = PrintName.folder(list: draft.family.list.text, number: draft.list.number)
    memory.index.note(draft.list, into: own)
    return own
  }

  private mutating func giveUp(_ place: Int) {
    memory.index.giveUp(memory.drafts.remove(at: place).list)
  }

  private mutating func begin(_ list: ListID, _ state: ListState) {
    let prints = disk.labels[list]?.terms.prints
    let sharer = disk.labels.first { other, label in
      other != list && disk.ledger[other] != nil && label.terms.prints == prints
        && disk.families[other] != disk.families[list]
    }
    if let sharer { book.violate("\(list) and \(sharer.key) print into \(prints as Any)") }
    perform(
      memory.lives.begin(
        ListLives.Birth(
          list, state, prints: prints, revises: disk.revises[list],
          serviceClass: disk.ledger.serviceClass(of: list)), at: now))
  }

  // MARK: removal

  /// As `ListRemover` checks it.
  private mutating func order(_ list: ListID) {
    guard memory.removal == nil else { return }
    let index = memory.index
    let line = [list] + index.forerunners(of: list).filter { disk.ledger[$0] != nil }
    let isOver = line.allSatisfy {
      disk.ledger[$0]?.state.isFinal == true && disk.ledger.isArchived($0)
    }
    let isHeired = disk.ledger.openLists.contains { index.predecessors(of: $0.id).contains(list) }
    guard isOver, !isHeired, index[list] != nil, index.withdraw(line) else { return }
    memory.removal = Removal(line: line)
  }

  private mutating func remove() {
    guard var removal = memory.removal, !removal.isRecording else { return }
    if !removal.isHidden {
      disk.hidden.formUnion(removal.line)
      removal.isHidden = true
    } else if let list = removal.line.first {
      clear(list)
      removal.isRecording = true
      memory.requests.append(Request(changes: [.removed(list)], then: .removal))
    }
    memory.removal = removal
  }

  private mutating func clear(_ list: ListID) {
    guard let folder = memory.index.reserved(list)?.terms.prints,
      (memory.index.printer(into: folder) ?? list) <= list
    else { return }
    let strangers = disk.prints[folder, default: [:]].values.filter {
      disk.families[$0] != disk.families[list]
    }
    if !strangers.isEmpty { book.violate("\(list) is removed with prints of \(strangers)") }
    book.removals += 1
    disk.prints[folder] = nil
  }

  private mutating func isRemoved() {
    guard var removal = memory.removal, !removal.line.isEmpty else { return }
    let list = removal.line.removeFirst()
    disk.hidden.remove(list)
    memory.index.free(list)
    removal.isRecording = false
    memory.removal = removal.line.isEmpty ? nil : removal
  }

  // MARK: lives

  private mutating func deliver() {
    guard !memory.mail.isEmpty else { return }
    let (event, list) = memory.mail.removeFirst()
    perform(memory.lives.handle(event, of: list, at: now))
  }

  private mutating func perform(_ deeds: [ListLives.Deed]) {
    for deed in deeds {
      let list = deed.list
      switch deed.action {
      case .record(let turn, _):
        memory.requests.append(Request(changes: [turn.change(of: list)], then: .life(list)))
      case .takeOver, .open, .giveBack, .awaitIdle: memory.works.append(Work(deed: deed))
      case .stop(let step):
        for place in memory.works.indices
        where memory.works[place].deed
          == ListLives.Deed(list, step == .open ? .open : .takeOver)
        {
          memory.works[place].isStopped = true
        }
      case .pauseChains:
        memory.admission.pause(list, now: now)
        stopTrips(of: list)
      case .resumeChains: memory.admission.resume(list, now: now)
      case .setClass(let serviceClass):
        memory.admission.setClass(serviceClass, of: list, now: now)
        if chance(2) { stopTrips(of: list) }
      case .dropChains: dropChains(list)
      case .answer(.person(let number, _), let failure):
        if let list = memory.cancels.removeValue(forKey: number), failure == nil {
          book.still.insert(list)
        }
      case .wake(let after): memory.alarms.append((now + after, list))
      case .answer, .tell, .health, .copyHealth, .forget: break
      }
    }
  }

  private mutating func work() {
    let ready = memory.works.indices.filter { place in
      switch memory.works[place].deed.action {
      case .open, .awaitIdle: !isBusy(memory.works[place].deed.list)
      default: true
      }
    }
    guard let choice = pick(ready.count) else { return }
    let place = ready[choice]
    let one = memory.works[place]
    let list = one.deed.list
    switch one.deed.action {
    case .awaitIdle(let number): answer(place, .idle(number))
    case .takeOver:
      memory.works.remove(at: place)
      if one.isStopped { memory.mail.append((.tookOver(.cancelled), list)) } else { carry(list) }
    case .giveBack: answer(place, .returned(giveBack(list)))
    default:
      if one.isStopped { return answer(place, .opened(.cancelled)) }
      if let lines = one.lines {
        memory.admission.add(list, lines, isPaused: true, now: now)
        return answer(place, .opened(nil))
      }
      // The chains of an earlier opening end first.
      dropChains(list)
      guard let entry = disk.ledger[list], !entry.state.isFinal else {
        return answer(place, .opened(.cancelled))
      }
      if chance(20) { return answer(place, .opened(Self.full)) }
      memory.works[place].lines = ListLines(
        entry.acceptance.serviceClass, owner: disk.families[list]?.owner ?? 0,
        waiting: entry.retries.keys.sorted().map { ($0, now) })
    }
  }

  private mutating func answer(_ place: Int, _ event: ListLife.Event) {
    memory.mail.append((event, memory.works.remove(at: place).deed.list))
  }

  private mutating func giveBack(_ list: ListID) -> Failure? {
    if chance(10) { return Self.full }
    disk.returned.insert(list)
    disk.ledger.archived(list)
    let isAwaited = disk.ledger.openLists.contains { disk.revises[$0.id] == list }
    if !isAwaited { disk.ledger.dropBequest(of: list) }
    return nil
  }

  /// Takes over what the earlier list has, as `Revision` does.
  private mutating func carry(_ list: ListID) {
    let folder = disk.labels[list]?.terms.prints
    let rivals = memory.trips.keys.filter { disk.labels[$0.list]?.terms.prints == folder }
    if !rivals.isEmpty { book.violate("\(list) takes over while \(rivals) are on their way") }
    guard let earlier = disk.revises[list], let entry = disk.ledger[list], let folder else {
      return memory.mail.append((.tookOver(nil), list))
    }
    let contents = Contents(size: 1, hash: 1)
    let changes = (1...entry.acceptance.photos).compactMap { number -> Change? in
      let photo = PhotoID(list: list, number: number)
      guard disk.ledger.state(of: photo) == .known(.new) else { return nil }
      if disk.prints[folder]?[number] == earlier { return .filtered(photo, contents) }
      return disk.ledger.bequests[earlier][number] == nil ? nil : .downloaded(photo, contents)
    }
    if changes.isEmpty { return memory.mail.append((.tookOver(nil), list)) }
    memory.requests.append(Request(changes: changes, then: .carried(list)))
  }

  // MARK: the record

  /// Any request may be the next one.
  private mutating func record() {
    guard let place = pick(memory.requests.count) else { return }
    let request = memory.requests.remove(at: place)
    let failure: Failure? = chance(30) ? Self.full : apply(request) ? nil : .overtaken
    switch request.then {
    case .life(let list): memory.mail.append((.recorded(failure), list))
    case .carried(let list): memory.mail.append((.tookOver(failure), list))
    case .photo(let photo, let end): recorded(photo, end, failure)
    case .removal where failure == Self.full: memory.requests.append(request)
    case .removal: isRemoved()
    case .draft(let list):
      if let place = memory.drafts.firstIndex(where: { $0.list == list }) {
        memory.drafts[place].step = failure == nil ? .recorded : .prepared
      }
    }
  }

  private mutating func apply(_ request: Request) -> Bool {
    var isWhole = true
    for change in request.changes {
      let isLegal = disk.ledger.apply(Transition(time: 1, change))
      if isLegal { book.applied(change) }
      isWhole = isWhole && isLegal
    }
    return isWhole
  }

  // MARK: time and crashes

  private mutating func pass() {
    now += .milliseconds(random.number(below: 6000))
    memory.admission.focus.expire(now)
    for alarm in memory.alarms where alarm.due <= now {
      memory.mail.append((.timePassed, alarm.list))
    }
    memory.alarms.removeAll { $0.due <= now }
  }

  /// The first of the queued requests reach the journal.
  private mutating func crash() {
    book.crashes += 1
    for request in memory.requests.prefix(random.number(below: memory.requests.count + 1)) {
      _ = apply(request)
    }
    for (photo, trip) in memory.trips { book.left(photo, trip) }
    memory = Memory()
    for (list, label) in disk.labels where disk.ledger[list] != nil && !disk.hidden.contains(list) {
      memory.index.add(list, label)
    }
    for list in disk.hidden {
      if let label = disk.labels[list] { memory.index.reserve(list, label) }
    }
    if !disk.hidden.isEmpty {
      memory.removal = Removal(line: disk.hidden.sorted(by: >), isHidden: true)
    }
    for list in disk.ledger.lists.keys.sorted() {
      guard let state = disk.ledger[list]?.state,
        !(state.isFinal && disk.returned.contains(list)), !disk.hidden.contains(list)
      else { continue }
      begin(list, state)
    }
  }
}

extension Ledger {
  func serviceClass(of list: ListID) -> ServiceClass {
    self[list].map(\.acceptance.serviceClass) ?? .default
  }
}
