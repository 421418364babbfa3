// SPDX-License-Identifier: Apache-2.0
// The loop of a node, as `ShareDesk` runs it, and the way of its calls to the ledger.

import Cluster
import ClusterModel
import Support
import Vocabulary

@testable import Chain
@testable import darkroomd

extension LeaseWorld {
  /// Between two reports.
  static let rest = Duration.seconds(1)
  /// The longest time of a round trip.
  static let patience = Duration.seconds(10)

  // MARK: the loop of a node

  mutating func step(_ node: Int) {
    guard nodes[node].open == nil else { return }
    let next = nodes[node].lastPulse.map { $0 + nodes[node].book.interval } ?? .zero
    let due = min(next, nodes[node].seatBook.due ?? next)
    if now >= due || nodes[node].book.mustAsk {
      nodes[node].lastPulse = now
      return send(.pulse(seatRequest(node)), from: node)
    }
    turn(node)
  }

  mutating func turn(_ node: Int) {
    let over = nodes[node].works.filter(\.value.isOver).keys.sorted()
    for list in over {
      perform(nodes[node].book.ended(list), at: node)
      nodes[node].works[list] = nil
    }
    var reports: [ShareReport] = []
    for (list, work) in nodes[node].works.sorted(by: { $0.key < $1.key }) {
      if nodes[node].book[list] == nil, !work.isDropped { nodes[node].works[list] = nil }
      reports += nodes[node].book.report(list, work.ended).map { [$0] } ?? []
    }
    let waiting = waitingPhotos(node)
    let wish = nodes[node].book.wish(waiting.counts, slow: waiting.slow, room: waiting.room)
    if let wish, let last = nodes[node].dry[wish.leastClass], wish.refuses(all: last) {
      violate("node \(node) asks again while nothing waits")
    }
    if reports.isEmpty, wish == nil { return giveBack(node) }
    send(.turn(reports, wish), from: node)
  }

  mutating func giveBack(_ node: Int) {
    if let (share, delay) = nodes[node].returns.first {
      return send(.giveBack(share, delay), from: node)
    }
    rest(node, Self.rest)
  }

  mutating func rest(_ node: Int, _ pause: Duration) {
    perform(nodes[node].book.look(at: now), at: node)
    after(pause, .step(node))
  }

  // MARK: calls

  mutating func send(_ call: Call, from node: Int) {
    calls += 1
    nodes[node].open = (calls, call, now)
    requests[calls] = (node, nodes[node].isConnected ? nodes[node].incarnation : nil, call)
    let isCalm = now >= plan.calm
    guard !isCalm, random.oneIn(plan.breaks) else {
      return after(time(upTo: .milliseconds(50)), .execute(node, call: calls, isHeard: true))
    }
    count("breaks")
    let loss = time(upTo: random.oneIn(3) ? Self.patience : .milliseconds(50))
    after(loss, .lost(node, call: calls))
    switch random.number(below: 3) {
    // The request is lost, or the answer; or the request comes when the node has asked again.
    case 0: requests[calls] = nil
    case 1: after(loss / 2, .execute(node, call: calls, isHeard: false))
    default: after(loss + time(upTo: plan.leaseTime), .execute(node, call: calls, isHeard: false))
    }
  }

  mutating func execute(_ node: Int, _ number: Int, isHeard: Bool) {
    guard let request = requests.removeValue(forKey: number) else { return }
    figures.called(at: now)
    // A connection begins with its first call.
    let isNew = request.seat == nil
    if isNew, !isHeard { return }
    let name = nodes[node].name
    if isNew {
      guard nodes[node].isAlive, nodes[node].open?.number == number else { return }
      nodes[node].incarnation = ledger.enter(
        name, run: nodes[node].run, known: nodes[node].incarnation)
      nodes[node].isConnected = true
    }
    guard let seat = request.seat ?? nodes[node].incarnation else {
      return violate("node \(node) was replaced")
    }
    let answer: Answer
    switch request.call {
    case .pulse(let request):
      guard let pulse = ledger.pulse(name, seat) else { return }
      let seats = request.map { ledger.seats($0, name, seat) ?? [] }
      answer = .pulse(
        PulseAnswer(
          leases: pulse.leases, isDraining: pulse.isDraining, isOpen: pulse.isOpen,
          seats: seats.map { .success($0) }))
    case .turn(let reports, let wish):
      let verdicts = reports.map { ledger.report($0, name, seat) }
      let shares = wish.map { lease($0, name, seat) } ?? []
      ledger.endLists(reports.filter(\.isLast).map(\.share.list))
      answer = .turn(Turn(verdicts: verdicts, shares: shares))
    case .giveBack(let share, let delay):
      _ = ledger.giveBack(share, after: delay, [], name, seat)
      ledger.endLists([share.list])
      answer = .given
    }
    if isHeard { after(time(upTo: .milliseconds(50)), .answer(node, call: number, answer)) }
  }

