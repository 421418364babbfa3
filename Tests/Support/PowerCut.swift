// SPDX-License-Identifier: Apache-2.0
// The states in which a power cut may leave a simulated disk, rule by rule, from one moment of its life.
// Values; the random numbers come from the caller.

internal import Digests
internal import Vocabulary

/// The changes since the last syncs that a power cut leaves. A change is one write, one truncation, or one
/// name of a folder.
package enum CutRule: String, CaseIterable, Sendable {
  /// The first changes, in their order.
  case prefix
  /// As `prefix`; the last of them is a write, and only its first sectors arrived.
  case torn
  /// All changes but one.
  case missing
  /// One change and no other.
  case alone
  /// Any changes, each on its own.
  case subset
  /// Any names with all contents, or all names with any contents.
  case names
  /// Files have grown, but without the written bytes.
  case sizes
  /// Each page is old, new or zero, and each name old or new, each on its own.
  case pages
}

/// One state after a power cut.
package struct PowerCut: Sendable {
  package let rule: CutRule
  private let state: SimulatedState

  fileprivate init(_ rule: CutRule, _ state: SimulatedState) {
    self.rule = rule
    self.state = state
  }

  /// A disk of its own in this state.
  package func disk() -> SimulatedDisk { SimulatedDisk(state) }

  /// Equal for equal contents and names, except for one pair in four thousand million.
  package var digest: UInt64 { state.digest }
}

/// A disk as it was, with the changes that were not synced.
package struct DiskMoment: Sendable {
  private let state: SimulatedState

  init(_ state: SimulatedState) { self.state = state }

  /// At most `limit` states, at random and evenly from all rules; every state of a small moment.
  package func cuts(_ limit: Int, _ random: inout SimulatedRandom) -> [PowerCut] {
    let changes = state.unsynced
    var plans = CutPlans(changes)
    plans.add(&random)
    return plans.choose(limit, &random).map { plan in
      var state = state
      if plan.rule == .pages {
        state.crash(&random)
      } else {
        state.cut(zip(changes, plan.fates))
      }
      return PowerCut(plan.rule, state)
    }
  }
}

struct UnsyncedChange: Sendable {
  enum Place: Sendable {
    /// The number of the step among those of its file.
    case step(UInt64, Int)
    case name(UInt64, FileName, UInt64?)
  }

  let order: UInt64
  let place: Place
  /// The sectors that a write touches; 0 for any other change.
  let sectors: Int

  var isName: Bool {
    if case .name = place { return true }
    return false
  }
}

/// The fate of one change.
enum ChangeFate: Sendable {
  case lost, kept
  /// The first sectors of a write.
  case torn(Int)
  /// The file grows as the write makes it grow.
  case size
}

/// The fates of all changes, rule by rule.
private struct CutPlans {
  struct Plan {
    let rule: CutRule
    let fates: [ChangeFate]
  }

  /// Up to this many changes, every subset is listed.
  private static let allSubsets = 6
  private static let samples = 24

  private let changes: [UnsyncedChange]
  private var all: [Plan] = []

  init(_ changes: [UnsyncedChange]) { self.changes = changes }

  mutating func add(_ random: inout SimulatedRandom) {
    addOrdered()
    addSingle()
    addSubsets(&random)
    addNames(&random)
    addSizes(&random)
    let pages = changes.isEmpty ? 0 : Self.samples
    for _ in 0..<pages { all.append(Plan(rule: .pages, fates: [])) }
  }

  func choose(_ limit: Int, _ random: inout SimulatedRandom) -> [Plan] {
    var rest = Dictionary(grouping: all, by: \.rule)
    let rules = CutRule.allCases.shuffled(using: &random)
    var chosen: [Plan] = []
    while chosen.count < min(limit, all.count) {
      for rule in rules {
        guard let count = rest[rule]?.count, count > 0 else { continue }
        rest[rule]?.swapAt(random.number(below: count), count - 1)
        if let plan = rest[rule]?.popLast() { chosen.append(plan) }
      }
    }
    return Array(chosen.prefix(limit))
  }

  private mutating func add(_ rule: CutRule, _ fate: (Int, UnsyncedChange) -> ChangeFate) {
    all.append(Plan(rule: rule, fates: changes.enumerated().map { fate($0.offset, $0.element) }))
  }

