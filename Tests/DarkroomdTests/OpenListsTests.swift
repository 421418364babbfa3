// SPDX-License-Identifier: Apache-2.0
// The cache of open lists.

import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct OpenListsTests {
  @Test func `a list at work is opened once`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let list = ListID(1)
      #expect(!bench.lists.isKept(list))
      let open = try bench.lists.begin(list)
      #expect(try bench.lists.use(list) === open && bench.lists.look(list) === open)
      #expect((try? bench.lists.look(list)) === open)
    }
  }

  @Test func `a list that is only looked at is not kept`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let open = try bench.lists.look(ListID(1))
      #expect(!bench.lists.isKept(ListID(1)))
      #expect(try bench.lists.look(ListID(1)) !== open)
      #expect(throws: Failure.self) { try bench.lists.use(ListID(1)) }
    }
  }

  @Test func `a closed list is opened again, and sees its repaired files`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      let open = try bench.lists.begin(ListID(1))
      bench.lists.close(ListID(1))
      #expect(!bench.lists.isKept(ListID(1)))
      #expect(try bench.lists.use(ListID(1)) !== open)
    }
  }

  @Test func `of too many lists the least recently used are closed`() async throws {
    try await DiskBench.use { bench in
      let most = UInt64(64)
      for number in 1...(most + 1) {
        try SampleList().write(ListID(number), in: bench.folders.lists)
        // The first list is used again and again.
        if number > 1 { _ = try bench.lists.use(ListID(1)) }
        _ = try bench.lists.begin(ListID(number))
      }
      let kept = (1...(most + 1)).filter { bench.lists.isKept(ListID($0)) }
      #expect(kept == [1] + Array((2 + most / 4)...(most + 1)))
      _ = try bench.lists.use(ListID(2))
      #expect(bench.lists.isKept(ListID(2)))
    }
  }

  @Test func `a list that cannot be opened is not kept`() async throws {
    try await DiskBench.use { bench in
      try await bench.add(1)
      bench.disk.fail(.broken(.read))
      #expect(throws: Failure.self) { try bench.lists.begin(ListID(1)) }
      bench.disk.fail(nil)
      #expect(!bench.lists.isKept(ListID(1)))
    }
  }
}
