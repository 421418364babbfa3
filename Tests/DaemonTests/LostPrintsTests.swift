// SPDX-License-Identifier: Apache-2.0
// The folder of prints of a list is taken away while the list is at work.

import Foundation
import Support
import Testing

@Suite struct LostPrintsTests {
  @Test(arguments: ["is removed", "is renamed"])
  func `the prints of a folder that is taken away are told, and the others appear in a new one`(
    _ what: String
  ) async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startHalfway()
      let (folder, away) = ("\(bench.root)/prints/summer", "\(bench.root)/away")
      try FileManager.default.moveItem(atPath: folder, toPath: away)
      if what == "is removed" { try FileManager.default.removeItem(atPath: away) }
      await bench.origin.release("g")
      try await daemon.says(
        "Prints of list 1 are gone: the folder \(folder), which had 1 print, was removed or renamed."
      )
      #expect(try await bench.wait(for: "summer", daemon).code == 0)
      #expect(bench.names("prints/summer") == ["Two.jpg"])
      #expect(bench.names("away").contains("Two.jpg") == false)
      let end = try await bench.tool("verify", "summer")
      #expect(end.code == 1 && end.output.hasPrefix("missing\t1\tOne\tOne.jpg\t"), "\(end)")
    }
  }
}
