// SPDX-License-Identifier: Apache-2.0
// Transitions, settings and folders for the tests of the journal file.

import Linux
import Record
import Support
import Vocabulary

enum Samples {
  static let stateID = "6f1c0f7d5b9a4e2c8d3f1a2b4c6d8e0f"
  static let bootID = "9a0e5b1c-7d3f-4a2b-8c6d-0e1f2a3b4c5d"
  static let sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  static let time: UInt64 = 1_763_712_345_123
  static let seed = SegmentHeader.seed(stateID: stateID, segment: 42)

  static func settings(segmentBytes: UInt64 = 16 << 20) -> JournalSettings {
    JournalSettings(
      stateID: stateID, bootID: bootID, segmentBytes: segmentBytes, spareBytes: segmentBytes / 4)
  }

  static func photo(_ list: UInt64, _ number: UInt32) -> PhotoID {
    PhotoID(list: ListID(list), number: number)
  }

  static func accepted(_ list: UInt64, photos: UInt32) -> Change {
    .accepted(
      ListID(list), Acceptance(photos: photos, serviceClass: .utility, sha256: sha256))
  }

  static func contents(_ number: UInt64) -> Contents {
    Contents(size: number % 100_000, hash: number &* 0x9E37_79B9_7F4A_7C15)
  }

  static func at(_ changes: [Change]) -> [Transition] { changes.map { Transition(time: time, $0) } }

  /// A random next change, mostly within the rules.
  static func change(_ ledger: Ledger, _ random: inout SimulatedRandom) -> Change {
    let open = ledger.openLists
    if open.isEmpty || random.oneIn(12) {
      return accepted(ledger.nextList.number, photos: UInt32(random.number(below: 9)))
    }
    if random.oneIn(40) { return .rejected(ledger.nextList, code: "list.bad") }
    let entry = open[random.number(below: open.count)]
    if entry.counts.unfinished == 0 { return .finished(entry.id) }
    if random.oneIn(30) { return .cancelled(entry.id) }
    if random.oneIn(20) { return .paused(entry.id) }
    if random.oneIn(10) { return .resumed(entry.id) }
    if random.oneIn(20) {
      let classes = ServiceClass.allCases
      return .quality(entry.id, classes[random.number(below: classes.count)])
    }
    let number = UInt32(random.number(below: Int(entry.acceptance.photos))) + 1
    let photo = PhotoID(list: entry.id, number: number)
    switch random.number(below: 12) {
    case 0...3: return .downloaded(photo, contents(random.next()))
    case 4...6: return .filtered(photo, contents(random.next()))
    case 7: return .failed(photo, .filter, code: "jpeg.truncated", attempt: 2)
    case 8, 9:
      return .retry(
        photo, .download, code: "http.503", attempt: 1, after: 4000,
        until: time + UInt64(random.number(below: 100_000)))
    case 10: return .lost(photo)
    default: return .died(photo)
    }
  }

  /// A ledger that has been through `count` transitions.
  static func ledger(seed: UInt64, transitions count: Int) -> Ledger {
    var random = SimulatedRandom(seed: seed)
    var ledger = Ledger()
    for _ in 0..<count { ledger.apply(Transition(time: time, change(ledger, &random))) }
    return ledger
  }
}

/// Runs `body` with a fresh real folder, and removes the folder.
func withScratchFolder<R>(_ body: (LinuxFolder) async throws -> R) async throws -> R {
  let tag = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined(separator: "-")
  let parent = try LinuxFolder.open(path: TemporaryPlace.path)
  let name = FileName("darkroom-record-\(tag)") ?? FileName(literal: "darkroom-record")
  let folder = try parent.openFolder(name, creating: true)
  do {
    let result = try await body(folder)
    try clear(folder)
    try parent.removeFolder(name)
    return result
  } catch {
    try? clear(folder)
    try? parent.removeFolder(name)
    throw error
  }
}

private func clear(_ folder: LinuxFolder) throws {
  for name in try folder.names() {
    if try folder.status(of: name).kind == .folder {
      try clear(folder.openFolder(name, creating: false))
      try folder.removeFolder(name)
    } else {
      try folder.remove(name)
    }
  }
}
