// SPDX-License-Identifier: Apache-2.0
// The ledger at the start of a segment, as text; Journal-format.md is the contract. Equal ledgers give equal
// bytes. This half writes.

internal import Digests
internal import Vocabulary

package struct Snapshot: Equatable, Sendable {
  package static let version: UInt64 = 1
  /// A line of photo states ends with the first run behind this many bytes.
  static let statesPerLine = 400

  package let segment: UInt64
  package let stateID: String
  /// The last sequence number that the ledger contains.
  package let after: UInt64
  package let ledger: Ledger

  package init(segment: UInt64, stateID: String, after: UInt64, ledger: Ledger) {
    self.segment = segment
    self.stateID = stateID
    self.after = after
    self.ledger = ledger
  }

  package var bytes: [UInt8] {
    var text = LineText()
    text.add("#darkroom-snapshot ")
    text.add(Self.version)
    text.field("segment", segment)
    text.field("state", word: stateID)
    text.field("after", after)
    text.field("next", ledger.nextList.number)
    text.field("refused", ledger.refused)
    text.add(byte: 0x0A)
    for entry in ledger.lists.values.sorted(by: { $0.id < $1.id }) { text.add(entry) }
    text.add("end")
    let checksum = CRC32C.checksum(text.bytes)
    text.add(" crc=")
    text.add(hex: UInt64(checksum), digits: 8)
    text.add(byte: 0x0A)
    return text.bytes
  }
}

/// The letters of photo states in a snapshot.
enum StateLetter {
  static let letters: [UInt8] = Array("ndfx".utf8)

  static func state(_ letter: UInt8) -> UInt8? { letters.firstIndex(of: letter).map(UInt8.init) }
}

extension LineText {
  fileprivate mutating func add(_ entry: ListEntry) {
    add("list ")
    add(entry.id.number)
    add(" \(entry.state.name)")
    if case .paused(let wasRunning) = entry.standing {
      field("was", word: wasRunning ? "running" : "accepted")
    }
    field("photos", entry.acceptance.photos)
    field("quality", word: entry.acceptance.serviceClass.name)
    field("sha256", word: entry.acceptance.sha256)
    if let owner = entry.acceptance.owner { field("owner", owner) }
    if let user = entry.halter { field("by", user) }
    field("accepted", entry.acceptedTime)
    field("ended", entry.endedTime)
    for state in PhotoState.allCases { field(state.name, entry.counts[state]) }
    add(byte: 0x0A)
    addStates(entry)
    for (photo, contents) in entry.originals.sorted(by: { $0.key < $1.key }) {
      begin("original", entry.id, photo)
      field("size", contents.size)
      field("hash", hex: contents.hash)
      add(byte: 0x0A)
    }
    for (photo, plan) in entry.retries.sorted(by: { $0.key < $1.key }) {
      begin("retry", entry.id, photo)
      field("stage", word: plan.stage.name)
      field("attempt", plan.attempt)
      field("after", plan.after)
      field("until", plan.until)
      add(byte: 0x0A)
    }
    for (photo, count) in entry.deaths.sorted(by: { $0.key < $1.key }) {
      begin("died", entry.id, photo)
      field("count", count)
      add(byte: 0x0A)
    }
  }

  private mutating func begin(_ kind: String, _ list: ListID, _ photo: UInt32) {
    add("\(kind) ")
    add(list.number)
    add(byte: 0x20)
    add(UInt64(photo))
  }

  /// Writes a run of equal states as a letter and a number, a single state as the letter alone: at most one
  /// byte a photo, plus the line heads.
  private mutating func addStates(_ entry: ListEntry) {
    let states = entry.states
    var place = 0
    var lineStart = 0
    while place < states.count {
      if lineStart == 0 || count - lineStart > Snapshot.statesPerLine {
        if lineStart > 0 { add(byte: 0x0A) }
        lineStart = count
        add("states ")
        add(entry.id.number)
        add(byte: 0x20)
      }
      var next = place + 1
      while next < states.count, states[next] == states[place] { next += 1 }
      add(byte: StateLetter.letters[Int(states[place] & 3)])
      if next - place > 1 { add(UInt64(next - place)) }
      place = next
    }
    if lineStart > 0 { add(byte: 0x0A) }
  }
}
