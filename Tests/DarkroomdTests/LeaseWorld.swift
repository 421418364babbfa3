// SPDX-License-Identifier: Apache-2.0
// Many nodes, each with its `LeaseBook`, and the model of the ledger, in simulated time: requests and answers are lost or
// come late, nodes are frozen, killed and gone for good, and all of it follows from a seed. A broken promise is noted
// as a violation.

import Chain
import Cluster
import ClusterModel
import Support
import Vocabulary

@testable import darkroomd

struct LeaseWorld {
  struct Plan {
    var nodes: Int
    /// Of each of the three users.
    var lists: Int
    var photos: UInt32
    var chunk = 16
    var leaseTime = Duration.seconds(30)
    /// To one host, from all nodes.
    var connections = 4
    /// The photos that a node works on at once.
    var window = 1000
    /// One of this number of calls breaks. In one of this number of seconds a node is frozen or killed.
    var breaks: UInt64 = 8
    var harms: UInt64 = 60
    /// Until then the servers of the first user's photos are dead.
    var dead = Duration.zero
    /// From then on nothing breaks.
    var calm = Duration.seconds(300)
    var end = Duration.seconds(3000)
  }

  enum Call {
    case pulse(SeatRequest?)
    case turn([ShareReport], LeaseWish?)
    case giveBack(ShareID, Duration)
  }

  enum Answer {
    case pulse(PulseAnswer)
    case turn(Turn)
    case given
  }

  enum Event {
    case step(Int)
    case execute(Int, call: Int, isHeard: Bool)
    case answer(Int, call: Int, Answer)
    case lost(Int, call: Int)
    case made(Int, Share)
    case ended(Int, ListID)
    case work(Int, run: UInt64)
    case harm(Int)
    case start(Int)
  }

  struct Work {
    let mark: ShareMark
    var left: [UInt32]
    /// In flight.
    var running: [UInt32] = []
    var ended: [Outcome] = []
    var isHeld = false
    var isDropped = false
    var isOver = false
  }

  struct Node {
    let name: String
    var run: UInt64 = 0
    var incarnation: Int?
    var isConnected = false
    var book: LeaseBook
    var works: [ListID: Work] = [:]
    var returns: [(ShareID, Duration)] = []
    var lastPulse: Duration?
    var lastList: UInt64 = 0
    var isAlive = false
    var isGone = false
    var frozen = Duration.zero
    /// The call whose answer it waits for.
    var open: (number: Int, call: Call, asked: Duration)?
    var claims: Set<LedgerModel.Place> = []
    /// It was told that nothing of these classes waits, for the wish, and has heard nothing since.
    var dry: [ServiceClass: LeaseWish] = [:]
    var seats = HostSeats()
    var seatBook = SeatBook()
    /// To each host, until the time of its seats is over.
    var connections = [0, 0]
    var seatTime = Duration.zero
    /// Photos are in flight that are older than the lease of its seats.
    var isStale = false
    /// Since when it has photos and no seat.
    var hungry: Duration?
  }

  let plan: Plan
  var random: SimulatedRandom
  var queue = EventQueue<Event>()
  var ledger: LedgerModel
  var nodes: [Node]
  /// The calls on their way to the ledger.
  var requests: [Int: (node: Int, seat: Int?, call: Call)] = [:]
  var calls = 0
  var attempts = 0
  /// Until when each node thinks that a share is its own.
  var claims: [LedgerModel.Place: [Int: Duration]] = [:]
  var violations: [String] = []
  var counts: [String: Int] = [:]
  var figures = LeaseFigures()

  var now: Duration { ledger.now }

  init(seed: UInt64, _ plan: Plan) {
    self.plan = plan
    random = SimulatedRandom(seed: seed)
    ledger = LedgerModel(silence: plan.leaseTime)
    nodes = (0..<plan.nodes).map {
      Node(name: "node \($0)", book: LeaseBook(leaseTime: plan.leaseTime, chunk: plan.chunk))
    }
  }

  mutating func time(upTo longest: Duration) -> Duration {
    .milliseconds(1 + random.number(below: max(1, Int(longest / .milliseconds(1)))))
  }

  mutating func after(_ delay: Duration, _ event: Event) {
    queue.add(event, at: now + delay)
  }

  mutating func violate(_ words: String) {
    violations.append("at \(now): \(words)")
  }

  mutating func count(_ what: String) { counts[what, default: 0] += 1 }

  // MARK: the run

