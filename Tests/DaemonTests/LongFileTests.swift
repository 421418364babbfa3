// SPDX-License-Identifier: Apache-2.0
// A limit on the size of files (LimitFSIZE=, ulimit -f) is trouble of the machine, and ends no program.

import Foundation
import Support
import Testing

@Suite struct LongFileTests {
  @Test func `a list whose files are too long waits until the limit is raised`() async throws {
    try await DaemonBench.use { bench in
      try bench.serve(SamplePictures.jpeg(width: 1200, height: 900), as: "long.jpg")
      let url = bench.origin.url("/long.jpg")
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root], through: ["prlimit", "--fsize=8192"])
      try await daemon.says(" is ready: ")
      try await bench.drop([("Long", url)], as: "long.plist")
      try await daemon.says("file too large")
      #expect(try await bench.tool("status").output.contains("list 1 waits: "))
      let why = try await bench.tool("why", "long").output
      #expect(why.contains("Raise LimitFSIZE= of the service"), "\(why)")
      #expect(try await bench.show("long").photos.allSatisfy { $0.state != "failed" })
      #expect(try await bench.stop(daemon).code == 0)
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/long") == ["Long.jpg"])
    }
  }

  @Test func `the tool says that its output is too long`() async throws {
    try await DaemonBench.use { bench in
      let end = try await bench.launch(
        "darkroomctl", ["help"],
        through: [
          "/bin/sh", "-c", "exec prlimit --fsize=100 \"$0\" \"$@\" >'\(bench.folder.path)/help'",
        ]
      ).end()
      #expect(end.code == 1 && end.errors.contains("file too large"), "\(end)")
    }
  }
}
