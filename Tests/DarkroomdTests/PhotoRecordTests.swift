// SPDX-License-Identifier: Apache-2.0
// The chains' view of the record: what is left, what a photo asks for, retries and failures.

import Chain
import Download
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoRecordTests {
  private let list = ListID(1)

  private func photo(_ number: UInt32) -> PhotoID { PhotoID(list: list, number: number) }

  private func failure(_ act: () async throws -> Void) async -> Failure? {
    await #expect(throws: Failure.self) { try await act() }
  }

  // MARK: reading

  @Test func `the next photo is the first without an end`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 4))
      for number in [1, 3] as [UInt32] {
        try await bench.develop(photo(number), print: "Photo \(number).jpg")
      }
      let record = bench.record
      #expect(record.nextUnfinished(in: list, after: 0) == 2)
      #expect(record.nextUnfinished(in: list, after: 2) == 4)
      #expect(record.nextUnfinished(in: list, after: 4) == nil)
      #expect(record.nextUnfinished(in: ListID(9), after: 0) == nil)
    }
  }

  @Test func `the standing is that of the record`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 2))
      try await bench.recorder.record([
        .died(photo(1)), .retry(photo(1), .filter, code: "c", attempt: 3, after: 1, until: 2),
      ])
      let record = bench.record
      #expect(record.standing(of: photo(1)) == PhotoStanding(state: .new, attempts: 3, deaths: 1))
      #expect(record.standing(of: photo(2)) == PhotoStanding(state: .new))
    }
  }

  @Test func `a photo that is done, unknown, or of a list that is over or gone has no standing`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList(count: 2))
      _ = try bench.lists.begin(list)
      let record = bench.record
      try await bench.develop(photo(1), print: "Photo 1.jpg")
      #expect(record.standing(of: photo(1)) == nil)
      #expect(record.standing(of: photo(3)) == nil)
      #expect(record.standing(of: PhotoID(list: ListID(9), number: 1)) == nil)
      try await bench.recorder.record([.downloaded(photo(2), Contents(size: 1, hash: 1))])
      #expect(record.standing(of: photo(2)) == PhotoStanding(state: .downloaded))
      try await bench.recorder.record([.cancelled(list)])
      #expect(record.standing(of: photo(2)) == nil)
      let prospect = try record.order(of: photo(2)).prospect
      #expect(prospect.isDone && prospect.host == nil)
    }
  }

  @Test func `a new photo asks for its server; a wrong one and a downloaded one for none`()
    async throws
  {
    try await PartBench.use { bench in
      let urls = [
        "https://photos.example.org:8443/a.jpg", "file:///a.jpg", "gopher://h/a",
        "https://photos.example.org/b.jpg",
      ]
      try await bench.add(
        1, SampleList { $0.photos = urls.enumerated().map { ("Photo \($0)", $1) } })
      _ = try bench.lists.begin(list)
      try await bench.recorder.record([.downloaded(photo(4), Contents(size: 1, hash: 1))])
      let prospects = try (1...4).map { try bench.record.order(of: photo($0)).prospect }
      #expect(
        prospects.map(\.host) == ["https://photos.example.org:8443", HostWindows.here, nil, nil])
      #expect(prospects.map { $0.url == nil } == [false, true, true, true])
      #expect(prospects.allSatisfy { !$0.isTried })
    }
  }

  @Test func `a photo with a retry counts as tried`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1)
      _ = try bench.lists.begin(list)
      try await bench.recorder.record([
        .retry(photo(1), .download, code: "c", attempt: 1, after: 1, until: 2)
      ])
      #expect(try bench.record.order(of: photo(1)).prospect.isTried)
    }
  }

  @Test func `a list whose files are gone raises their failure`() async throws {
    try await PartBench.use { bench in
      let found = await failure { _ = try bench.record.order(of: photo(1)) }
      #expect(found?.code == "list.gone")
    }
  }

  // MARK: writing

  @Test func `a retry is durable, remembered with its reason, and told`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      bench.notes.time(photo(1)) { $0.download = .seconds(1) }
      try await bench.record.recordRetry(
        bench.work(attempt: 2), .download, .reset, after: .seconds(8))
      let plan = bench.recorder.ledger { $0[list]?.retries[1] }
      #expect(
        plan
          == RetryPlan(
            stage: .download, attempt: 2, after: 8000, until: bench.clock.wallTime() + 8000))
      #expect(bench.notes.failure(of: photo(1)) == .reset)
      #expect(bench.notes.time(of: photo(1)) == StageTime())
      #expect(bench.told.holds("the connection broke; trying again in 8 s."))
    }
  }

  @Test func `the death of a worker is counted with its retry`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.record.recordRetry(bench.work(), .filter, .died, after: .zero)
      #expect(bench.recorder.ledger { $0[list]?.deaths(of: 1) } == 1)
      #expect(bench.told.holds("A worker died while working on 'Barn'"))
    }
  }

  @Test func `a failure is durable with its row, and the original goes`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      _ = try await bench.stages.download(bench.work()) { _ in }
      bench.notes.failed(photo(1), .reset)
      try await bench.record.recordFailure(bench.work(attempt: 3), .filter, .missing)
      let row = try #require(try bench.recorder.results.row(photo(1)))
      #expect(row.state == .failed && row.code == "http.404" && row.httpStatus == 404)
      #expect(row.reason == Failure.missing.reason && row.attempts == 3)
      #expect(bench.state(photo(1)) == .failed && bench.notes.failure(of: photo(1)) == nil)
      #expect(bench.originals() == [])
      #expect(bench.told.holds("the server answered 404 Not Found; giving up."))
    }
  }

  @Test func `a picture that killed its workers is set aside before its original goes`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.addBarn()
      _ = try await bench.stages.download(bench.work()) { _ in }
      try await bench.record.recordFailure(bench.work(), .filter, .died)
      #expect(try bench.folders.quarantine.listing() == ["1-1", "1-1.txt"])
      let row = try #require(try bench.recorder.results.row(photo(1)))
      #expect(row.code == "worker.died" && row.reason.contains("quarantine/1-1"))
      #expect(bench.originals() == [])
    }
  }

  @Test func `a change that the record refuses is neither told nor remembered`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.recorder.record([.cancelled(list)])
      let retry = await failure {
        try await bench.record.recordRetry(bench.work(), .download, .reset, after: .zero)
      }
      let end = await failure {
        try await bench.record.recordFailure(bench.work(), .download, .missing)
      }
      #expect(retry == .overtaken && end == .overtaken)
      #expect(bench.notes.failure(of: photo(1)) == nil)
      #expect(bench.told.all().allSatisfy { !$0.contains("Barn") })
    }
  }

  @Test(
    arguments: [
      ("http.404", 404), ("http.", nil), ("http.4o4", nil), ("connect.reset", nil), ("404", nil),
    ] as [(String, UInt32?)])
  func `the status of a failure is that of its code`(code: String, status: UInt32?) {
    #expect(Failure(.final, code: code, reason: "").httpStatus == status)
  }
}
