// SPDX-License-Identifier: Apache-2.0
// Random lists over hosts that fail, are slow, ask to be left alone, recover and lead photos to one another, with users
// who pause, cancel and flush at any time. Replays from its seed; no thread, no clock.

import Support
import Testing
import Vocabulary

@testable import Chain

@Suite struct HostSimulationTests {
  private func ended(_ world: HostWorld) async throws -> HostWorld {
    try await computing {
      var world = world
      world.run()
      return world
    }
  }

  @Test(arguments: 1...60)
  func `every photo ends, no host gets more than its limit, and no look is useless`(
    seed: Int
  ) async throws {
    let world = try await ended(HostWorld(seed: UInt64(seed)))
    #expect(world.left == 0, "photos that never ended")
    #expect(world.excess == 0, "more transfers at a host than its limit")
    #expect(world.trespasses == 0, "requests to closed hosts beside their probes")
    #expect(world.stuck == 0, "lines with a photo and room that were not called")
    #expect(world.admission.inFlight == 0 && world.admission.doneLists.isEmpty)
    #expect(world.idleLooks == 0, "useless alarms: \(world.idleLooks)")
    let work = world.given + world.asked + 60 * world.events
    #expect(world.admission.turns.looks < 6 * work, "\(world.admission.turns.looks) for \(work)")
  }

  @Test(arguments: 1...40)
  func `photos that hosts lead to other servers end, and each server is asked again once it serves`(
    seed: Int
  ) async throws {
    let lists: [(UInt32, [String])] = [(400, ["door", "gate"]), (60, ["back"]), (60, ["door"])]
    let world = try await ended(HostWorld(seed: UInt64(seed), lists: lists, meddling: false))
    #expect(world.left == 0, "photos that never ended")
    #expect(world.excess == 0 && world.trespasses == 0)
    #expect(world.late == 0 && world.idleLooks == 0 && world.stuck == 0)
    #expect(world.admission.inFlight == 0 && world.admission.hosts.detours.isEmpty)
  }

  /// A host leads each photo to a dead server: one, a few, or another one for each photo. Its photos are before those of
  /// another host, or between them.
  @Test(arguments: 1...9)
  func `photos of a host that answers do not wait for the detours of another host`(
    seed: Int
  ) async throws {
    let isMixed: Bool = seed % 2 == 0
    let size: UInt32 = seed % 3 == 2 ? 1250 : 3050
    let hosts = (0..<size).map { place in
      (isMixed ? place % 61 == 0 : place == 0 || place > size - 50) ? "well" : "stray"
    }
    let list = (size, hosts)
    let world = try await ended(HostWorld(seed: UInt64(seed), lists: [list], meddling: false))
    #expect(world.left == 0, "photos that never ended")
    #expect(world.excess == 0 && world.trespasses == 0 && world.stuck == 0)
    #expect(world.ends["well"] ?? .zero < .seconds(150), "\(world.ends["well"] ?? .zero)")
    #expect(world.ends["stray"] ?? .zero > .seconds(120), "they wait as long as tried photos")
    #expect(world.admission.inFlight == 0 && world.admission.hosts.detours.isEmpty)
    #expect(world.admission.turns.looks < 100 * Int(size), "held photos are not moved to and fro")
  }

  @Test(arguments: 1...20)
  func `photos that need seats at two servers end`(seed: Int) async throws {
    let lists: [(UInt32, [String])] = [(200, ["door", "gate"]), (60, ["back"]), (60, ["door"])]
    let world = try await ended(
      HostWorld(seed: UInt64(seed), lists: lists, meddling: false, sharing: true))
    #expect(world.left == 0, "photos that never ended")
    #expect(world.excess == 0 && world.trespasses == 0 && world.late == 0 && world.stuck == 0)
    #expect(world.admission.inFlight == 0 && world.admission.hosts.detours.isEmpty)
    #expect(world.shares < 100_000, "the primary is asked again and again")
  }

  @Test func `a long list on a dead host costs little and ends`() async throws {
    let world = try await ended(
      HostWorld(seed: 1, lists: [(100_000, ["dead"])], meddling: false))
    #expect(world.left == 0)
    #expect(world.attempts < 200, "\(world.attempts) attempts")
    #expect(world.now < .seconds(2 * 3600), "\(world.now)")
  }

  @Test(arguments: 1...20)
  func `photos that always fail on a healthy host cost no other photo its print`(seed: Int)
    async throws
  {
    let world = try await ended(
      HostWorld(seed: UInt64(seed), lists: [(1000, ["flawed"])], meddling: false))
    #expect(world.left == 0 && world.unjust == 0, "\(world.unjust) given up")
    #expect(world.now < .seconds(3600), "\(world.now)")
  }

