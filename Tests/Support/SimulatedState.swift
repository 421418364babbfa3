// SPDX-License-Identifier: Apache-2.0
// The contents of a simulated disk: live (seen by calls), durable (survives a crash), and between them
// all changes since the last sync. Plain values.

internal import Linux
internal import Vocabulary

struct SimulatedFileNode: Sendable {
  /// A page behaves as a sector does: old or new, never both.
  static let page = 512

  enum Step: Sendable {
    case write([UInt8], at: Int)
    case truncate(Int)

    /// The sectors that a write touches.
    var sectors: Int {
      guard case .write(let bytes, let offset) = self else { return 0 }
      return (offset + bytes.count - 1) / page - offset / page + 1
    }
  }

  struct Change: Sendable {
    let order: UInt64
    let step: Step
  }

  var live: [UInt8] = []
  var durable: [UInt8] = []
  var pending: [Change] = []
  var reserved: UInt64 = 0
  var links = 0

  var taken: UInt64 { max(UInt64(live.count), reserved) }

  mutating func change(_ step: Step, order: UInt64) {
    switch step {
    case .write(let bytes, _): if bytes.isEmpty { return }
    case .truncate: reserved = 0
    }
    Self.take(step, &live)
    pending.append(Change(order: order, step: step))
  }

  mutating func makeDurable() {
    for change in pending { Self.take(change.step, &durable) }
    pending = []
  }

  /// The part of one change that a crash leaves.
  mutating func keep(_ place: Int, _ fate: ChangeFate) {
    let step = pending[place].step
    switch (step, fate) {
    case (_, .lost): break
    case (.write(let bytes, let offset), .torn(let sectors)):
      let end = (offset / Self.page + sectors) * Self.page
      Self.take(.write(Array(bytes.prefix(end - offset)), at: offset), &durable)
    case (.write(let bytes, let offset), .size):
      Self.take(.truncate(max(durable.count, offset + bytes.count)), &durable)
    case (_, .kept), (_, .torn), (_, .size): Self.take(step, &durable)
    }
  }

  mutating func forgetUnsynced() {
    live = durable
    pending = []
    reserved = 0
  }

  private static func take(_ step: Step, _ bytes: inout [UInt8]) {
    switch step {
    case .write(let new, let offset):
      let end = offset + new.count
      if bytes.count < end {
        bytes.append(contentsOf: [UInt8](repeating: 0, count: end - bytes.count))
      }
      bytes.replaceSubrange(offset..<end, with: new)
    case .truncate(let size):
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes.append(contentsOf: [UInt8](repeating: 0, count: size - bytes.count))
      }
    }
  }

  mutating func crash(_ random: inout SimulatedRandom) {
    defer { forgetUnsynced() }
    guard !pending.isEmpty else { return }
    var versions = [durable]
    for change in pending {
      var next = versions[versions.count - 1]
      Self.take(change.step, &next)
      versions.append(next)
    }
    // Half of the crashes are simple: every change arrived, or none did.
    switch random.number(below: 4) {
    case 0: return
    case 1: durable = versions[versions.count - 1]
    default: durable = mixed(versions, &random)
    }
  }

  /// Takes each page independently from any of the versions; zero only where there is no durable
  /// byte.
  private func mixed(_ versions: [[UInt8]], _ random: inout SimulatedRandom) -> [UInt8] {
    let size = versions[random.number(below: versions.count)].count
    var result = [UInt8](repeating: 0, count: size)
    for start in stride(from: 0, to: size, by: Self.page) {
      let version = versions[random.number(below: versions.count)]
      if start >= durable.count, random.oneIn(4) { continue }
      let end = min(size, start + Self.page, version.count)
      if start < end { result.replaceSubrange(start..<end, with: version[start..<end]) }
    }
    return result
  }
}

struct SimulatedFolderNode: Sendable {
  struct Change: Sendable {
    let order: UInt64
    /// Nil without the name.
    let node: UInt64?
  }

  var live: [FileName: UInt64] = [:]
  var durable: [FileName: UInt64] = [:]
  /// The changes of each name since the last sync.
  var pending: [FileName: [Change]] = [:]