  /// Of two users with photos that no node had, the one who got fewer is next, unless the node has enough of some list.
  private mutating func lease(_ wish: LeaseWish, _ name: String, _ seat: Int) -> [Share] {
    var before: [LedgerList: UInt32] = [:]
    var given: [String: Int] = [:]
    var ready: Set<String> = []
    for (number, list) in ledger.lists {
      before[number] = list.next
      given[list.submission.owner, default: 0] += Int(list.next) - 1
      if list.isReady { ready.insert(list.submission.owner) }
    }
    let shares = ledger.lease(wish, name, seat)
    let next = ledger.lists.first { $0.value.next != before[$0.key] }?.value.submission.owner
    if next != nil { figures.leased(at: now) }
    if wish.full.isEmpty, ready.isSuperset(of: ["anna", "ben"]), let next, next != "zoe" {
      let (one, other) = (given["anna"] ?? 0, given["ben"] ?? 0)
      figures.waited(one, other)
      if one != other, next != (one < other ? "anna" : "ben") {
        violate("\(next) is next, anna had \(one) photos, ben \(other)")
      }
      count("turns")
    }
    return shares
  }

  func isOpen(_ node: Int, _ call: Int) -> Bool { nodes[node].open?.number == call }

  mutating func lose(_ node: Int) {
    (nodes[node].open, nodes[node].isConnected) = (nil, false)
    nodes[node].book.lost()
    rest(node, Self.rest)
  }

  mutating func take(_ node: Int, _ answer: Answer) {
    guard let (_, call, asked) = nodes[node].open else { return }
    nodes[node].open = nil
    switch (call, answer) {
    case (.pulse(let request), .pulse(let answer)):
      if let request { takeSeats(node, request, answer, asked: asked) }
      nodes[node].dry = [:]
      let held = answer.leases.reduce(0) { $0 + $1.share.photos }
      if held > 16 * plan.chunk, plan.dead == .zero {
        violate("node \(node) has leased \(held) photos")
      }
      perform(nodes[node].book.answered(answer, asked: asked, now: now), at: node)
      turn(node)
    case (.turn(let reports, let wish), .turn(let turn)):
      for (report, verdict) in zip(reports, turn.verdicts) {
        if verdict != .fenced { checkRecorded(report, node) }
        perform(nodes[node].book.reported(report, verdict, now: now), at: node)
      }
      if let wish {
        if turn.shares.isEmpty {
          for serviceClass in ServiceClass.allCases where serviceClass <= wish.leastClass {
            nodes[node].dry[serviceClass] = wish
          }
        }
        perform(nodes[node].book.leased(turn.shares, for: wish, asked: asked), at: node)
      }
      giveBack(node)
    case (.giveBack, .given):
      nodes[node].returns.removeFirst()
      giveBack(node)
    default: violate("an answer of another kind")
    }
  }

  /// The outcomes that the node takes for recorded are in the ledger.
  mutating func checkRecorded(_ report: ShareReport, _ node: Int) {
    for outcome in report.outcomes
    where ledger.outcomes[report.share.list]?[outcome.photo] != outcome {
      violate("node \(node) takes photo \(outcome.photo) of \(report.share) for recorded")
    }
    count("reports")
  }

  // MARK: deeds

