// SPDX-License-Identifier: Apache-2.0
// Whose failure it is when a proxy answers in place of a host, as values and in simulated time: no thread, no clock.

import Support
import Testing
import Vocabulary

@testable import Chain

private let patience = Duration.seconds(1800)
private let open = Failure(
  .machine, scope: .proxyOrHost, code: "proxy.refused", reason: "it answered 503")
private let lookup = Failure(
  .machine, scope: .proxyOrHost, code: Failure.proxyLookup, reason: "it found no address")

@Suite struct ProxyWitnessTests {
  private func blames(
    _ witness: inout ProxyWitness, _ host: String, _ failure: Failure = open, at second: Int64
  ) -> Bool {
    witness.blames(host, failure, patience: patience, now: .seconds(second))
  }

  /// The host fails every half minute; returns when that becomes its own failure.
  private func fails(
    _ witness: inout ProxyWitness, _ hosts: [String], _ failure: Failure = open
  ) -> Int64? {
    for second in stride(from: Int64(0), through: 10_000, by: 30) {
      for host in hosts where blames(&witness, host, failure, at: second) { return second }
    }
    return nil
  }

  @Test(arguments: [false, true])
  func `a host that fails alone is given up after its patience`(isKnown: Bool) {
    var witness = ProxyWitness()
    if isKnown { witness.heard("a") }
    #expect(fails(&witness, ["a"]) == 1800)
  }

  @Test func `hosts that the proxy never served are given up if it has served others`() {
    var witness = ProxyWitness()
    witness.heard("a")
    #expect(fails(&witness, ["b", "c"]) == 1800)
  }

  @Test func `a proxy that has served no host is in trouble if several fail`() {
    var witness = ProxyWitness()
    #expect(fails(&witness, ["a", "b"]) == nil)
  }

  @Test func `a proxy is in trouble if a host fails that it has served`() {
    var witness = ProxyWitness()
    witness.heard("a")
    witness.heard("b")
    #expect(fails(&witness, ["a", "b"]) == nil)
    // Its failures as well are the proxy's then.
    #expect(!blames(&witness, "c", at: 10_000))
  }

  @Test func `a host is to blame once the proxy has passed on the answer of another one`() {
    var witness = ProxyWitness()
    #expect(!blames(&witness, "a", at: 0) && !blames(&witness, "b", at: 0))
    witness.heard("b")
    #expect(blames(&witness, "a", at: 30), "it has failed before")
    #expect(!blames(&witness, "c", at: 30), "it has not")
    #expect(!blames(&witness, "b", at: 40), "it has answered")
    #expect(!blames(&witness, "a", at: 50), "the one that has answered fails as well")
  }

  @Test func `a host without an address is to blame unless the proxy is in doubt`() {
    var witness = ProxyWitness()
    #expect(!blames(&witness, "nowhere", lookup, at: 0), "it has shown nothing yet")
    witness = ProxyWitness()
    witness.heard("a")
    #expect(blames(&witness, "nowhere", lookup, at: 0))
    #expect(!blames(&witness, "a", lookup, at: 0), "its name was known")
    #expect(!blames(&witness, "nowhere", lookup, at: 1))
    witness.doubt()
    #expect(!blames(&witness, "other", lookup, at: 700), "the other hosts are forgotten")
    witness.heard("a")
    #expect(blames(&witness, "third", lookup, at: 700))
  }

  @Test func `a host that has not failed for long begins anew`() {
    var witness = ProxyWitness()
    #expect(!blames(&witness, "a", at: 0))
    #expect(!blames(&witness, "a", at: 9000))
    #expect(!blames(&witness, "b", at: 9100), "both fail")
    #expect(!blames(&witness, "b", at: 9650), "the other one has stopped")
    #expect(!blames(&witness, "b", at: 10_200) && !blames(&witness, "b", at: 10_700))
    #expect(blames(&witness, "b", at: 10_900), "half an hour after its first failure")
  }

  @Test func `the wait for the proxy goes on while another host is in doubt`() {
    var witness = ProxyWitness()
    witness.heard("a")
    for second in stride(from: Int64(0), to: 1800, by: 30) {
      #expect(!blames(&witness, "b", at: second))
    }
    #expect(!blames(&witness, "c", at: 1790))
    #expect(blames(&witness, "b", at: 1800))
    func isInDoubt(_ host: String) -> Bool {
      witness.isInDoubt(besides: host, patience: patience, now: .seconds(1800))
    }
    #expect(isInDoubt("b") && !isInDoubt("c"))
  }

  @Test(arguments: 1...60)
  func `an outage of the proxy fails no photo, and a dead host ends after its patience`(
    seed: Int
  ) async throws {
    let world = try await computing {
      var world = ProxyWorld(seed: UInt64(seed))
      world.run()
      return world
    }
    #expect(world.unjust == 0, "photos of good hosts that were given up")
    #expect(world.left == 0, "photos that never ended")
    #expect(!world.isTroubled)
    #expect(world.now < world.outage.upperBound + patience + .seconds(900), "\(world.now)")
  }
}

/// Hosts behind a proxy, some of them dead, and a time in which the proxy answers for all of them with errors.
private struct ProxyWorld {
  private struct Host {
    let name: String
    let isDead: Bool
    /// Nil if the proxy only says that it failed.
    let failure: Failure
    var photos: Int
  }

  private var random: SplitMix
  private var hosts: [Host] = []
  private var witness = ProxyWitness()
  private var trouble = MachineTrouble()
  private(set) var outage = Duration.zero...Duration.zero
  private(set) var now = Duration.zero
  private(set) var unjust = 0

  var left: Int { hosts.reduce(0) { $0 + $1.photos } }
  var isTroubled: Bool { trouble.failure != nil }

  /// There are two good hosts with photos left in the outage: a good host alone cannot be told from a dead one.
  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    let begin = Int64.random(in: 0...600, using: &random)
    let isLong = Bool.random(using: &random)
    let end: Duration = .seconds(isLong ? begin + 20_000 : begin)
    outage = .seconds(begin)...end
    for place in 0..<Int.random(in: 2...4, using: &random) {
      hosts.append(Host(name: "good\(place)", isDead: false, failure: open, photos: 700))
    }
    for place in 0..<Int.random(in: 0...3, using: &random) {
      let failure = Bool.random(using: &random) ? open : lookup
      hosts.append(Host(name: "dead\(place)", isDead: true, failure: failure, photos: 5))
    }
  }

  mutating func run() {
    while left > 0, now < .seconds(100_000) {
      now += .seconds(1)
      if trouble.isHeld, !trouble.release(now: now) { continue }
      let hold = trouble.holds
      for place in hosts.indices.shuffled(using: &random) where hosts[place].photos > 0 {
        attempt(place, hold)
      }
    }
  }

  private mutating func attempt(_ place: Int, _ hold: UInt) {
    let host = hosts[place]
    guard host.isDead || outage.contains(now) else {
      hosts[place].photos -= 1
      witness.heard(host.name)
      _ = trouble.passed()
      return
    }
    guard witness.blames(host.name, host.failure, patience: patience, now: now) else {
      _ = trouble.met(host.failure, hold: hold, now: now)
      if trouble.isHeld { witness.doubt() }
      return
    }
    hosts[place].photos -= 1
    if !host.isDead { unjust += 1 }
    if !witness.isInDoubt(besides: host.name, patience: patience, now: now) { _ = trouble.passed() }
  }
}