  /// Returns when every list is over, or when the time is.
  mutating func play() {
    for (place, owner) in ["anna", "ben", "zoe"].enumerated() {
      for number in 1...plan.lists {
        _ = ledger.submit(
          Submission(
            origin: "\(owner)/\(number)", owner: owner, name: Array("\(number)".utf8),
            sha256: "\(number)", serviceClass: place == 2 ? .background : .default,
            photos: plan.photos, folder: Array("\(owner) \(number)".utf8)), by: 0)
      }
    }
    for node in nodes.indices {
      after(time(upTo: .seconds(1)), .start(node))
      after(.seconds(1), .harm(node))
    }
    while violations.count < 5, !ledger.lists.values.allSatisfy(\.state.isFinal),
      let (time, event) = queue.next()
    {
      if time > plan.end { return violate("lists do not end: \(open)") }
      if now < plan.dead, time >= plan.dead { checkOthers() }
      ledger.pass(time - now)
      happen(event)
    }
    figures.ended(at: now)
    checkBooks()
  }

  var open: [LedgerList] {
    ledger.lists.filter { !$0.value.state.isFinal }.map(\.key).sorted()
  }

  /// Dead servers of one user delay no other user.
  private mutating func checkOthers() {
    let others = ledger.lists.values.filter { $0.submission.owner != "anna" }
    if !others.allSatisfy(\.state.isFinal) { violate("lists of others are open: \(open)") }
    count("servers that come back")
  }

  mutating func checkBooks() {
    for (number, list) in ledger.lists where list.state == .finished {
      let ends = ledger.outcomes[number]?.count ?? 0
      if ends != Int(list.submission.photos) { violate("list \(number) has \(ends) ends") }
    }
  }

  mutating func happen(_ event: Event) {
    switch event {
    case .execute(let node, let call, let isHeard): execute(node, call, isHeard: isHeard)
    case .harm(let node): harm(node)
    case .start(let node): start(node)
    case .step(let node), .answer(let node, _, _), .lost(let node, _), .made(let node, _),
      .ended(let node, _), .work(let node, _):
      guard nodes[node].isAlive else { return }
      if nodes[node].frozen > now { return queue.add(event, at: nodes[node].frozen) }
      act(node, event)
      claim(node)
    }
  }

  mutating func act(_ node: Int, _ event: Event) {
    switch event {
    case .step: step(node)
    case .answer(_, let call, let answer): if isOpen(node, call) { take(node, answer) }
    case .lost(_, let call): if isOpen(node, call) { lose(node) }
    case .made(_, let share): make(node, share)
    case .ended(_, let list): nodes[node].works[list]?.isOver = true
    case .work(_, let run): work(node, run: run)
    case .execute, .harm, .start: break
    }
  }

  // MARK: harm

  mutating func harm(_ node: Int) {
    guard now < plan.calm else { return }
    after(.seconds(1), .harm(node))
    guard nodes[node].isAlive, random.oneIn(plan.harms) else { return }
    if random.oneIn(2) {
      count("freezes")
      nodes[node].frozen = now + time(upTo: plan.leaseTime * 3)
      return
    }
    count("kills")
    nodes[node].isAlive = false
    nodes[node].open = nil
    release(node)
    // The first one always comes back.
    if node > 0, random.oneIn(6) {
      nodes[node].isGone = true
    } else {
      after(time(upTo: plan.leaseTime * 3), .start(node))
    }
  }

  /// Its lists and their ended photos are in the record.
  mutating func start(_ node: Int) {
    nodes[node].run += 1
    (nodes[node].incarnation, nodes[node].isConnected) = (nil, false)
    (nodes[node].isAlive, nodes[node].returns, nodes[node].dry) = (true, [], [:])
    forgetSeats(node)
    var book = LeaseBook(leaseTime: plan.leaseTime, chunk: plan.chunk)
    for (list, work) in nodes[node].works where !work.isOver && !work.isDropped {
      book.restore(list, work.mark, isHeld: work.isHeld, at: now)
    }
    nodes[node].works = nodes[node].works.filter { !$0.value.isOver && !$0.value.isDropped }
    nodes[node].book = book
    nodes[node].lastPulse = nil
    claim(node)
    after(.zero, .step(node))
    after(time(upTo: .seconds(1)), .work(node, run: nodes[node].run))
  }

  // MARK: claims

  mutating func release(_ node: Int) {
    for place in nodes[node].claims { claims[place]?[node] = nil }
    nodes[node].claims = []
  }

  /// No two nodes think at one time that a share is their own.
  mutating func claim(_ node: Int) {
    release(node)
    for (share, holding) in nodes[node].book.holdings where !holding.isCancelled {
      let place = LedgerModel.Place(list: share.list, first: share.first)
      nodes[node].claims.insert(place)
      for (other, deadline) in claims[place] ?? [:] where min(deadline, holding.deadline) > now {
        violate("\(place) is both node \(node)'s and node \(other)'s, until \(deadline)")
      }
      claims[place, default: [:]][node] = holding.deadline
    }
  }
}
