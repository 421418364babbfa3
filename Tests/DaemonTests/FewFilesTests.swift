// SPDX-License-Identifier: Apache-2.0
// A low limit on open files: less is done at once, and everything is done.

import Support
import Testing

@Suite struct FewFilesTests {
  @Test(arguments: [57, 64, 96])
  func `under a low limit on open files every photo is filtered`(limit: Int) async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(12)
      for number in 1...3 {
        let photos = urls.indices.map { ("\($0)", urls[$0]) }
        try await bench.drop(photos, as: "\(number).plist")
      }
      let end = try await bench.launch(
        "darkroomd", ["--root", bench.root, "--until-idle"],
        through: ["prlimit", "--nofile=\(limit):\(limit)"]
      ).end(seconds: Patience.seconds)
      #expect(end.code == 0, "\(end)")
      #expect(end.errors.contains("only \(limit) files may be open at once"))
      for number in 1...3 {
        let names = bench.names("prints/\(number)")
        #expect(names.count == urls.count && !names.contains { $0.hasPrefix(".") })
      }
    }
  }

  @Test func `a limit under which nothing could be done ends the start with 74`() async throws {
    try await DaemonBench.use { bench in
      let end = try await bench.launch(
        "darkroomd", ["--root", bench.root], through: ["prlimit", "--nofile=56:56"]
      ).end()
      #expect(end.code == 74 && end.errors.contains("56 files may be open, and darkroomd needs 57"))
    }
  }
}
