// SPDX-License-Identifier: Apache-2.0
// One transition as one line of the journal file; Journal-format.md is the contract. This half writes.

internal import Digests
package import Vocabulary

package struct JournalRecord: Equatable, Sendable {
  /// Includes the line end.
  package static let maximumBytes = 512

  private static let checksumRoom = Array("00000000 ".utf8)

  package let sequence: UInt64
  package let transition: Transition

  package init(sequence: UInt64, _ transition: Transition) {
    self.sequence = sequence
    self.transition = transition
  }

  package func line(seed: UInt32) -> [UInt8] {
    var text = LineText()
    write(into: &text, seed: seed)
    return text.bytes
  }

  func write(into text: inout LineText, seed: UInt32) {
    let start = text.count
    text.add(Self.checksumRoom)
    text.add(sequence)
    text.add(byte: 0x20)
    text.add(milliseconds: transition.time)
    text.add(byte: 0x20)
    text.add(transition.change)
    if let user = transition.user { text.field("by", user) }
    let checksum = CRC32C.checksum(text.bytes[(start + 9)...], seed: seed)
    text.fill(checksum, at: start)
    text.add(byte: 0x0A)
    assert(text.count - start <= Self.maximumBytes)
  }
}

extension LineText {
  fileprivate mutating func add(_ change: Change) {
    switch change {
    case .accepted(let list, let acceptance):
      add(.accepted, list)
      field("photos", acceptance.photos)
      field("quality", word: acceptance.serviceClass.name)
      field("sha256", word: acceptance.sha256)
      if let owner = acceptance.owner { field("owner", owner) }
    case .rejected(let list, let code):
      add(.rejected, list)
      field("code", word: code)
    case .paused(let list): add(.paused, list)
    case .resumed(let list): add(.resumed, list)
    case .cancelled(let list): add(.cancelled, list)
    case .finished(let list): add(.finished, list)
    case .removed(let list): add(.removed, list)
    case .quality(let list, let serviceClass):
      add(.quality, list)
      field("class", word: serviceClass.name)
    case .downloaded(let photo, let contents): add(.downloaded, photo, contents)
    case .filtered(let photo, let contents): add(.filtered, photo, contents)
    case .failed(let photo, let stage, let code, let attempt):
      add(.failed, photo, stage, code, attempt)
    case .retry(let photo, let stage, let code, let attempt, let after, let until):
      add(.retry, photo, stage, code, attempt)
      field("after", after)
      field("until", until)
    case .lost(let photo): add(.lost, photo)
    case .died(let photo): add(.died, photo)
    }
  }

  private mutating func add(_ kind: RecordKind, _ list: ListID) {
    add(kind.rawValue)
    add(byte: 0x20)
    add(list.number)
  }

  private mutating func add(_ kind: RecordKind, _ photo: PhotoID) {
    add(kind, photo.list)
    add(byte: 0x20)
    add(UInt64(photo.number))
  }

  // Encoded once, because nearly all lines have them.
  private static let size = Array(" size=".utf8)
  private static let hash = Array(" hash=".utf8)

  private mutating func add(_ kind: RecordKind, _ photo: PhotoID, _ contents: Contents) {
    add(kind, photo)
    add(Self.size)
    add(contents.size)
    add(Self.hash)
    add(hex: contents.hash, digits: 16)
  }

  private mutating func add(
    _ kind: RecordKind, _ photo: PhotoID, _ stage: Stage, _ code: String, _ attempt: UInt32
  ) {
    add(kind, photo)
    field("stage", word: stage.name)
    field("code", word: code)
    field("attempt", attempt)
  }
}
