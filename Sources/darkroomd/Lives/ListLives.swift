// SPDX-License-Identifier: Apache-2.0
// The lives of all lists and the rules between lists: a list cancels earlier ones that print into its folder
// and waits for their end; a few lists at most are opened, or returned, at once, their owners in turn. A value:
// events in, deeds out; no clock, no lock, no I/O; raises nothing.

import Vocabulary

struct ListLives: Sendable {
  /// The facts about a list when its life begins.
  struct Birth: Equatable, Sendable {
    let list: ListID
    let state: ListState
    /// Root if it is not known.
    let owner: UInt32
    /// The folder of its prints.
    let prints: FileName?
    /// The list whose prints it takes over.
    let revises: ListID?
    let serviceClass: ServiceClass
    /// Its return is that to the ledger, and makes no copy.
    let isShare: Bool

    init(
      _ list: ListID, _ state: ListState, of owner: UInt32 = 0, prints: FileName? = nil,
      revises: ListID? = nil, serviceClass: ServiceClass = .default, isShare: Bool = false
    ) {
      self.list = list
      self.state = state
      self.owner = owner
      self.prints = prints
      self.revises = revises
      self.serviceClass = serviceClass
      self.isShare = isShare
    }
  }

  /// An action of one list's life. `takeOver` comes when the earlier lists have ended.
  struct Deed: Equatable, Sendable {
    let list: ListID
    let action: ListLife.Action

    init(_ list: ListID, _ action: ListLife.Action) {
      self.list = list
      self.action = action
    }
  }

  private struct Member: Sendable {
    var life: ListLife
    let birth: Birth
  }

  /// The earlier lists that still have to end before a list takes over.
  private struct Succession: Sendable {
    var waitsFor: Set<ListID>
    var failure: Failure?
  }

  /// Limits the deeds of one kind that run at once. The other lists of an owner wait in order.
  private struct Slots: Sendable {
    private var places: OwnerPlaces
    private var taken: [ListID: UInt32] = [:]
    /// The lists of each owner, the first to come first. None is empty.
    private var waiting: [UInt32: [ListID]] = [:]

    init(most: Int) { places = OwnerPlaces(most: most) }

    func isWaiting(_ list: ListID, of owner: UInt32) -> Bool {
      waiting[owner]?.contains(list) == true
    }

    /// True if the deed may begin.
    mutating func take(_ list: ListID, of owner: UInt32) -> Bool {
      if taken[list] != nil { return false }
      waiting[owner, default: []].append(list)
      // No other list has a free place that it may have.
      return !begin().isEmpty
    }

    /// True if the deed had not begun.
    mutating func leave(_ list: ListID) -> Bool {
      guard let owner = waiting.first(where: { $0.value.contains(list) })?.key else { return false }
      remove(list, of: owner)
      return true
    }

    /// Returns the lists whose deeds begin next.
    mutating func free(_ list: ListID) -> [ListID] {
      guard let owner = taken.removeValue(forKey: list) else { return [] }
      places.leave(by: owner)
      return begin()
    }

    private mutating func begin() -> [ListID] {
      var begun: [ListID] = []
      while let (owner, list) = next {
        remove(list, of: owner)
        places.take(for: owner)
        taken[list] = owner
        begun.append(list)
      }
      return begun
    }

    private var next: (owner: UInt32, list: ListID)? {
      waiting.lazy.filter { places.hasRoom(for: $0.key) }
        .compactMap { owner, lists in lists.first.map { (owner: owner, list: $0) } }
        .min { (places.turn(of: $0.owner), $0.list) < (places.turn(of: $1.owner), $1.list) }
    }

    private mutating func remove(_ list: ListID, of owner: UInt32) {
      waiting[owner]?.removeAll { $0 == list }
      if waiting[owner]?.isEmpty == true { waiting[owner] = nil }
    }
  }

  private var members: [ListID: Member] = [:]
  /// The time of the current event.
  private var now = Duration.zero
  private var successions: [ListID: Succession] = [:]
  private var opening: Slots
  private var returning: Slots

  init(openings: Int = 4, returns: Int = 4) {
    opening = Slots(most: openings)
    returning = Slots(most: returns)
  }

  // MARK: seeing

  var count: Int { members.count }
  subscript(_ list: ListID) -> ListLife? { members[list]?.life }

  /// It is to be opened, or returned, as soon as another list makes room.
  func isWaitingForTurn(_ list: ListID) -> Bool {
    opening.isWaiting(list, of: owner(of: list)) || returning.isWaiting(list, of: owner(of: list))
  }

