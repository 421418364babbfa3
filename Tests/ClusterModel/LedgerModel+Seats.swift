// SPDX-License-Identifier: Apache-2.0
// The seats of nodes at servers, in the model.

package import Cluster
package import Vocabulary

package struct SeatModel {
  package struct Seat {
    package var most: Int
    package var useful: Int
    package var need: Int
    package var told = 0
    package var seats: Int
    package var turn: Int
    package var since: Duration
    package var until: Duration
  }

  private struct Said {
    let word: HostWord
    let time: Duration
    let node: Int
  }

  private struct Ask {
    let incarnation: Int
    let number: UInt64

    static func < (a: Ask, b: Ask) -> Bool {
      (a.incarnation, a.number) < (b.incarnation, b.number)
    }
  }

  /// By server, then by node.
  package private(set) var hosts: [String: [Int: Seat]] = [:]
  private var said: [String: Said] = [:]
  private var last: [Int: Ask] = [:]

  /// Nil for a request that came too late.
  mutating func take(
    _ request: SeatRequest, by node: LedgerModel.Node, silence: Duration, now: Duration
  ) -> [SeatGrant]? {
    let ask = Ask(incarnation: node.incarnation, number: request.number)
    if let last = last[node.id], !(last < ask) { return nil }
    last[node.id] = ask
    let isJudge = now - node.entered >= silence
    let named = Set(request.claims.map(\.host))
    for (host, rows) in hosts where !named.contains(host) && rows[node.id] != nil {
      hosts[host]?[node.id] = nil
    }
    forgetUnused()
    var grants: [SeatGrant] = []
    for claim in request.claims {
      // An answer stays for a while.
      let stays = said[claim.host].map { $0.word == .answered && $0.time > now - silence } ?? false
      if claim.word == .answered || (claim.word != .none && !stays) {
        said[claim.host] = Said(word: claim.word, time: now, node: node.id)
      }
      let report = said[claim.host].flatMap { said in
        said.node == node.id ? nil : HostReport(age: now - said.time, word: said.word)
      }
      var seats = 0
      if claim.need > 0 {
        if isJudge { bury(at: claim.host, except: node.id, now) }
        seats = take(claim, request, by: node.id, silence, now)
      } else {
        hosts[claim.host]?[node.id] = nil
        forgetUnused()
      }
      grants.append(SeatGrant(claim.host, seats: seats, report: report))
    }
    if isJudge, request.number % 16 == 0 {
      for host in hosts.keys { bury(at: host, except: node.id, now) }
    }
    forgetUnused()
    return grants.sorted { Array($0.host.utf8).lexicographicallyPrecedes(Array($1.host.utf8)) }
  }

  private mutating func forgetUnused() {
    hosts = hosts.filter { !$0.value.isEmpty }
    said = said.filter { hosts[$0.key] != nil }
  }

  private mutating func bury(at host: String, except node: Int, _ now: Duration) {
    hosts[host] = hosts[host]?.filter { $0.key == node || $0.value.until >= now }
  }

  private mutating func take(
    _ claim: SeatClaim, _ request: SeatRequest, by node: Int, _ silence: Duration, _ now: Duration
  ) -> Int {
    let others = (hosts[claim.host] ?? [:]).filter { $0.key != node }.map(\.value)
    let room = others.map(\.most).reduce(request.most, min)
    let lastTurn = others.map(\.turn).max() ?? 0
    let held = others.reduce(0) { $0 + $1.seats }
    var seat =
      hosts[claim.host]?[node]
      ?? Seat(
        most: request.most, useful: request.useful, need: 0, seats: claim.held,
        turn: lastTurn + 1, since: now, until: now)
    let moves = others.count + 1 > room && seat.told > 0 && seat.since + silence <= now
    if moves { seat.turn = lastTurn + 1 }
    (seat.most, seat.useful) = (request.most, request.useful)
    (seat.need, seat.until) = (claim.need, now + silence)
    if moves || seat.told == 0 { seat.since = now }
    hosts[claim.host, default: [:]][node] = seat
    seat.told = max(0, min(parts(at: claim.host, room)[node] ?? 0, room - held))
    seat.seats = max(seat.told, claim.held)
    hosts[claim.host]?[node] = seat
    return seat.told
  }

  /// One seat at a time, in turn: first for the photos that nodes have, then what is left.
  private func parts(at host: String, _ room: Int) -> [Int: Int] {
    var parts: [Int: Int] = [:]
    var left = room
    let rows = (hosts[host] ?? [:]).sorted { ($0.value.turn, $0.key) < ($1.value.turn, $1.key) }
    for isNeeded in [true, false] {
      for round in 1...max(1, room) {
        for (node, seat) in rows
        where (round <= seat.need) == isNeeded && round <= seat.useful && left > 0 {
          parts[node, default: 0] += 1
          left -= 1
        }
      }
    }
    return parts
  }
}

extension LedgerModel {
  package mutating func seats(
    _ request: SeatRequest, _ name: String, _ incarnation: Int
  ) -> [SeatGrant]? {
    guard let node = nodes[name], node.incarnation == incarnation else { return nil }
    return seats.take(request, by: node, silence: silence, now: now)
  }
}
