// SPDX-License-Identifier: Apache-2.0
// The seats of nodes at servers, in the model.

package import Cluster

package struct SeatModel {
  package struct Seat {
    package var most: Int
    package var need: Int
    package var told = 0
    package var seats: Int
    package var turn: Int
    package var since: Duration
    package var until: Duration
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
  private var last: [Int: Ask] = [:]

  /// Nil for a request that came too late.
  mutating func take(
    _ request: SeatRequest, by node: LedgerModel.Node, silence: Duration, now: Duration
  ) -> [SeatGrant]? {
    let ask = Ask(incarnation: node.incarnation, number: request.number)
    if let last = last[node.id], !(last < ask) { return nil }
    last[node.id] = ask
    let isJudge = now - node.entered >= silence
    let named = Set(request.hosts.map(\.name))
    for (host, rows) in hosts where !named.contains(host) && rows[node.id] != nil {
      hosts[host]?[node.id] = nil
    }
    var grants: [SeatGrant] = []
    for host in request.hosts {
      if isJudge { bury(at: host.name, except: node.id, now) }
      let seats = take(host, request.most, by: node.id, silence, now)
      grants.append(SeatGrant(host.name, seats: seats))
    }
    if isJudge, request.number % 16 == 0 {
      for host in hosts.keys { bury(at: host, except: node.id, now) }
    }
    hosts = hosts.filter { !$0.value.isEmpty }
    return grants.sorted { Array($0.host.utf8).lexicographicallyPrecedes(Array($1.host.utf8)) }
  }

  private mutating func bury(at host: String, except node: Int, _ now: Duration) {
    hosts[host] = hosts[host]?.filter { $0.key == node || $0.value.until >= now }
  }

  private mutating func take(
    _ host: SeatRequest.Host, _ most: Int, by node: Int, _ silence: Duration, _ now: Duration
  ) -> Int {
    let others = (hosts[host.name] ?? [:]).filter { $0.key != node }.map(\.value)
    let room = others.map(\.most).reduce(most, min)
    let lastTurn = others.map(\.turn).max() ?? 0
    let held = others.reduce(0) { $0 + $1.seats }
    var seat =
      hosts[host.name]?[node]
      ?? Seat(
        most: most, need: 0, seats: host.held, turn: lastTurn + 1, since: now, until: now)
    let moves = others.count + 1 > room && seat.told > 0 && seat.since + silence <= now
    if moves { seat.turn = lastTurn + 1 }
    (seat.most, seat.need, seat.until) = (most, max(1, host.need), now + silence)
    if moves || seat.told == 0 { seat.since = now }
    hosts[host.name, default: [:]][node] = seat
    seat.told = max(0, min(parts(at: host.name, room)[node] ?? 0, room - held))
    seat.seats = max(seat.told, host.held)
    hosts[host.name]?[node] = seat
    return seat.told
  }

  /// One seat at a time, in turn: first for the photos that nodes have, then what is left.
  private func parts(at host: String, _ room: Int) -> [Int: Int] {
    var parts: [Int: Int] = [:]
    var left = room
    let rows = (hosts[host] ?? [:]).sorted { ($0.value.turn, $0.key) < ($1.value.turn, $1.key) }
    for isNeeded in [true, false] {
      for round in 1...max(1, room) {
        for (node, seat) in rows where (round <= seat.need) == isNeeded && left > 0 {
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
