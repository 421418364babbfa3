// SPDX-License-Identifier: Apache-2.0
// The ledger as a value: what the office must answer, in as few words as possible. The oracle of the others.

package import Cluster
package import Vocabulary

package struct LedgerModel {
  package struct Node {
    package let id: Int
    package var run: UInt64
    package var incarnation = 1
    package var seen: Duration
    package var entered: Duration
    package var isDraining = false
  }

  package struct List {
    package let submission: Submission
    package let folder: [UInt8]
    package let revises: LedgerList?
    /// The node that submitted it.
    package let home: Int
    package var serviceClass: ServiceClass
    package var next: UInt32 = 1
    package var pass: UInt64
    package var state = LedgerState.running
    package var ended = Duration.zero
    package var keeper: Int?
    package var isReturned = false
    /// Photos behind `next` that are shares of their own, or were, by the first one.
    package var gaps: [UInt32: UInt32] = [:]
    /// Shares that were cut out and that no node has had.
    package var cuts = 0

    package var isReady: Bool { state == .running && (next <= submission.photos || cuts > 0) }
  }

  package struct Part {
    package let last: UInt32
    package var node: Int?
    package var epoch: UInt32 = 1
    package var sequence: UInt32 = 0
    package var due: Duration
    package var deaths: UInt32 = 0
    package var done: PhotoMask
    package var waits: [UInt8] = []
  }

  package struct Place: Hashable, Comparable {
    package let list: LedgerList
    package let first: UInt32

    package init(list: LedgerList, first: UInt32) { (self.list, self.first) = (list, first) }

    package static func < (a: Place, b: Place) -> Bool { (a.list, a.first) < (b.list, b.first) }
  }

  struct Account: Hashable {
    let serviceClass: ServiceClass
    let owner: String
  }

  private struct Name: Hashable {
    let owner: String
    let name: [UInt8]
  }

  package let silence: Duration
  package private(set) var now = Duration.zero
  package private(set) var nodes: [String: Node] = [:]
  package internal(set) var lists: [LedgerList: List] = [:]
  package internal(set) var parts: [Place: Part] = [:]
  package private(set) var outcomes: [LedgerList: [UInt32: Outcome]] = [:]
  private var reported: [LedgerList: [[UInt32]: [Outcome]]] = [:]
  private var newest: [Name: LedgerList] = [:]
  private var origins: [String: (list: LedgerList, isTwin: Bool)] = [:]
  private var folders: Set<[UInt8]> = []
  private(set) var accounts: [Account: UInt64] = [:]
  private var lastList: UInt64 = 0
  package var seats = SeatModel()
  var focus: [LedgerList: [OutsideText: FocusModel]] = [:]

  package init(silence: Duration) { self.silence = silence }

  package mutating func pass(_ time: Duration) { now += time }

  // MARK: nodes

  /// The incarnation; nil if another run has taken over the name.
  package mutating func enter(_ name: String, run: UInt64, known: Int?) -> Int? {
    if let known {
      guard nodes[name]?.run == run, nodes[name]?.incarnation == known else { return nil }
      nodes[name]?.seen = now
      nodes[name]?.entered = now
      return known
    }
    guard var node = nodes[name] else {
      nodes[name] = Node(id: nodes.count, run: run, seen: now, entered: now)
      return 1
    }
    if node.run != run {
      (node.run, node.isDraining) = (run, false)
      node.incarnation += 1
    }
    (node.seen, node.entered) = (now, now)
    nodes[name] = node
    return node.incarnation
  }

  func node(_ name: String, _ incarnation: Int) -> Node? {
    nodes[name].flatMap { $0.incarnation == incarnation ? $0 : nil }
  }

  package mutating func drain(_ name: String, _ isOn: Bool) -> Bool {
    guard nodes[name] != nil else { return false }
    nodes[name]?.isDraining = isOn
    return true
  }

  package func facts() -> [NodeFacts] {
    nodes.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
      .map { name, node in
        let leased = parts.filter { $0.value.node == node.id }
        return NodeFacts(
          name, silence: now - node.seen, isDraining: node.isDraining,
          leased: leased.reduce(0) { $0 + $1.value.last - $1.key.first + 1 },
          version: Release.version)
      }
  }

  // MARK: turns

  private func isActive(_ account: Account) -> Bool {
    lists.values.contains {
      $0.isReady && $0.serviceClass == account.serviceClass
        && $0.submission.owner == account.owner
    }
  }

  private mutating func join(_ account: Account) {
    accounts[account] = max(accounts[account] ?? 0, leastPass(account.serviceClass))
  }

  /// Of the users at work; none is far behind.
  private func leastPass(_ serviceClass: ServiceClass) -> UInt64 {
    let all = accounts.filter { $0.key.serviceClass == serviceClass && isActive($0.key) }.values
    return max(all.min() ?? 0, Self.pass(behind: all.max() ?? 0))
  }

  private static func pass(behind first: UInt64) -> UInt64 {
    first - min(first, UInt64(LeaseWish.mostPhotos))
  }

  private func leastPass(_ account: Account) -> UInt64 {
    lists.values.filter {
      $0.isReady && $0.serviceClass == account.serviceClass
        && $0.submission.owner == account.owner
    }.map(\.pass).min() ?? 0
  }

  func isBehindEarlier(_ list: List) -> Bool {
    list.revises.flatMap { lists[$0]?.state.isFinal } == false
  }

  private func turn(
    upTo least: ServiceClass, isReversed: Bool, _ refused: Set<LedgerList>
  ) -> LedgerList? {
    let ready = lists.filter { list in
      list.value.isReady && list.value.serviceClass <= least && !refused.contains(list.key)
        && !isBehindEarlier(list.value)
    }
    func rank(_ list: (key: LedgerList, value: List)) -> (Int, UInt64, [UInt8], UInt64, UInt64) {
      let account = Account(
        serviceClass: list.value.serviceClass, owner: list.value.submission.owner)
      let order = Int(account.serviceClass.rawValue) * (isReversed ? -1 : 1)
      return (
        order, accounts[account] ?? 0, Array(account.owner.utf8), list.value.pass,
        list.key.number
      )
    }
    return ready.min { a, b in
      let (a, b) = (rank(a), rank(b))
      if a.0 != b.0 { return a.0 < b.0 }
      if a.1 != b.1 { return a.1 < b.1 }
      if a.2 != b.2 { return a.2.lexicographicallyPrecedes(b.2) }
      return (a.3, a.4) < (b.3, b.4)
    }?.key
  }

  package func isFrom(_ list: LedgerList, _ origin: String?) -> Bool {
    origin.map { origins[$0]?.list == list } ?? true
  }

  // MARK: lists come

  package mutating func submit(_ list: Submission, by node: Int) -> Submitted {
    if let known = origins[list.origin] {
      let old = lists[known.list]
      if known.isTwin { return .twin(known.list, folder: old?.folder ?? []) }
      return .list(known.list, earlier: old?.revises, folder: old?.folder ?? [])
    }
    let name = Name(owner: list.owner, name: list.name)
    let earlier = list.isRoll ? nil : newest[name]
    if let earlier, let old = lists[earlier], old.submission.sha256 == list.sha256,
      old.state == .running || old.state == .paused
    {
      origins[list.origin] = (earlier, true)
      return .twin(earlier, folder: old.folder)
    }
    lastList += 1
    let number = LedgerList(lastList)
    var folder: [UInt8]?
    if earlier == nil, list.isFolderFree, folders.insert(list.folder).inserted {
      folder = list.folder
    }
    let settled = folder ?? list.folder + Array("~\(number)".utf8)
    folders.insert(settled)
    if let earlier, lists[earlier]?.state == .running || lists[earlier]?.state == .paused {
      lists[earlier]?.state = .cancelling
      end(earlier)
    }
    let account = Account(serviceClass: list.serviceClass, owner: list.owner)
    join(account)
    lists[number] = List(
      submission: list, folder: settled, revises: earlier, home: node,
      serviceClass: list.serviceClass,
      pass: leastPass(account))
    origins[list.origin] = (number, false)
    if !list.isRoll { newest[name] = number }
    return .list(number, earlier: earlier, folder: settled)
  }

  // MARK: photos go

  package mutating func report(_ report: ShareReport, _ name: String, _ incarnation: Int) -> Verdict
  {
    guard let node = node(name, incarnation) else { return .fenced }
    let place = Place(list: report.share.list, first: report.share.first)
    let key = [report.share.first, report.share.epoch, report.sequence]
    let isRepeated = reported[place.list]?[key] == report.outcomes
    guard var part = parts[place], part.node == node.id, part.epoch == report.share.epoch,
      part.sequence + 1 == report.sequence, part.done.count == report.photos,
      part.done.isDisjoint(with: report.mask)
    else { return isRepeated ? .recorded : .fenced }
    part.done.formUnion(report.mask)
    part.sequence = report.sequence
    if report.isLast, !part.done.isFull { return isRepeated ? .recorded : .fenced }
    parts[place] = report.isLast ? nil : part
    if !report.outcomes.isEmpty { reported[place.list, default: [:]][key] = report.outcomes }
    for outcome in report.outcomes { outcomes[place.list, default: [:]][outcome.photo] = outcome }
    return switch lists[place.list]?.state {
    case .paused: .pause
    case .cancelling: .cancel
    default: .recorded
    }
  }

  package mutating func endLists(_ ending: [LedgerList]) {
    for list in Set(ending).sorted() { end(list) }
  }

  private mutating func end(_ number: LedgerList) {
    guard let list = lists[number], !list.state.isFinal else { return }
    let own = parts.filter { $0.key.list == number }
    if list.state == .cancelling {
      if own.contains(where: { $0.value.node != nil }) { return }
      for place in own.keys { parts[place] = nil }
    } else if list.next <= list.submission.photos || !own.isEmpty {
      return
    }
    lists[number]?.gaps = [:]
    focus[number] = nil
    lists[number]?.state = list.state == .cancelling ? .cancelled : .finished
    lists[number]?.ended = now
    lists[number]?.keeper = list.home
  }

  package mutating func lease(_ wish: LeaseWish, _ name: String, _ incarnation: Int) -> [Share] {
    guard let node = node(name, incarnation), !node.isDraining else { return [] }
    let refused = refused(by: wish)
    let candidate = turn(upTo: wish.leastClass, isReversed: wish.isReversed, refused)
    var shares: [Share] = []
    var got = 0
    for place in returned(with: candidate, wish, refused).prefix(64) where got < wish.photos {
      let share = take(place, by: node)
      shares.append(share)
      got += share.photos
    }
    guard got < wish.photos, let candidate, let list = lists[candidate] else { return shares }
    let others = nodes.values.count {
      $0.id != node.id && !$0.isDraining && now - $0.seen < silence
    }
    let split = others > 0 ? 4 * (others + 1) : 1
    let all = Int(list.submission.photos) - Int(list.next) + 1
    let most = others > 0 ? max(8, min(wish.largest, all / split)) : wish.largest
    var (next, given, paid) = (list.next, 0, 0)
    for place in fresh(of: candidate).prefix(64)
    where got < wish.photos && (given < most || most == wish.largest) {
      let share = take(place, by: node)
      shares.append(share)
      got += share.photos
      given += share.photos
      paid += share.photos
    }
    while got < wish.photos, given < most || most == wish.largest, next <= list.submission.photos {
      let rest = Int(list.submission.photos - next) + 1
      var size = min(rest, max(8, min(wish.largest, rest / split)))
      if rest - size < 8, rest <= wish.largest { size = rest }
      let whole = size
      if let gap = list.gaps.keys.filter({ $0 > next }).min() { size = min(size, Int(gap - next)) }
      let place = Place(list: candidate, first: next)
      let part = Part(
        last: next + UInt32(size) - 1, node: node.id, due: now, done: PhotoMask(count: size))
      parts[place] = part
      shares.append(share(place, part))
      got += size
      given += size
      next = behindCuts(of: candidate, next + UInt32(size))
      if others > 0, whole < wish.largest, given >= whole { break }
    }
    lists[candidate]?.next = next
    pay(for: candidate, given - paid)
    return shares
  }

  /// Shares that were cut out and that no node has had.
  func fresh(of list: LedgerList) -> [Place] {
    parts.filter { $0.key.list == list && $0.value.epoch == 0 }.keys.sorted()
  }

  /// The next photo that was not cut out. The gaps before it are forgotten.
  mutating func behindCuts(of list: LedgerList, _ place: UInt32) -> UInt32 {
    var next = place
    while let last = lists[list]?.gaps.removeValue(forKey: next) { next = last + 1 }
    return next
  }

  /// The list and its user have got photos.
  mutating func pay(for number: LedgerList, _ photos: Int) {
    guard let list = lists[number] else { return }
    lists[number]?.pass += UInt64(photos)
    let account = Account(serviceClass: list.serviceClass, owner: list.submission.owner)
    let first = accounts.filter { $0.key.serviceClass == list.serviceClass }.values.max() ?? 0
    accounts[account] = max(accounts[account] ?? 0, Self.pass(behind: first)) + UInt64(photos)
  }

  mutating func take(_ place: Place, by node: Node) -> Share {
    if parts[place]?.epoch == 0, let last = parts[place]?.last {
      lists[place.list]?.cuts -= 1
      pay(for: place.list, Int(last - place.first) + 1)
    }
    parts[place]?.node = node.id
    parts[place]?.sequence = 0
    parts[place]?.epoch += 1
    guard let part = parts[place] else { fatalError("no such share") }
    return share(place, part)
  }

  /// The node has enough of these lists, or of lists of their users.
  private func refused(by wish: LeaseWish) -> Set<LedgerList> {
    var standing: [String: [(serviceClass: ServiceClass, photos: Int)]] = [:]
    for one in wish.standing {
      guard let list = lists[one.list] else { continue }
      standing[list.submission.owner, default: []].append((list.serviceClass, one.photos))
    }
    let crowded = lists.filter { _, list in
      let own = (standing[list.submission.owner] ?? []).filter {
        $0.serviceClass <= list.serviceClass
      }
      return own.count >= LeaseWish.mostListsOfUser
        || own.reduce(0) { $0 + $1.photos } >= LeaseWish.mostSharesOfUser * wish.largest
    }
    return Set(wish.full).union(crowded.keys)
  }

  private func returned(
    with candidate: LedgerList?, _ wish: LeaseWish, _ refused: Set<LedgerList>
  ) -> [Place] {
    let limit = candidate.flatMap { lists[$0]?.serviceClass }
    func serviceClass(_ place: Place) -> ServiceClass {
      lists[place.list]?.serviceClass ?? .default
    }
    return parts.filter { place, part in
      guard part.node == nil, part.epoch > 0, part.due <= now, lists[place.list]?.state == .running,
        serviceClass(place) <= wish.leastClass, !refused.contains(place.list)
      else { return false }
      guard let limit else { return true }
      return wish.isReversed ? serviceClass(place) >= limit : serviceClass(place) <= limit
    }.keys.sorted { a, b in
      let (first, second) = (serviceClass(a), serviceClass(b))
      return first == second ? a < b : wish.isReversed ? first > second : first < second
    }
  }

  private func share(_ place: Place, _ part: Part) -> Share {
    Share(
      ShareID(list: place.list, first: place.first, epoch: part.epoch), last: part.last,
      serviceClass: lists[place.list]?.serviceClass ?? .default, done: part.done,
      deaths: part.deaths, waits: part.waits)
  }

  package mutating func giveBack(
    _ share: ShareID, after delay: Duration, _ waits: [UInt8], _ name: String, _ incarnation: Int
  ) -> Bool {
    let place = Place(list: share.list, first: share.first)
    guard let node = node(name, incarnation), parts[place]?.node == node.id,
      parts[place]?.epoch == share.epoch
    else { return false }
    if lists[share.list]?.state == .cancelling {
      parts[place] = nil
    } else {
      parts[place]?.node = nil
      parts[place]?.waits = waits
      parts[place]?.due = now + delay
    }
    return true
  }

  package mutating func pulse(_ name: String, _ incarnation: Int) -> PulseAnswer? {
    guard let node = node(name, incarnation) else { return nil }
    nodes[name]?.seen = now
    if now - node.entered >= silence { bury(by: node.id) }
    let leases = parts.filter { $0.value.node == node.id }.sorted { $0.key < $1.key }
    return PulseAnswer(
      leases: leases.compactMap { place, part in
        lists[place.list].map { list in
          PulseAnswer.Lease(share(place, part), sequence: part.sequence, list.state)
        }
      }, isDraining: node.isDraining, isOpen: lists.values.contains { !$0.state.isFinal })
  }

  private mutating func bury(by own: Int) {
    let dead = Set(
      nodes.values.filter { now - $0.seen > silence && $0.id != own }.map(\.id))
    for (place, part) in parts where part.node.map(dead.contains) == true {
      parts[place]?.node = nil
      parts[place]?.due = now
      parts[place]?.deaths += 1
      _ = part
    }
    let ending = lists.filter { $0.value.state == .cancelling }.map(\.key)
    endLists(ending)
    for (number, list) in lists where list.state.isFinal && list.keeper.map(dead.contains) == true {
      lists[number]?.keeper = own
    }
  }

  // MARK: people

  package mutating func order(_ order: ListOrder, of number: LedgerList) -> Bool {
    guard let list = lists[number], !list.state.isFinal else { return false }
    func account(_ serviceClass: ServiceClass) -> Account {
      Account(serviceClass: serviceClass, owner: list.submission.owner)
    }
    switch order {
    case .quality(let serviceClass):
      if list.serviceClass == serviceClass { return false }
      join(account(serviceClass))
      let pass = max(list.pass, leastPass(account(serviceClass)))
      lists[number]?.serviceClass = serviceClass
      lists[number]?.pass = pass
    case .pause, .resume, .cancel:
      let state: LedgerState =
        order == .pause ? .paused : order == .resume ? .running : .cancelling
      if list.state == .cancelling || list.state == state { return false }
      if state == .running {
        join(account(list.serviceClass))
        let pass = max(list.pass, leastPass(account(list.serviceClass)))
        lists[number]?.pass = pass
      }
      lists[number]?.state = state
      if state == .cancelling { end(number) }
    }
    return true
  }

  package func progress(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) -> [ListProgress] {
    lists.filter { $0.key > list ?? LedgerList(0) && !(isOpen && $0.value.state.isFinal) }
      .sorted { $0.key < $1.key }.prefix(most).map { number, list in
        let own = parts.filter { $0.key.list == number && $0.value.node != nil }
        let ends = outcomes[number].map { Array($0.values) } ?? []
        return ListProgress(
          number, owner: list.submission.owner, name: list.submission.name, folder: list.folder,
          serviceClass: list.serviceClass, state: list.state, photos: list.submission.photos,
          filtered: UInt32(ends.count(where: \.isFiltered)),
          failed: UInt32(ends.count { !$0.isFiltered }),
          leased: own.reduce(0) { $0 + $1.value.last - $1.key.first + 1 },
          nodes: UInt32(Set(own.values.map(\.node)).count))
      }
  }

  package func home(of name: [UInt8], owner: String?) -> String? {
    let list = newest.filter { $0.key.name == name && (owner ?? $0.key.owner) == $0.key.owner }
      .values.max()
    return list.flatMap { lists[$0]?.home }.flatMap { id in nodes.first { $0.value.id == id }?.key }
  }

  // MARK: lists go

  package func closed(_ name: String, _ incarnation: Int) -> [LedgerList] {
    guard let node = node(name, incarnation) else { return [] }
    return lists.filter {
      $0.value.state.isFinal && $0.value.keeper == node.id && !$0.value.isReturned
    }.keys.sorted()
  }

  package mutating func returned(_ list: LedgerList, _ name: String, _ incarnation: Int) {
    guard let node = node(name, incarnation), lists[list]?.keeper == node.id,
      lists[list]?.state.isFinal == true, lists[list]?.isReturned == false
    else { return }
    lists[list]?.isReturned = true
    lists[list]?.keeper = nil
  }

  package mutating func retire(
    olderThan age: Duration, _ name: String, _ incarnation: Int
  ) -> [LedgerList] {
    guard let node = node(name, incarnation) else { return [] }
    let old = lists.filter { _, list in
      list.state.isFinal && list.isReturned && (list.keeper == nil || list.keeper == node.id)
        && list.ended <= now - age
    }.keys.sorted().prefix(64)
    for list in old { lists[list]?.keeper = node.id }
    return Array(old)
  }

  /// False if it is not this node's.
  package mutating func retired(_ list: LedgerList, _ name: String, _ incarnation: Int) -> Bool {
    guard let old = lists[list] else { return true }
    guard let node = node(name, incarnation), old.keeper == node.id, old.isReturned else {
      return false
    }
    let key = Name(owner: old.submission.owner, name: old.submission.name)
    if newest[key] == list { newest[key] = nil }
    lists[list] = nil
    outcomes[list] = nil
    reported[list] = nil
    origins = origins.filter { $0.value.list != list }
    return true
  }
}
