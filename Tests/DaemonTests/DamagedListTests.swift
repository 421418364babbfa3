// SPDX-License-Identifier: Apache-2.0
// The files of a list are damaged between two starts: it waits for a person, and other lists
// continue.

import Foundation
import Support
import Testing

@Suite struct DamagedListTests {
  @Test(arguments: ["about", "catalog"])
  func `a list that cannot be opened waits for a person, and other lists continue`(file: String)
    async throws
  {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop([("One", url + "?gate=g")], as: "hurt.plist")
      await bench.origin.arrivals(at: "g")
      // Otherwise the file is still in the inbox, and is accepted again.
      try await bench.until("it is known as claimed") {
        bench.text("state/lists/1/state")?.hasPrefix("claimed") == true
      }
      await daemon.cut()
      try bench.folder.write(Array("not what it was".utf8), to: "root/state/lists/1/\(file)")
      try await bench.drop([("One", url)], as: "well.plist")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 4, "\(end)")
      #expect(end.errors.contains("list 1 waits for repair"), "\(end)")
      #expect(end.errors.contains("Finished list 'well'"), "\(end)")
      let again = try await bench.start()
      // The daemon is ready before it has opened its lists.
      try await bench.until("the status names the list") {
        try await bench.tool("status").output.contains("list 1 cannot be opened")
      }
      #expect(try await bench.tool("cancel", "1").code == 0)
      try await bench.until("the status names no list") {
        try await !bench.tool("status").output.contains("cannot be opened")
      }
      try await bench.stop(again)
    }
  }
}