  mutating func makeDurable() {
    durable = live
    pending = [:]
  }

  mutating func forgetUnsynced() {
    live = durable
    pending = [:]
  }

  mutating func crash(_ random: inout SimulatedRandom) {
    for (name, values) in pending.sorted(by: {
      $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
    }) {
      let choice = random.number(below: values.count + 1)
      if choice > 0 { durable[name] = values[choice - 1].node }
    }
    forgetUnsynced()
  }
}

struct SimulatedState: Sendable {
  var files: [UInt64: SimulatedFileNode] = [:]
  var folders: [UInt64: SimulatedFolderNode] = [1: SimulatedFolderNode()]
  var nextNode: UInt64 = 2
  /// Counts changes.
  private var order: UInt64 = 0
  var epoch: UInt64 = 0
  var fault: SimulatedDisk.Fault?
  var seen = 0
  var callsLeft: Int?
  var ignored: Set<SimulatedDisk.Call> = []
  var ignoredThing = ""
  var capacity: UInt64?
  var counts: [SimulatedDisk.Call: Int] = [:]
  /// The disk before each sync; nil while no test watches.
  var moments: [DiskMoment]?

  var free: UInt64? {
    capacity.map { capacity in
      let used = files.values.reduce(0) { $0 + ($1.links > 0 ? $1.taken : 0) }
      return capacity > used ? capacity - used : 0
    }
  }

  mutating func refusal(of call: SimulatedDisk.Call, _ epoch: UInt64) -> Int32? {
    counts[call, default: 0] += 1
    guard epoch == self.epoch else { return 5 }
    if let left = callsLeft {
      if left == 0 { return 5 }
      callsLeft = left - 1
    }
    if call.isSync { remember() }
    guard let fault, fault.call == nil || fault.call == call else { return nil }
    seen += 1
    return (fault.isPermanent ? seen >= fault.first : seen == fault.first) ? fault.code : nil
  }

  private mutating func remember() {
    guard moments != nil else { return }
    let now = moment
    moments?.append(now)
  }

  var moment: DiskMoment {
    var state = self
    state.moments = nil
    return DiskMoment(state)
  }

  mutating func newNode() -> UInt64 {
    defer { nextNode += 1 }
    return nextNode
  }

  mutating func nextOrder() -> UInt64 {
    order += 1
    return order
  }

  mutating func change(_ node: UInt64, _ step: SimulatedFileNode.Step) {
    let order = nextOrder()
    files[node]?.change(step, order: order)
  }

  /// The two names of a rename have one order.
  mutating func setName(
    _ name: FileName, in folder: UInt64, to node: UInt64?, order: UInt64
  ) {
    if let old = folders[folder]?.live[name] { files[old]?.links -= 1 }
    if let node { files[node]?.links += 1 }
    folders[folder]?.live[name] = node
    folders[folder]?.pending[name, default: []].append(
      SimulatedFolderNode.Change(order: order, node: node))
  }

  func status(_ node: UInt64) -> FileStatus {
    FileStatus(
      kind: folders[node] == nil ? .file : .folder, device: 1, inode: node,
      size: UInt64(files[node]?.live.count ?? 0), owner: ThisProcess.user, mode: 0o600,
      modified: 0, changed: 0, links: UInt64(files[node]?.links ?? 1))
  }

  mutating func makeDurable() {
    for node in files.keys { files[node]?.makeDurable() }
    for node in folders.keys { folders[node]?.makeDurable() }
  }

  mutating func crash(_ random: inout SimulatedRandom) {
    for node in files.keys.sorted() { files[node]?.crash(&random) }
    for node in folders.keys.sorted() { folders[node]?.crash(&random) }
    restart()
  }

  /// The power is back.
  mutating func restart() {
    for node in files.keys { files[node]?.links = 0 }
    for folder in folders.values {
      for node in folder.live.values { files[node]?.links += 1 }
    }
    // A file without a name is gone.
    files = files.filter { $0.value.links > 0 }
    epoch += 1
    fault = nil
    callsLeft = nil
  }
}
