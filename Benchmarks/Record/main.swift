// SPDX-License-Identifier: Apache-2.0
// Record alone: tasks that each record `downloaded` and `filtered` for the next photo of one list, and wait until each
// is durable. Then the record is closed and started again.
// darkroom-bench-record FOLDER PHOTOS WAITERS yes|no: the last word is `Sync=`. Prints transitions, groups, the
// microseconds of the work, of the median wait, of the 99th percentile, and of the start.

import Linux
import Record
import Synchronization
import Vocabulary

func end(_ words: String) -> Never {
  try? StandardStream.error.write(Array("darkroom-bench-record: \(words)\n".utf8))
  ThisProcess.exit(1)
}

/// How often a caller waited how long.
struct Waits {
  private static let step: Int64 = 50_000
  private var counts = [Int](repeating: 0, count: 100_000)
  private var all = 0

  mutating func add(_ wait: Duration) {
    counts[min(Int(wait.nanoseconds / Self.step), counts.count - 1)] += 1
    all += 1
  }

  /// The nanoseconds that at least `share` of the waits took at most.
  func percentile(_ share: Double) -> Int64 {
    var left = Double(all) * share
    for (place, count) in counts.enumerated() {
      left -= Double(count)
      if left <= 0 { return Self.step * Int64(place + 1) }
    }
    return Self.step * Int64(counts.count)
  }
}

struct Books {
  /// The number of the photo started last.
  var last: UInt32 = 0
  var waiters: Int
  var waits = Waits()
}

let words = CommandLine.arguments
guard words.count == 5, let photos = UInt32(words[2]), photos > 0, photos <= Ledger.maximumPhotos,
  let waiters = Int(words[3]), waiters > 0
else { end("FOLDER PHOTOS WAITERS yes|no") }

do {
  TaskHome.settle(
    quick: try OwnExecutor("tasks", threads: 1), disk: try OwnExecutor("disk", threads: 1))
  let clock = try SystemClock()
  let state = try LinuxFolder.open(path: words[1])
  let settings = JournalSettings(stateID: "1", bootID: "1", isSynced: words[4] == "yes")

  @Sendable func opened() throws(Failure) -> Recorder {
    let (recorder, _) = try Recorder.open(
      state, time: clock, settings: settings,
      died: { end("the journal file is lost: \($0)") })
    return recorder
  }

  let recorder = try opened()
  let list = ListID(1)
  let contents = Contents(size: 2048, hash: 0xA5A5_A5A5_A5A5_A5A5)
  let books = Mutex(Books(waiters: waiters))
  let over = ThreadSignal()

  @Sendable func record(_ change: Change) async throws(Failure) {
    let begin = clock.uptime()
    try await recorder.record([change])
    let wait = clock.uptime() - begin
    books.withLock { $0.waits.add(wait) }
  }

  @Sendable func work() async throws(Failure) {
    while true {
      let number = books.withLock { books in
        books.last += 1
        return books.last
      }
      guard number <= photos else { return }
      let photo = PhotoID(list: list, number: number)
      try await record(.downloaded(photo, contents))
      try await record(.filtered(photo, contents))
    }
  }

  @Sendable func run(_ job: @escaping @Sendable () async throws(Failure) -> Void) {
    TaskHome.quick.start {
      do throws(Failure) { try await job() } catch { end("\(error)") }
    }
  }

  run { () async throws(Failure) in
    try await recorder.record([
      .accepted(list, Acceptance(photos: photos, serviceClass: .default, sha256: "0"))
    ])
    over.ring()
  }
  over.wait()
  let begin = clock.uptime()
  for _ in 0..<waiters {
    run { () async throws(Failure) in
      try await work()
      let isLast = books.withLock { books in
        books.waiters -= 1
        return books.waiters == 0
      }
      if isLast { over.ring() }
    }
  }
  over.wait()
  let spent = clock.uptime() - begin
  let counts = recorder.counts
  run { () async throws(Failure) in
    await recorder.close()
    over.ring()
  }
  over.wait()
  let restart = clock.uptime()
  let again = try opened()
  let start = clock.uptime() - restart
  let done = again.ledger { $0[list]?.counts.filtered ?? 0 }
  guard done == photos else { end("\(done) of \(photos) photos are in the record") }
  let waits = books.withLock { $0.waits }
  let times = [
    spent.nanoseconds, waits.percentile(0.5), waits.percentile(0.99), start.nanoseconds,
  ].map { "\($0 / 1000)" }
  print(counts.records, counts.groups, times.joined(separator: " "))
} catch { end("\(error)") }