  /// The host is back before its photos have waited for their patience, if the time without a network does not count.
  @Test(arguments: 1...40)
  func `a time without a network costs no photo of a closed host its patience`(seed: Int)
    async throws
  {
    let drops = (0..<6).map { HostWorld.Drop(photos: 20, hosts: ["back"], time: .seconds(7 * $0)) }
    var world = HostWorld(
      seed: UInt64(seed), drops: drops, meddling: false, patience: .seconds(4200))
    let start = Duration.seconds(60 * seed)
    world.outage = start..<start + .seconds(9000)
    world = try await ended(world)
    #expect(world.left == 0, "photos that never ended")
    #expect(world.unjust == 0, "\(world.unjust) given up")
    #expect(world.excess == 0 && world.trespasses == 0 && world.stuck == 0)
  }

  /// A user drops lists whose photos all fail, so that the host is mostly closed. The photos of another user come to it
  /// then, and one of them may fail, too.
  @Test(arguments: 1...40)
  func `photos of one user that always fail cost no photo of another user its print`(seed: Int)
    async throws
  {
    let drops = (0..<24).map { place in
      HostWorld.Drop(
        photos: 20, hosts: ["partial"], owner: place % 4 == 3 ? 2 : 1, time: .seconds(200 * place))
    }
    let world = try await ended(
      HostWorld(
        seed: UInt64(seed), drops: drops, meddling: false, patience: .seconds(150)))
    #expect(world.left == 0 && world.unjust == 0, "\(world.unjust) given up")
    #expect(world.admission.inFlight == 0)
  }

  /// A host fails all photos of the first user for longer than they wait; another one asks users to be left alone. Users
  /// have many lists there, and flush the hosts for one another or for all.
  @Test(arguments: 1...60)
  func `photos of a user that give up hold up no other user`(seed: Int) async throws {
    var drops: [HostWorld.Drop] = []
    for place in 0..<36 as Range<UInt32> {
      let hosts: [String] = place % 4 == 0 ? ["partial", "busy"] : ["partial"]
      drops.append(
        HostWorld.Drop(
          photos: 12, hosts: hosts, owner: place % 3 + 1, time: .seconds(Int64(20 * place))))
    }
    let isMeddled: Bool = seed % 4 != 0
    let world = try await ended(
      HostWorld(
        seed: UInt64(seed), drops: drops, meddling: isMeddled, patience: .seconds(600)))
    #expect(world.left == 0, "photos that never ended")
    #expect(world.stuck == 0, "lines with a photo and room that were not called")
    #expect(world.excess == 0 && world.trespasses == 0 && world.idleLooks == 0)
    // A look finds a photo, asks about it or gives it. Besides, an event enters the line of its photo, and has a host call
    // another one: two looks for each. A probe that fails has all lists of its user looked at, but such probes are rare.
    let most: Int = world.given + 2 * world.asked + 4 * world.events
    let looks: Int = world.admission.turns.looks
    #expect(looks < most, "\(looks) for \(most)")
  }

  /// The photos of one user fail, hang, or take an hour. With one place at a time, those of another user take eight
  /// seconds.
  @Test(arguments: 1...60)
  func `photos of a user take no longer at a host, whatever the paths of another user do`(seed: Int)
    async throws
  {
    let foul = (0..<4).map { HostWorld.Drop(photos: 2000, hosts: ["foul"], time: .seconds($0)) }
    let honest = HostWorld.Drop(photos: 150, hosts: ["foul"], owner: 2, time: .seconds(100))
    let ended = try await computing {
      var world = HostWorld(
        seed: UInt64(seed), drops: foul + [honest], meddling: false, isWide: true)
      world.run(until: ListID(5))
      return (world.now, world.excess, world.trespasses)
    }
    #expect(ended.0 < .seconds(120), "\(ended.0)")
    #expect(ended.1 == 0 && ended.2 == 0)
  }

  @Test func `three photos on a dead host end in minutes`() async throws {
    for seed in 1...20 {
      let world = try await ended(
        HostWorld(seed: UInt64(seed), lists: [(3, ["dead"])], meddling: false))
      #expect(world.left == 0 && world.now < .seconds(900), "\(world.now)")
    }
  }

  @Test func `a long list on dead and slow hosts does not delay a list on another host`() {
    var world = HostWorld(
      seed: 5, lists: [(100_000, ["dead", "slow"]), (3, ["well"])], meddling: false)
    world.run(until: ListID(2))
    #expect(world.now < .seconds(1), "\(world.now)")
  }
}