  mutating func perform(_ deeds: [LeaseBook.Deed], at node: Int) {
    for deed in deeds {
      switch deed {
      case .make(let share): after(time(upTo: .seconds(2)), .made(node, share))
      case .drop(let list):
        nodes[node].works[list]?.isDropped = true
        after(time(upTo: .seconds(2)), .ended(node, list))
      case .hold(let list): nodes[node].works[list]?.isHeld = true
      case .goOn(let list): nodes[node].works[list]?.isHeld = false
      case .reclass: break
      case .giveBack(let share, let delay): nodes[node].returns.append((share, delay))
      }
    }
  }

  mutating func make(_ node: Int, _ share: Share) {
    if random.oneIn(40) {
      count("shares that cannot be made")
      return perform(nodes[node].book.failed(share.id, at: now), at: node)
    }
    nodes[node].lastList += 1
    let list = ListID(nodes[node].lastList)
    let left = (0..<share.photos).filter { !share.done.contains($0) }
    nodes[node].works[list] = Work(
      mark: ShareMark(share), left: left.map { share.id.first + UInt32($0) })
    perform(nodes[node].book.made(list, for: share.id, at: now), at: node)
  }

  /// The photos in flight end, and others begin, as far as there are seats.
  mutating func work(_ node: Int, run: UInt64) {
    guard nodes[node].run == run else { return }
    after(time(upTo: .seconds(2)), .work(node, run: run))
    nodes[node].isStale = false
    for list in nodes[node].works.keys.sorted() where nodes[node].works[list]?.isDropped == false {
      for photo in nodes[node].works[list]?.running ?? [] {
        attempts += 1
        // No two attempts have the same outcome.
        nodes[node].works[list]?.ended.append(
          Outcome(photo: photo, isFiltered: !random.oneIn(9), row: Array("\(attempts)".utf8)))
      }
      nodes[node].works[list]?.running = []
    }
    var free = freeSeats(node)
    var room = plan.window - inFlight(node)
    for (list, work) in nodes[node].works.sorted(by: { $0.key < $1.key })
    where !work.isHeld && !work.isDropped && isAlive(work) {
      for photo in work.left where free[Int(photo % 2)] > 0 && room > 0 && !random.oneIn(4) {
        free[Int(photo % 2)] -= 1
        room -= 1
        nodes[node].works[list]?.left.removeAll { $0 == photo }
        nodes[node].works[list]?.running.append(photo)
      }
    }
    noteSeats(node)
  }
}

extension LeaseWorld {
  private func isAlive(_ work: Work) -> Bool {
    now >= plan.dead || ledger.lists[work.mark.id.list]?.submission.owner != "anna"
  }

  private func waitingPhotos(_ node: Int) -> WaitingPhotos {
    let free = freeSeats(node)
    let room = plan.window - inFlight(node)
    var slow = room > 0 ? nodes[node].book.slow : 0
    var waiting = WaitingPhotos(room: max(0, room))
    for (list, work) in nodes[node].works.sorted(by: { $0.key < $1.key })
    where !work.isHeld && !work.isDropped {
      let count = isAlive(work) ? min(slow, work.left.count { free[Int($0 % 2)] <= 0 }) : 0
      slow -= count
      waiting.counts[list] = isAlive(work) ? count : work.left.count
      waiting.slow[list] = count
    }
    return waiting
  }
}

extension LeaseWish {
  /// Everything that the other one refuses.
  fileprivate func refuses(all other: LeaseWish) -> Bool {
    Set(other.full).isSubset(of: full) && other.standing.count <= standing.count
  }
}

/// Events in the order of their times; those of one time in the order in which they were added.
struct EventQueue<Event> {
  private struct Entry {
    let time: Duration
    let number: Int
    let event: Event

    static func < (a: Entry, b: Entry) -> Bool { (a.time, a.number) < (b.time, b.number) }
  }

  private var heap: [Entry] = []
  private var added = 0

  mutating func add(_ event: Event, at time: Duration) {
    added += 1
    heap.append(Entry(time: time, number: added, event: event))
    var place = heap.count - 1
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func next() -> (Duration, Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if heap.isEmpty { return (first.time, first.event) }
    heap[0] = last
    var place = 0
    while true {
      let below = [2 * place + 1, 2 * place + 2].filter { $0 < heap.count }
      guard let least = below.min(by: { heap[$0] < heap[$1] }), heap[least] < heap[place] else {
        return (first.time, first.event)
      }
      heap.swapAt(place, least)
      place = least
    }
  }
}
