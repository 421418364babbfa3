// SPDX-License-Identifier: Apache-2.0
// The seats of simulated nodes at two hosts.

import Chain
import Cluster
import Support
import Vocabulary

@testable import darkroomd

extension LeaseWorld {
  private static let hosts = ["even.example", "odd.example"]

  static func host(of photo: UInt32) -> String { hosts[Int(photo % 2)] }

  private func uses(_ node: Int) -> [HostSeats.Use] {
    Self.hosts.map { host in
      HostSeats.Use(
        host, inFlight: inFlight(node, host),
        waiting: nodes[node].works.values.filter { !$0.isHeld && !$0.isDropped }
          .reduce(0) { $0 + $1.left.count { Self.host(of: $0) == host } })
    }
  }

  func inFlight(_ node: Int) -> Int {
    Self.hosts.reduce(0) { $0 + inFlight(node, $1) }
  }

  private func inFlight(_ node: Int, _ host: String) -> Int {
    nodes[node].works.values.filter { !$0.isDropped }
      .reduce(0) { $0 + $1.running.count { Self.host(of: $0) == host } }
  }

  /// At each host.
  func freeSeats(_ node: Int) -> [Int] {
    Self.hosts.map { nodes[node].seats.limit($0, now: now) - inFlight(node, $0) }
  }

  mutating func seatRequest(_ node: Int) -> SeatRequest? {
    let uses = uses(node)
    let claims = nodes[node].seats.claims(uses, now: now)
    checkSeats(node, uses)
    return nodes[node].seatBook.request(claims, HostLimits(most: plan.connections), at: now)
  }

  mutating func takeSeats(
    _ node: Int, _ request: SeatRequest, _ answer: PulseAnswer, asked: Duration
  ) {
    guard let granted = nodes[node].seatBook.answered(request, try? answer.seats?.get()) else {
      return violate("node \(node) has no answer about its seats")
    }
    count("answers about seats")
    if nodes[node].seatTime <= now, Self.hosts.contains(where: { inFlight(node, $0) > 0 }) {
      nodes[node].isStale = true
    }
    nodes[node].seats.grant(granted, until: asked + plan.leaseTime)
    nodes[node].seatTime = asked + plan.leaseTime
    noteSeats(node)
  }

  /// Call after each change of its seats and of its photos in flight.
  mutating func noteSeats(_ node: Int) {
    let uses = uses(node)
    checkSeats(node, uses)
    for use in uses {
      nodes[node].seats.note(
        use.name, inFlight: use.inFlight, isAwaited: use.waiting > 0, most: plan.connections)
    }
    if nodes[node].seats.takeNews() { _ = nodes[node].seatBook.want() }
    let isHungry = uses.contains {
      $0.waiting > 0 && nodes[node].seats.limit($0.name, now: now) == 0
    }
    nodes[node].hungry = isHungry ? nodes[node].hungry ?? now : nil
    // Each node has its turn.
    let longest = plan.leaseTime * (4 + 2 * plan.nodes / plan.connections)
    if let since = nodes[node].hungry, since > plan.calm, now - since > longest {
      violate("node \(node) has had no seat since \(since)")
    }
  }

  /// It starts again, and its transfers have ended with it.
  mutating func forgetSeats(_ node: Int) {
    (nodes[node].seats, nodes[node].seatBook) = (HostSeats(), SeatBook())
    (nodes[node].seatTime, nodes[node].isStale, nodes[node].hungry) = (.zero, false, nil)
    for (list, work) in nodes[node].works {
      nodes[node].works[list]?.left = work.running + work.left
      nodes[node].works[list]?.running = []
    }
  }

  /// All nodes together have at most the connections to a host that one may have. The transfers of a node that was
  /// frozen for longer than its lease are not counted.
  private mutating func checkSeats(_ node: Int, _ uses: [HostSeats.Use]) {
    let isStale = nodes[node].isStale
    nodes[node].connections = uses.map { use in
      max(nodes[node].seats.limit(use.name, now: now), isStale ? 0 : use.inFlight)
    }
    let others = nodes.filter { $0.isAlive && $0.seatTime > now }.map(\.connections)
    for (place, host) in Self.hosts.enumerated() {
      let used = others.reduce(0) { $0 + $1[place] }
      if used > plan.connections { violate("\(used) connections to \(host)") }
    }
  }
}
