// SPDX-License-Identifier: Apache-2.0
// Pictures that kill their workers.

import Accept
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PoisonPicturesTests {
  private let photo = PhotoID(list: ListID(1), number: 1)

  private func deaths(_ bench: PartBench) -> UInt32? {
    bench.recorder.ledger { $0[ListID(1)]?.deaths(of: 1) }
  }

  @Test func `a second death forbids a third try`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try bench.poison.check(photo)
      try await bench.recorder.record([.died(photo)])
      try bench.poison.check(photo)
      try await bench.recorder.record([.died(photo)])
      let failure = #expect(throws: Failure.self) { try bench.poison.check(photo) }
      #expect(failure?.isWorkerDeath == true)
      try bench.poison.check(PhotoID(list: ListID(9), number: 1))
    }
  }

  @Test func `a picture is set aside with its story, after its death is recorded`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      let original = try await bench.stages.download(bench.work()) { _ in }
      try await bench.recorder.record([.died(photo)])
      let failure = try await bench.poison.setAside(bench.work(), .died)
      #expect(deaths(bench) == 2)
      #expect(
        failure.reason == "it killed its worker twice and is set aside as quarantine/1-1: "
          + Failure.died.reason)
      #expect(failure.kind == Failure.died.kind && failure.code == Failure.died.code)
      let copy = try bench.folders.quarantine.open(FileName(literal: "1-1"), .read)
      #expect(try copy.status().size == original.status().size)
      let story = try #require(try bench.folders.quarantine.text("1-1.txt"))
      #expect(story.contains("\nphoto=1\nname=Barn\n") && story.contains("death=the worker ended"))
    }
  }

  @Test func `a picture over which workers did nothing is set aside in other words`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      let idle = Failure(.passing, code: "worker.idle", reason: "the worker did nothing")
      let failure = try await bench.poison.setAside(bench.work(), idle)
      #expect(failure.reason.hasPrefix("it killed or stopped its worker twice and is set aside "))
      #expect(failure.code == "worker.idle" && deaths(bench) == 1)
    }
  }

  @Test func `a death that is recorded already is not counted again`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.recorder.record([.died(photo), .died(photo)])
      _ = try await bench.poison.setAside(bench.work(), .died)
      #expect(deaths(bench) == 2)
    }
  }

  @Test func `without its original only the story is kept`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      _ = try await bench.poison.setAside(bench.work(), .died)
      #expect(try bench.folders.quarantine.listing() == ["1-1.txt"])
    }
  }

  @Test func `a quarantine that cannot be written is named, and the photo fails all the same`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.addBarn()
      let poison = PoisonPictures(
        quarantine: Quarantine(brokenFolder()), recorder: bench.recorder, clock: bench.clock)
      let failure = try await poison.setAside(bench.work(), .died)
      #expect(failure.reason.contains("killed its worker twice and could not be set aside ("))
      #expect(deaths(bench) == 1)
    }
  }

  @Test func `a list that has ended keeps no more deaths`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.recorder.record([.cancelled(ListID(1))])
      await #expect(throws: Failure.overtaken) {
        _ = try await bench.poison.setAside(bench.work(), .died)
      }
      #expect(try bench.folders.quarantine.names().isEmpty)
    }
  }
}