  /// No list changes without a user or an event from outside.
  var isSettled: Bool { members.values.allSatisfy(\.life.isSettled) }

  // MARK: events

  /// Does nothing for a known list.
  mutating func begin(_ birth: Birth, at now: Duration) -> [Deed] {
    self.now = now
    guard members[birth.list] == nil else { return [] }
    var life = ListLife(birth.state, birth.serviceClass, takesOver: birth.revises != nil)
    let actions = life.begin()
    members[birth.list] = Member(life: life, birth: birth)
    return perform(actions, of: birth.list)
  }

  /// Ignores events of unknown lists, but answers requests.
  mutating func handle(
    _ event: ListLife.Event, of list: ListID, at now: Duration
  ) -> [Deed] {
    self.now = now
    return handle(event, of: list)
  }

  /// Lists that wait for this machine are tried at once.
  mutating func relieve(at now: Duration) -> [Deed] {
    self.now = now
    return members.keys.sorted().flatMap { handle(.relieved, of: $0) }
  }

  private mutating func handle(_ event: ListLife.Event, of list: ListID) -> [Deed] {
    guard members[list] != nil else {
      guard case .asked(_, let asker) = event else { return [] }
      return perform([.answer(asker, OpenList.over)], of: list)
    }
    var deeds: [Deed] = []
    switch event {
    // `free` does nothing for a deed that had not begun.
    case .opened: deeds += opening.free(list).map { Deed($0, .open) }
    case .returned: deeds += returning.free(list).map { Deed($0, .giveBack) }
    // A return that has not begun ends before it does.
    case .abandoned where returning.leave(list):
      _ = members[list]?.life.handle(.returned(.cancelled), at: now)
    default: break
    }
    let actions = members[list]?.life.handle(event, at: now) ?? []
    return deeds + perform(actions, of: list)
  }

  // MARK: between lists

  private mutating func perform(_ actions: [ListLife.Action], of list: ListID) -> [Deed] {
    var deeds: [Deed] = []
    for action in actions {
      switch action {
      case .takeOver: deeds += succeed(list)
      // A deed that has begun notices by itself that the list is over.
      case .stop(.takeOver):
        if successions.removeValue(forKey: list) != nil {
          deeds += handle(.tookOver(.cancelled), of: list)
        }
      case .stop(.open):
        if opening.leave(list) { deeds += handle(.opened(.cancelled), of: list) }
      case .answer(.successor(let successor), let failure):
        deeds += ended(list, for: successor, failure)
      case .open: if opening.take(list, of: owner(of: list)) { deeds.append(Deed(list, .open)) }
      case .giveBack:
        if members[list]?.birth.isShare == true || returning.take(list, of: owner(of: list)) {
          deeds.append(Deed(list, .giveBack))
        }
      case .forget:
        members[list] = nil
        deeds.append(Deed(list, .forget))
      default: deeds.append(Deed(list, action))
      }
    }
    return deeds
  }

  private func owner(of list: ListID) -> UInt32 { members[list]?.birth.owner ?? 0 }

  /// Cancels earlier lists that print into the same folder.
  private mutating func succeed(_ list: ListID) -> [Deed] {
    guard let birth = members[list]?.birth, let prints = birth.prints else {
      return [Deed(list, .takeOver)]
    }
    // A list whose label could not be read at the start has no folder here.
    let earlier = members.filter { other, member in
      other < list && member.life.mayRun
        && (member.birth.prints == prints || other == birth.revises)
    }.keys.sorted()
    if earlier.isEmpty { return [Deed(list, .takeOver)] }
    successions[list] = Succession(waitsFor: Set(earlier))
    return earlier.flatMap { handle(.asked(.cancel, .successor(list)), of: $0) }
  }

  private mutating func ended(
    _ list: ListID, for successor: ListID, _ failure: Failure?
  ) -> [Deed] {
    guard successions[successor]?.waitsFor.remove(list) != nil else { return [] }
    // A list that has finished meanwhile has also ended.
    if let failure, failure != OpenList.over { successions[successor]?.failure = failure }
    guard let succession = successions[successor], succession.waitsFor.isEmpty else { return [] }
    successions[successor] = nil
    guard let failure = succession.failure else { return [Deed(successor, .takeOver)] }
    return handle(.tookOver(failure), of: successor)
  }
}

extension ListLife {
  /// Photos of the list are being worked on, or may be later.
  var mayRun: Bool {
    switch phase {
    case .returning, .over: false
    case .takingOver, .opening, .blocked, .damaged, .open, .finishing, .ending: true
    }
  }
}
