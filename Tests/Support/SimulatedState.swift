// SPDX-License-Identifier: Apache-2.0
// The contents of a simulated disk: live (seen by calls), durable (survives a crash), and between them
// all changes since the last sync. Plain values.

internal import Vocabulary

struct SimulatedFileNode: Sendable {
  /// A page behaves as a sector does: old or new, never both.
  static let page = 512

  enum Step: Sendable {
    case write([UInt8], at: Int)
    case truncate(Int)
  }

  var live: [UInt8] = []
  var durable: [UInt8] = []
  var pending: [Step] = []
  var reserved: UInt64 = 0
  var links = 0

  var taken: UInt64 { max(UInt64(live.count), reserved) }

  mutating func write(_ bytes: [UInt8], at offset: Int) {
    guard !bytes.isEmpty else { return }
    Self.take(.write(bytes, at: offset), &live)
    pending.append(.write(bytes, at: offset))
  }

  mutating func truncate(to size: Int) {
    Self.take(.truncate(size), &live)
    pending.append(.truncate(size))
    reserved = 0
  }

  mutating func makeDurable() {
    for step in pending { Self.take(step, &durable) }
    pending = []
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
    defer {
      live = durable
      pending = []
      reserved = 0
    }
    guard !pending.isEmpty else { return }
    var versions = [durable]
    for step in pending {
      var next = versions[versions.count - 1]
      Self.take(step, &next)
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
  var live: [FileName: UInt64] = [:]
  var durable: [FileName: UInt64] = [:]
  /// The changes of each name since the last sync.
  var pending: [FileName: [UInt64?]] = [:]

  mutating func makeDurable() {
    durable = live
    pending = [:]
  }

  mutating func crash(_ random: inout SimulatedRandom) {
    for (name, values) in pending.sorted(by: {
      $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
    }) {
      let choice = random.number(below: values.count + 1)
      if choice > 0 { durable[name] = values[choice - 1] }
    }
    live = durable
    pending = [:]
  }
}

struct SimulatedState: Sendable {
  var files: [UInt64: SimulatedFileNode] = [:]
  var folders: [UInt64: SimulatedFolderNode] = [1: SimulatedFolderNode()]
  var nextNode: UInt64 = 2
  var epoch: UInt64 = 0
  var fault: SimulatedDisk.Fault?
  var seen = 0
  var callsLeft: Int?
  var ignored: Set<SimulatedDisk.Call> = []
  var ignoredThing = ""
  var capacity: UInt64?
  var counts: [SimulatedDisk.Call: Int] = [:]

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
    guard let fault, fault.call == nil || fault.call == call else { return nil }
    seen += 1
    return (fault.isPermanent ? seen >= fault.first : seen == fault.first) ? fault.code : nil
  }

  mutating func newNode() -> UInt64 {
    defer { nextNode += 1 }
    return nextNode
  }

  mutating func setName(_ name: FileName, in folder: UInt64, to node: UInt64?) {
    if let old = folders[folder]?.live[name] { files[old]?.links -= 1 }
    if let node { files[node]?.links += 1 }
    folders[folder]?.live[name] = node
    folders[folder]?.pending[name, default: []].append(node)
  }

  func status(_ node: UInt64) -> FileStatus {
    FileStatus(
      kind: folders[node] == nil ? .file : .folder, device: 1, inode: node,
      size: UInt64(files[node]?.live.count ?? 0), owner: 0, mode: 0o600, modified: 0, changed: 0,
      links: UInt64(files[node]?.links ?? 1))
  }

  mutating func makeDurable() {
    for node in files.keys { files[node]?.makeDurable() }
    for node in folders.keys { folders[node]?.makeDurable() }
  }

  mutating func crash(_ random: inout SimulatedRandom) {
    for node in files.keys.sorted() { files[node]?.crash(&random) }
    for node in folders.keys.sorted() { folders[node]?.crash(&random) }
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
