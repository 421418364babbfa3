// SPDX-License-Identifier: Apache-2.0
// The part of `make run` after the build: the sample, from the drop to the prints.

import Foundation
import Support
import Testing

@Suite struct SampleTests {
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
