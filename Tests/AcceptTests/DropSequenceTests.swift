// SPDX-License-Identifier: Apache-2.0
// Random sequences of acts on files in the inbox, 4,000 for each kind of lease: no file is
// forgotten or taken twice, and none is taken during a write if leases work.

import Support
import Testing
import Vocabulary

@testable import Accept

@Suite struct DropSequenceTests {
  private static let names = ["a.plist", "b.plist", "c.PLIST", "d.doc", ".e.plist"]

  /// Acts in order of time. The last ones end all writing and all trouble.
  private static func acts(_ random: inout SimulatedRandom) -> [(at: Int, act: DropWorld.Act)] {
    var acts: [(at: Int, act: DropWorld.Act)] = []
    var now = 0
    for _ in 0..<(3 + random.number(below: 12)) {
      now += random.number(below: 4) == 0 ? random.number(below: 4000) : random.number(below: 200)
      let name = names[random.number(below: names.count)]
      acts.append((now, act(name, &random)))
    }
    now += 1
    acts.append((now, .diskFull(false)))
    for name in names { acts += [(now, .close(name)), (now, .allow(name))] }
    return acts
  }

  private static func act(_ name: String, _ random: inout SimulatedRandom) -> DropWorld.Act {
    switch random.number(below: 14) {
    case 0: .create(name)
    case 1: .write(name, random.oneIn(2))
    case 2: .close(name)
    case 3: .closeQuietly(name)
    case 4, 5: .move(name, random.oneIn(2))
    case 6: .hold(name)
    case 7: .touch(name)
    case 8: .rename(name, names[random.number(below: names.count)])
    case 9: .delete(name)
    case 10: random.oneIn(2) ? .forbid(name) : .allow(name)
    case 11: .other(name, [.folder, .link, .other][random.number(below: 3)])
    case 12: .diskFull(random.oneIn(2))
    default: .write(name, true)
    }
  }

  /// The number of files that arrive, which bounds how many may be accepted or rejected.
  private static func arrivals(_ acts: [(at: Int, act: DropWorld.Act)]) -> Int {
    acts.count {
      switch $0.act {
      case .create, .move: true
      default: false
      }
    }
  }

  @Test(
    "Every file is taken once, waited for or ignored, in any order of acts",
    arguments: [DropWorld.Leases.work, .missing, .forbidden, .shared])
  func anything(leases: DropWorld.Leases) {
    for seed in 1...4000 as ClosedRange<UInt64> {
      var random = SimulatedRandom(seed: seed)
      let acts = Self.acts(&random)
      var world = DropWorld(leases)
      let log = world.run(acts)
      let taken = log.count { !$0.contains(" ignored ") }
      #expect(taken <= Self.arrivals(acts), "seed \(seed): \(log) of \(acts)")
      #expect(world.forgotten.isEmpty, "seed \(seed): \(world.forgotten) of \(acts)")
      #expect(world.overdue.isEmpty, "seed \(seed): \(world.overdue) of \(acts), \(log)")
      #expect(world.violations.isEmpty, "seed \(seed): \(world.violations) of \(acts)")
    }
  }
}
