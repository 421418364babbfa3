// SPDX-License-Identifier: Apache-2.0
// Pictures that killed their worker twice: each is set aside with its story, so that somebody can look
// into it, and its photo fails. Concurrency: immutable; the quarantine looks after itself.

import Accept
import Catalog
import Download
import Linux
import Record
import Vocabulary

struct PoisonPictures: Sendable {
  let quarantine: Quarantine
  let shelf: ListShelf
  let recorder: Recorder
  let clock: any Timekeeper
  /// Copies large pictures: no thread that others share waits for that.
  let lane: WorkLane

  /// Raised instead of a third try: what made it the last one was recorded before a stop or a crash.
  func check(_ photo: PhotoID) throws(Failure) {
    let deaths = recorder.ledger { $0[photo.list]?.deaths(of: photo.number) ?? 0 }
    guard deaths >= UInt32(Quarantine.maximumDeaths) else { return }
    throw Failure(.passing, code: "worker.died", reason: "the worker died over it before")
  }

  /// Records the death first, so that no crash makes it forgotten. Where the picture cannot be kept,
  /// that is said; its photo fails all the same.
  func setAside(_ photo: PhotoID, _ failure: Failure) async throws(Failure) -> Failure {
    let (deaths, contents) = recorder.ledger { ledger in
      let entry = ledger[photo.list]
      return (entry?.deaths(of: photo.number) ?? 0, entry?.originals[photo.number])
    }
    if deaths < UInt32(Quarantine.maximumDeaths) {
      guard try await recorder.record([.died(photo)]) else { throw .cancelled }
    }
    return await withCheckedContinuation { done in
      lane.run { done.resume(returning: self.copy(photo, failure, contents)) }
    }
  }

  private func copy(_ photo: PhotoID, _ failure: Failure, _ contents: Contents?) -> Failure {
    let stem = Quarantine.stem(photo)
    do throws(SystemError) {
      let room = try? shelf.room(photo.list)
      let entry = try? room?.catalog.entry(photo.number)
      let story = PoisonStory(
        list: photo.list, photo: photo.number, name: Array((entry?.name ?? "").utf8),
        host: entry.flatMap { try? PhotoURL(parsing: $0.url).host } ?? "",
        sha256: contents.map { String(hex: $0.hash) } ?? "", death: failure.reason,
        time: clock.wallTime())
      let original = try? room?.originals.open(Original.name(of: photo), .read)
      try quarantine.setAside(original, as: stem, story)
      return failure.worded("it killed its worker twice and is set aside as quarantine/\(stem)")
    } catch {
      return failure.worded("it killed its worker twice and could not be set aside (\(error))")
    }
  }
}

extension Failure {
  fileprivate func worded(_ words: String) -> Failure {
    Failure(
      kind, code: code, reason: "\(words): \(reason)",
      advice: "The file of that name with .txt tells more")
  }
}

extension String {
  /// Sixteen digits.
  fileprivate init(hex number: UInt64) {
    let digits = String(number, radix: 16)
    self = String(repeating: "0", count: 16 - digits.count) + digits
  }
}
