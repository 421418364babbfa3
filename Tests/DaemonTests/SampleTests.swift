// SPDX-License-Identifier: Apache-2.0
// The part of `make run` after the build: the sample, from the drop to the prints.

import Foundation
import Support
import Testing

@Suite struct SampleTests {
  @Test func `the print that the README shows is the one that is made of its photo`() async throws {
    let readme = try String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)
    let shown = ["etc/sample/photos/lake.jpg", "etc/sample/prints/lake.jpg"]
    for path in shown { #expect(readme.contains("<img src=\"\(path)\"")) }
    try await DaemonBench.use { bench in
      let end = try await bench.tool("develop", "-o", bench.root, Repository.path(shown[0]))
      #expect(end.code == 0, "\(end)")
      let made = try #require(bench.bytes("lake.jpg").flatMap { ReadPicture(jpeg: $0) })
      let known = try Array(Data(contentsOf: URL(filePath: Repository.path(shown[1]))))
      let print = try #require(ReadPicture(jpeg: known))
      // Another version of the library may round in another way.
      let far = zip(made.channels, print.channels).map { abs(Int($0) - Int($1)) }.max()
      #expect(made.channels.count == print.channels.count && (far ?? 99) <= 2)
    }
  }

  @Test func `the sample is dropped, developed and shown, with its two missing photos`()
    async throws
  {
    try await DaemonBench.use { bench in
      let run = try await bench.script("etc/sample/run")
      #expect(run.code == 0, "\(run)")
      #expect(run.output.contains("Done: 8 prints in "), "\(run)")
      for name in ["Not There", "Gone Fishing"] {
        #expect(run.errors.contains("Could not download '\(name)'"), "\(run)")
      }
      #expect(
        run.errors.contains("Finished list 'Holiday': 8 of 10 photos filtered, 2 failed."), "\(run)"
      )
    }
  }
}
