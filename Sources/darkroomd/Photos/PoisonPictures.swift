// SPDX-License-Identifier: Apache-2.0
// Pictures that killed their worker twice: each is set aside in the quarantine with a description, and its
// photo fails. Raises `worker.died` instead of a third try, and the failures of the record.
// Concurrency: immutable; called where waiting for a disk is allowed.

import Accept
import Chain
import Download
import Record
import Vocabulary

struct PoisonPictures: Sendable {
  let quarantine: Quarantine
  let recorder: Recorder
  let clock: any Timekeeper

  /// Prevents a third try, if a stop or a crash came after the second death was recorded.
  func check(_ photo: PhotoID) throws(Failure) {
    let deaths = recorder.ledger { $0[photo.list]?.deaths(of: photo.number) ?? 0 }
    guard deaths >= UInt32(Quarantine.maximumDeaths) else { return }
    throw Failure(.passing, code: "worker.died", reason: "a worker died on it before")
  }

  /// Records the death first, so that a crash does not lose it. If the picture cannot be set aside, the
  /// reason says so; the photo fails in any case.
  func setAside(
    _ work: PhotoWork<PhotoOrder>, _ failure: Failure
  ) async throws(Failure) -> Failure {
    let photo = work.photo
    let (deaths, contents) = recorder.ledger { ledger in
      let entry = ledger[photo.list]
      return (entry?.deaths(of: photo.number) ?? 0, entry?.originals[photo.number])
    }
    if deaths < UInt32(Quarantine.maximumDeaths) { try await recorder.record([.died(photo)]) }
    let stem = Quarantine.stem(photo)
    let deed = failure.isWorkerIdle ? "it killed or stopped its worker" : "it killed its worker"
    do throws(SystemError) {
      let story = PoisonStory(
        list: photo.list, photo: photo.number, name: Array(work.order.name.utf8),
        host: work.order.host, sha256: contents.map { String(hex: $0.hash) } ?? "",
        death: failure.reason, time: clock.wallTime())
      let originals = try? work.order.list.workFolders().originals
      let original = try? originals?.open(Original.name(of: photo), .read)
      try quarantine.setAside(original, as: stem, story)
      return failure.worded("\(deed) twice and is set aside as quarantine/\(stem)")
    } catch {
      return failure.worded("\(deed) twice and could not be set aside (\(error))")
    }
  }
}

extension Failure {
  fileprivate func worded(_ words: String) -> Failure {
    Failure(
      kind, code: code, reason: "\(words): \(reason)",
      advice: "The .txt file of that name has the details")
  }
}
