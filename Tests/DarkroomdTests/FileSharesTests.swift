// SPDX-License-Identifier: Apache-2.0
// The shares of the limit on open files.

import Chain
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct FileSharesTests {
  private func settings(_ limit: Int) -> Settings {
    var settings = Settings()
    settings.filter.workers = 2
    settings.shares = FileShares(limit: limit)
    return settings
  }

  @Test(arguments: [0, 24, 40, 57, 64, 96, 128, 256, 512, 1024, 65536])
  func `no share is nothing, and all together stay within the limit if one of each has room`(
    limit: Int
  ) {
    let shares = FileShares(limit: limit)
    let each = [
      shares.claims, shares.lists, shares.photos, shares.downloads, shares.workers, shares.outputs,
    ]
    #expect(each.allSatisfy { $0 >= 1 })
    let most =
      33 + 9 * shares.claims + 4 * shares.lists + shares.photos + 2 * shares.downloads
      + 4 * shares.workers + shares.outputs
    #expect(most + (limit < 1024 ? 0 : shares.callers) <= max(limit, 55))
    #expect((72...512).contains(shares.callers))
    #expect((shares.photos == 1) == (limit < 60))
  }

  @Test func `the usual limits restrict nothing, and lower ones say so`() {
    for limit in [512, 1024, 65536] {
      let settings = settings(limit)
      #expect(settings.shares.shortage(settings) == nil)
      #expect(settings.connections == 16 && settings.workerCount == 2)
      #expect(settings.shares.lists >= 29)
    }
    let few = settings(64)
    #expect(few.shares.shortage(few)?.code == "files.limit")
    #expect(few.connections < 16 && few.workerCount == 1)
    let least = StageQueues.Widths(settings(57))
    #expect(least.window == 1 && least.urgent == 0)
  }
}
