// SPDX-License-Identifier: Apache-2.0
// The highest reported number, kept in `done`.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct NumberWitnessTests {
  private let disk = SimulatedDisk()
  private let clock = SimulatedClock()

  private var witness: NumberWitness { NumberWitness(disk.rootFolder) }
  private var file: FileName { FileName(literal: ".darkroom-a") }

  @Test func `the highest noted number is read by the next witness`() async throws {
    let first = witness
    for number in [3, 12, 7] as [UInt64] { first.note(ListID(number)) }
    await first.flush(as: "a")
    #expect(witness.read("a").highest == ListID(12))
    #expect(witness.read("b").highest == nil)
  }

  @Test func `without a noted list no file is written`() async throws {
    await witness.flush(as: "a")
    #expect(try disk.rootFolder.names().isEmpty && witness.read(nil).highest == nil)
  }

  @Test func `without an id the highest number of all ids counts`() async throws {
    for (id, number) in [("a", 40), ("b", 7)] as [(String, UInt64)] {
      let witness = witness
      witness.note(ListID(number))
      await witness.flush(as: id)
    }
    try disk.rootFolder.put(FileName(literal: "99.plist"), "99\n")
    #expect(witness.read(nil).highest == ListID(40) && witness.read("b").highest == ListID(7))
  }

  @Test func `a shorter number replaces a longer one completely`() async throws {
    let (old, new) = (witness, witness)
    old.note(ListID(123_456))
    await old.flush(as: "a")
    new.note(ListID(9))
    await new.flush(as: "a")
    #expect(witness.read("a").highest == ListID(9))
  }

  @Test(arguments: ["", "\n", "twelve\n", "-3\n", "99999999999999999999999\n"])
  func `a file without a number counts as missing`(text: String) throws {
    try disk.rootFolder.put(file, text)
    #expect(witness.read("a").highest == nil && witness.read(nil).highest == nil)
  }

  @Test func `trouble with done is told by a read, and ignored by a write`() async throws {
    let witness = witness
    witness.note(ListID(3))
    disk.fail(.broken(.open))
    await witness.flush(as: "a")
    #expect(witness.read("a").unread != nil)
    disk.fail(.broken(.list))
    #expect(witness.read(nil).unread != nil)
    disk.fail(nil)
    await witness.flush(as: "a")
    #expect(witness.read("a").highest == ListID(3))
  }

  @Test func `each new number is written soon, and many at once in one write`() async throws {
    let witness = witness
    witness.note(ListID(1))
    let run = Task { await witness.run(as: "a", on: clock) }
    #expect(try await Patience.sees { witness.read("a").highest == ListID(1) })
    witness.note(ListID(2))
    // The pause after the first write: numbers that come meanwhile wait for its end.
    #expect(await clock.isAwaited())
    for number in 3...50 as ClosedRange<UInt64> { witness.note(ListID(number)) }
    #expect(witness.read("a").highest == ListID(1) && disk.count(.write) == 1)
    clock.advance(by: .milliseconds(100))
    #expect(try await Patience.sees { witness.read("a").highest == ListID(50) })
    #expect(disk.count(.write) == 2)
    run.cancel()
    await run.value
  }
}
