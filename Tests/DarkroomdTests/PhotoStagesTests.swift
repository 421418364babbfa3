// SPDX-License-Identifier: Apache-2.0
// The stages as the chains run them: a real downloader, real pictures, a real record.

import Chain
import Digests
import Download
import Linux
import Output
import Record
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoStagesTests {
  private let photo = PhotoID(list: ListID(1), number: 1)
  private let list = ListID(1)

  private func download(_ bench: PartBench) async throws -> any OpenFile {
    try await bench.stages.download(bench.work()) { _ in }
  }

  /// Raises the failure of the download as a value.
  private func failure(_ act: () async throws -> Void) async -> Failure? {
    await #expect(throws: Failure.self) { try await act() }
  }

  /// A bench with one photo of a list, in a file of these bytes; nil for a file that is missing.
  private func use(
    _ bytes: [UInt8]?, mark: String = "", _ body: (PartBench) async throws -> Void
  ) async throws {
    try await PartBench.use(mark: mark) { bench in
      let url =
        try bytes.map { try bench.photo("a.jpg", $0) } ?? "file://\(bench.scratch.path)/photos/b"
      try await bench.add(1, SampleList { $0.photos = [("Barn", url)] })
      _ = try bench.lists.begin(list)
      try await body(bench)
    }
  }

  private var picture: [UInt8] { SamplePictures.jpeg(width: 32, height: 24) }

  // MARK: download

  @Test func `a download records its original, tells the transition, and lets the host go`()
    async throws
  {
    try await use(picture) { bench in
      let arrived = EventBoard(0)
      let file = try await bench.stages.download(try bench.work()) { _ in
        arrived.change { $0 += 1 }
      }
      #expect(arrived.value == 1 && bench.state(photo) == .downloaded)
      #expect(try file.status().size == UInt64(picture.count))
      #expect(bench.recorder.ledger { $0[list]?.originals[1]?.size } == UInt64(picture.count))
      #expect(bench.originals() == ["000000001"])
      #expect(bench.told.holds("Photo 'Barn' of list 'barn': new → downloaded."))
      #expect(bench.notes.time(of: photo).download == .zero)
      #expect(throws: SystemError.self) { try file.write([0], at: 0) }
    }
  }

  @Test func `a missing file fails for good and leaves nothing`() async throws {
    try await use(nil) { bench in
      let found = await failure { _ = try await download(bench) }
      #expect(found?.kind == .final && found?.code == "file.missing")
      #expect(bench.state(photo) == .new)
      #expect(bench.originals() == [])
    }
  }

  @Test func `a wrong entry is raised by the download`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList { $0.photos = [("", "https://h/a.jpg")] })
      _ = try bench.lists.begin(list)
      #expect(await failure { _ = try await download(bench) }?.code == "list.entry")
    }
  }

  @Test func `a download of a list that has ended is overtaken, and not told`() async throws {
    try await use(picture) { bench in
      try await bench.recorder.record([.cancelled(list)])
      #expect(await failure { _ = try await download(bench) } == .overtaken)
      #expect(bench.told.all().allSatisfy { !$0.contains("downloaded") })
    }
  }

  @Test func `a list that was only looked at has no folder for originals`() async throws {
    try await PartBench.use { bench in
      try await bench.add(1, SampleList { $0.photos = [("Barn", "file:///a")] })
      #expect(await failure { _ = try await download(bench) } == OpenList.over)
    }
  }

  // MARK: recall

  @Test func `an original is found again after a restart`() async throws {
    try await use(picture) { bench in
      _ = try await download(bench)
      let file = try await bench.stages.recall(bench.work(state: .downloaded))
      #expect(try file.status().size == UInt64(picture.count))
    }
  }

  enum Harm: CaseIterable { case gone, cut, changed, unreadable }

  private func harm(_ bench: PartBench, _ harm: Harm) throws {
    let originals = try bench.folders.originals.folder(FileName(number: 1), creating: false)
    let name = Original.name(of: photo)
    switch harm {
    case .gone: try originals.remove(name)
    case .cut: try originals.open(name, .write).truncate(to: 10)
    case .changed: try originals.open(name, .write).write([0, 0], at: 0)
    case .unreadable:
      FaultPlan.set(
        .init("pread", on: "\(originals.path)/\(name)", code: 5, isPermanent: true),
        for: originals.path)
    }
  }

  @Test(arguments: Harm.allCases)
  func `an original that this machine has lost is downloaded again and blames no photo`(
    _ how: Harm
  ) async throws {
    try await use(picture) { bench in
      _ = try await download(bench)
      for kind in [Failure.Kind.passing, .machine] {
        try harm(bench, how)
        let found = await failure {
          _ = try await bench.stages.recall(bench.work(state: .downloaded))
        }
        #expect(found?.code == Failure.lostOriginal && found?.kind == kind, "again")
        #expect(found?.scope == .one && bench.state(photo) == .new)
        let originals = try bench.folders.originals.folder(FileName(number: 1), creating: false)
        FaultPlan.set(nil, for: originals.path)
        _ = try await download(bench)
      }
    }
  }

  @Test func `a picture whose original was damaged after its download is not called bad`()
    async throws
  {
    try await use(picture) { bench in
      let original = try await download(bench)
      try harm(bench, .changed)
      bench.workers.failures.withLock {
        $0 = [Failure(.final, code: "jpeg.damaged", reason: "it is damaged")]
      }
      let found = await failure {
        _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
      }
      #expect(found?.code == Failure.lostOriginal && bench.state(photo) == .new)
    }
  }

  // MARK: filter

  @Test func `a picture is developed under a hidden name, with the terms of its list`()
    async throws
  {
    try await use(picture) { bench in
      let original = try await download(bench)
      let negative = try await bench.stages.filter(bench.work(state: .downloaded), original)
      #expect(negative.developed.width == 32 && negative.developed.format == .jpeg)
      #expect(bench.prints() == [".1-1.print", ".1-1.thumbnail"])
      let order = try #require(bench.workers.orders.withLock { $0.first })
      #expect(order.filter == .standard && order.owner == SampleList { _ in }.owner)
      #expect(order.maximumPixels == Settings().filter.maximumPixels)
      bench.stages.discard(negative)
      #expect(bench.prints() == [])
    }
  }

  @Test func `a failure of the worker leaves no draft`() async throws {
    try await use(picture) { bench in
      let original = try await download(bench)
      bench.workers.failures.withLock { $0 = [.died] }
      let found = await failure {
        _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
      }
      #expect(found == .died)
      #expect(bench.prints() == [] && bench.originals()?.count == 1)
    }
  }

  @Test func `a picture that killed two workers is not tried a third time`() async throws {
    try await use(picture) { bench in
      let original = try await download(bench)
      try await bench.recorder.record([.died(photo), .died(photo)])
      let found = await failure {
        _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
      }
      #expect(found?.isWorkerDeath == true)
      #expect(bench.workers.orders.withLock { $0.isEmpty })
    }
  }

  @Test func `a truncated picture is downloaded again only if its end was not sure`() async throws {
    try await use(picture) { bench in
      let cut = Failure(.final, code: "jpeg.truncated", reason: "the picture ends early")
      // The end of a file is sure.
      let original = try await download(bench)
      bench.workers.failures.withLock { $0 = [cut] }
      let sure = await failure {
        _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
      }
      #expect(sure == cut && bench.state(photo) == .downloaded)
      bench.notes.downloaded(photo, isEndSure: false)
      bench.workers.failures.withLock { $0 = [cut] }
      let first = await failure {
        _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
      }
      #expect(first?.kind == .passing && first?.code == "jpeg.truncated")
      #expect(bench.state(photo) == .new)
      #expect(bench.originals() == [])
    }
  }

  @Test func `a folder of prints that a person removed is made at the next opening`() async throws {
    try await use(picture) { bench in
      let original = try await download(bench)
      try bench.folders.prints.removeFolder(FileName(literal: "barn"))
      let work = try bench.work(state: .downloaded)
      let found = await failure { _ = try await bench.stages.filter(work, original) }
      #expect(found?.kind == .machine && !bench.lists.isKept(list))
      _ = try bench.lists.begin(list)
      _ = try await bench.stages.filter(bench.work(state: .downloaded), original)
    }
  }

  @Test func `a disk of prints that went away and came back is found again`() async throws {
    try await use(picture) { bench in
      let original = try await download(bench)
      let work = try bench.work(state: .downloaded)
      let prints = bench.folders.prints.path
      FaultPlan.set(
        .init("openat", on: prints, code: SystemError.Name.inputOutput.rawValue), for: prints)
      defer { FaultPlan.set(nil, for: prints) }
      let found = await failure { _ = try await bench.stages.filter(work, original) }
      #expect(found?.kind == .machine && !bench.lists.isKept(list))
      // Another disk has taken the place of the first.
      let barn = FileName(literal: "barn")
      try bench.folders.prints.rename(
        barn, to: bench.folders.prints, as: FileName(literal: "away"), replacing: false)
      _ = try bench.folders.prints.folder(barn, creating: true)
      _ = try bench.lists.use(list)
      let negative = try await bench.stages.filter(bench.work(state: .downloaded), original)
      try await bench.stages.output(bench.work(state: .downloaded), negative)
      #expect(bench.prints() == [".sheet", "Barn.jpg"])
    }
  }

  // MARK: output

  private func negative(_ bench: PartBench) async throws -> Negative {
    let original = try await download(bench)
    return try await bench.stages.filter(bench.work(state: .downloaded), original)
  }

  @Test func `a print appears with its record and its row, and the original goes`() async throws {
    try await use(picture) { bench in
      let negative = try await negative(bench)
      try await bench.stages.output(bench.work(state: .downloaded), negative)
      #expect(bench.prints() == [".sheet", "Barn.jpg"] && bench.originals() == [])
      #expect(bench.state(photo) == .filtered)
      let row = try #require(try bench.recorder.results.row(photo))
      #expect(row.state == .filtered && row.width == 32 && row.height == 24)
      #expect(row.bytes == negative.developed.size && row.sha256.count == 32)
      #expect(bench.told.holds("Filtered 'Barn' of list 'barn': 32 × 24 jpeg"))
      #expect(bench.notes.time(of: photo) == StageTime())
    }
  }

  @Test(arguments: ["", "a."], [false, true])
  func `no print appears in a folder that a person renamed`(
    mark: String, isReplaced: Bool
  ) async throws {
    try await use(picture, mark: mark) { bench in
      let negative = try await negative(bench)
      let (prints, away) = (bench.folders.prints, FileName(literal: "away"))
      let barn = FileName(literal: "barn")
      try prints.rename(barn, to: prints, as: away, replacing: false)
      if isReplaced { try prints.makeFolder(barn) }
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.kind == .machine && found?.scope == .one && !bench.lists.isKept(list))
      bench.stages.discard(negative)
      #expect(try prints.folder(away, creating: false).listing() == [])
      if isReplaced { #expect(try prints.folder(barn, creating: false).listing() == []) }
      #expect(bench.state(photo) == .downloaded)
    }
  }

  /// Makes the print where another process has put this file under its name; returns the recorded row.
  private func output(
    _ bench: PartBench, behind standing: (Negative) throws -> [UInt8]
  ) async throws -> ResultRow? {
    let negative = try await negative(bench)
    try bench.scratch.write(try standing(negative), to: "daemon/prints/barn/Barn.jpg")
    try await bench.stages.output(bench.work(state: .downloaded), negative)
    return try bench.recorder.results.row(photo)
  }

  @Test func `a print that another process has made stands, is recorded as it is, and told`()
    async throws
  {
    try await use(picture, mark: "a.") { bench in
      let other = SamplePictures.jpeg(width: 20, height: 10)
      let row = try await output(bench) { _ in other }
      #expect(bench.scratch.bytes(of: "daemon/prints/barn/Barn.jpg") == other)
      #expect(row?.sha256 == SHA256.digest(of: other).bytes && row?.bytes == UInt64(other.count))
      #expect(row?.width == 20 && row?.height == 10 && row?.thumbnail == nil)
      #expect(bench.state(photo) == .filtered && bench.prints() == ["Barn.jpg"])
      #expect(bench.told.holds("Kept the print of 'Barn' of list 'barn' that was there: 20 × 10"))
    }
  }

  @Test func `an equal print of another process is recorded without a word`() async throws {
    try await use(picture, mark: "a.") { bench in
      let row = try await output(bench) { negative in
        try negative.picture.written.read(at: 0, upTo: 1 << 20)
      }
      #expect(row?.width == 32 && row?.thumbnail != nil)
      #expect(bench.state(photo) == .filtered && bench.prints() == [".sheet", "Barn.jpg"])
      #expect(!bench.told.holds("Kept the print"))
    }
  }

  @Test func `a file that is no picture under the name of a print fails the photo`() async throws {
    try await use(picture, mark: "a.") { bench in
      let found = await failure { _ = try await output(bench) { _ in Array("notes".utf8) } }
      #expect(found?.kind == .final && found?.code == "print.taken")
      #expect(bench.scratch.bytes(of: "daemon/prints/barn/Barn.jpg") == Array("notes".utf8))
      #expect(bench.state(photo) == .downloaded)
    }
  }

  @Test func `a print that is made once is durable before its record, and leaves no draft`()
    async throws
  {
    try await use(picture, mark: "a.") { bench in
      let negative = try await negative(bench)
      #expect(bench.prints()?.contains(".a.1-1.print") == true)
      let prints = bench.folders.prints.path
      FaultPlan.set(.init("fsync", on: "\(prints)/barn", code: 5), for: prints)
      defer { FaultPlan.set(nil, for: prints) }
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.kind == .machine && bench.state(photo) == .downloaded)
      let original = try await bench.stages.recall(bench.work(state: .downloaded))
      let again = try await bench.stages.filter(bench.work(state: .downloaded), original)
      try await bench.stages.output(bench.work(state: .downloaded), again)
      #expect(bench.state(photo) == .filtered && bench.prints() == [".sheet", "Barn.jpg"])
    }
  }

  @Test(arguments: ["pwrite", "fdatasync"])
  func `a full disk that a print meets is trouble with the place of the prints`(call: String)
    async throws
  {
    try await use(picture, mark: "a.") { bench in
      let negative = try await negative(bench)
      let prints = "\(bench.scratch.path)/daemon/prints"
      FaultPlan.set(.init(call, on: prints, code: 28), for: prints)
      defer { FaultPlan.set(nil, for: prints) }
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.code == "disk.full" && found?.scope == .prints)
      bench.stages.discard(negative)
      #expect(bench.state(photo) == .downloaded)
    }
  }

  @Test func `a print that is made once gets no name if its sync fails`() async throws {
    try await use(picture, mark: "a.") { bench in
      let negative = try await negative(bench)
      let prints = bench.folders.prints.path
      FaultPlan.set(.init("fdatasync", on: prints, code: 5), for: prints)
      defer { FaultPlan.set(nil, for: prints) }
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.kind == .machine && bench.state(photo) == .downloaded)
      #expect(bench.prints() == [".a.1-1.print", ".a.1-1.thumbnail"])
    }
  }

  @Test(arguments: ["", "a."])
  func `no print appears before the mark of its folder is durable`(mark: String) async throws {
    try await PartBench.use(mark: mark) { bench in
      let url = try bench.photo("a.jpg", picture)
      try await bench.add(1, .marked { $0.photos = [("Barn", url)] })
      let prints = bench.folders.prints.path
      let sign = "\(prints)/barn/.list"
      defer { FaultPlan.set(nil, for: prints) }
      _ = try bench.lists.begin(list)
      _ = try await download(bench)
      for isFaulty in [true, true, false] {
        // The trouble of a round closes it.
        _ = try bench.lists.begin(list)
        let original = try await bench.stages.recall(bench.work(state: .downloaded))
        let negative = try await bench.stages.filter(bench.work(state: .downloaded), original)
        guard isFaulty else {
          try await bench.stages.output(bench.work(state: .downloaded), negative)
          #expect(bench.state(photo) == .filtered && bench.prints()?.contains("Barn.jpg") == true)
          return
        }
        FaultPlan.set(.init("fdatasync", on: sign, code: 5), for: prints)
        let found = await failure {
          try await bench.stages.output(bench.work(state: .downloaded), negative)
        }
        FaultPlan.set(nil, for: prints)
        #expect(found?.kind == .machine && bench.state(photo) == .downloaded)
        #expect(bench.prints()?.contains("Barn.jpg") != true)
        bench.stages.discard(negative)
      }
    }
  }

  @Test func `a folder of prints that its server has lost is opened again`() async throws {
    try await use(picture, mark: "a.") { bench in
      let negative = try await negative(bench)
      let prints = bench.folders.prints.path
      FaultPlan.set(
        .init("linkat", on: prints, code: SystemError.Name.stale.rawValue), for: prints)
      defer { FaultPlan.set(nil, for: prints) }
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.kind == .machine && !bench.lists.isKept(list))
      #expect(bench.state(photo) == .downloaded)
    }
  }

  @Test func `a print that is not as long as the worker said is not published`() async throws {
    try await use(picture) { bench in
      let negative = try await negative(bench)
      try negative.picture.written.truncate(to: negative.developed.size - 1)
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.isWorkerDeath == true && bench.state(photo) == .downloaded)
      #expect(bench.prints() == [".1-1.print", ".1-1.thumbnail"])
    }
  }

  @Test(arguments: ["", "a."])
  func `a recorded print never changes, whatever its worker does to the files that it keeps`(
    mark: String
  ) async throws {
    try await use(picture, mark: mark) { bench in
      let negative = try await negative(bench)
      try await bench.stages.output(bench.work(state: .downloaded), negative)
      let (path, small) = ("daemon/prints/barn/Barn.jpg", "daemon/prints/barn/.sheet/1.jpg")
      let before = [bench.scratch.bytes(of: path), bench.scratch.bytes(of: small)]
      let row = try #require(try bench.recorder.results.row(photo))
      #expect(before[0].map { SHA256.digest(of: $0).bytes } == row.sha256)
      #expect(before[1]?.isEmpty == false && row.thumbnail != nil)
      let kept = bench.workers.written.withLock { $0 }
      #expect(kept.count == 2)
      for file in kept {
        try file.write(Array("OVERWRITTEN".utf8), at: 0)
        try file.truncate(to: 5)
      }
      #expect([bench.scratch.bytes(of: path), bench.scratch.bytes(of: small)] == before)
    }
  }

  @Test func `a file that grows while it is copied is no print`() async throws {
    try await use(picture) { bench in
      let negative = try await negative(bench)
      try negative.picture.written.write([0], at: negative.developed.size)
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found?.isWorkerDeath == true && bench.state(photo) == .downloaded)
    }
  }

  @Test func `a print of a list that has ended is overtaken, and not told`() async throws {
    try await use(picture) { bench in
      let negative = try await negative(bench)
      try await bench.recorder.record([.cancelled(list)])
      let found = await failure {
        try await bench.stages.output(bench.work(state: .downloaded), negative)
      }
      #expect(found == .overtaken && !bench.told.holds("Filtered 'Barn'"))
    }
  }
}