  private mutating func addOrdered() {
    add(.prefix) { _, _ in .lost }
    var last: UInt64 = 0
    for change in changes where change.order != last {
      last = change.order
      add(.prefix) { _, other in other.order <= last ? .kept : .lost }
      for sectors in 1..<max(1, min(change.sectors, 16)) {
        add(.torn) { _, other in
          other.order < last ? .kept : other.order == last ? .torn(sectors) : .lost
        }
      }
    }
  }

  private mutating func addSingle() {
    for place in changes.indices {
      add(.missing) { other, _ in other == place ? .lost : .kept }
      add(.alone) { other, _ in other == place ? .kept : .lost }
    }
  }

  private mutating func addSubsets(_ random: inout SimulatedRandom) {
    if changes.count <= Self.allSubsets {
      for choice in 0..<(1 << changes.count) {
        add(.subset) { place, _ in choice & (1 << place) != 0 ? .kept : .lost }
      }
      return
    }
    for _ in 0..<Self.samples {
      let share = 1 + random.number(below: 7)
      let choice = changes.map { _ in random.number(below: 8) < share }
      add(.subset) { place, _ in choice[place] ? .kept : .lost }
    }
  }

  private mutating func addNames(_ random: inout SimulatedRandom) {
    let names = changes.indices.filter { changes[$0].isName }
    guard !names.isEmpty, names.count < changes.count else { return }
    for _ in 0..<Self.samples {
      let (choice, hasContents) = (changes.map { _ in random.oneIn(2) }, random.oneIn(2))
      add(.names) { place, change in
        hasContents
          ? !change.isName || choice[place] ? .kept : .lost
          : change.isName || choice[place] ? .kept : .lost
      }
    }
  }

  private mutating func addSizes(_ random: inout SimulatedRandom) {
    let writes = changes.indices.filter { changes[$0].sectors > 0 }
    guard !writes.isEmpty else { return }
    add(.sizes) { _, change in change.sectors > 0 ? .size : .kept }
    for place in writes {
      add(.sizes) { other, _ in other == place ? .size : .kept }
      let (before, after) = (random.oneIn(2), random.oneIn(2))
      add(.sizes) { other, _ in
        other == place ? .size : (other < place ? before : after) ? .kept : .lost
      }
    }
  }
}

extension SimulatedState {
  /// All changes since the last syncs, in their order.
  fileprivate var unsynced: [UnsyncedChange] {
    var changes: [UnsyncedChange] = []
    for (node, file) in files {
      for (place, change) in file.pending.enumerated() {
        changes.append(
          UnsyncedChange(
            order: change.order, place: .step(node, place), sectors: change.step.sectors))
      }
    }
    for (node, folder) in folders {
      for (name, values) in folder.pending {
        for value in values {
          changes.append(
            UnsyncedChange(
              order: value.order, place: .name(node, name, value.node), sectors: 0))
        }
      }
    }
    // The two names of a rename have one order.
    return changes.sorted { ($0.order, $0.tie) < ($1.order, $1.tie) }
  }

  fileprivate mutating func cut(_ changes: some Sequence<(UnsyncedChange, ChangeFate)>) {
    for (change, fate) in changes {
      switch (change.place, fate) {
      case (_, .lost): break
      case (.step(let node, let place), _): files[node]?.keep(place, fate)
      case (.name(let folder, let name, let node), _): folders[folder]?.durable[name] = node
      }
    }
    for node in files.keys { files[node]?.forgetUnsynced() }
    for node in folders.keys { folders[node]?.forgetUnsynced() }
    restart()
  }

  /// Of what is durable.
  fileprivate var digest: UInt64 {
    var sum: UInt64 = 0
    func add(_ first: UInt64, _ second: UInt64) {
      var random = SimulatedRandom(seed: first &* 0xD134_2543_DE82_EF95 ^ second)
      sum &+= random.next()
    }
    for (node, folder) in folders {
      for (name, child) in folder.durable {
        add(node << 32 ^ child, UInt64(CRC32C.checksum(name.bytes)))
      }
    }
    for (node, file) in files {
      add(node << 32 ^ UInt64(file.durable.count), UInt64(CRC32C.checksum(file.durable)) << 1 | 1)
    }
    return sum
  }
}

extension UnsyncedChange {
  fileprivate var tie: String {
    if case .name(_, let name, let node) = place { return node == nil ? "-\(name)" : "\(name)" }
    return ""
  }
}
