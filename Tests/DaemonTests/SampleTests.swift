// SPDX-License-Identifier: Apache-2.0
// What `make run` shows after it has built: the sample, from a drop to prints.

import Foundation
import Support
import Testing

@Suite struct SampleTests {
  @Test func `the sample is dropped, developed and shown, and its two missing photos are told`()
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
