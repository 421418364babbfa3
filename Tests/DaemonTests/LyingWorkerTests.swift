// SPDX-License-Identifier: Apache-2.0
// A worker that a picture has taken over keeps what it was handed, and uses it after its answer.

import Support
import Testing

@Suite struct LyingWorkerTests {
  @Test func `a recorded print never changes, although its worker writes to its file later`()
    async throws
  {
    try await DaemonBench.use { bench in
      // The sandbox allows seven descriptors: one that is kept leaves no room for a thumbnail's.
      try bench.settings(
        DaemonBench.settings.replacing("Workers=2", with: "Workers=1")
          + "[Output]\nThumbnails=no\n")
      try bench.serve(Array("keep a print".utf8), as: "keep.jpg")
      try bench.serve(Array("spoil".utf8), as: "spoil.jpg")
      let daemon = try await bench.startWithTestWorker()
      var kept: [String] = []
      var spoilt = ""
      // A worker that has had nothing to do for two seconds has ended, with all that it kept.
      while !spoilt.contains("cut"), kept.count < 100 {
        let round = kept.count
        kept.append("keep\(round)")
        for deed in ["keep", "spoil"] {
          let photo = ("One", bench.origin.url("/\(deed).jpg"))
          try await bench.drop(PhotoListText.binary([photo]), as: "\(deed)\(round).plist")
          try await bench.wait(for: "\(deed)\(round)", daemon)
        }
        spoilt = bench.text("prints/spoil\(round)/One.jpg") ?? ""
      }
      #expect(spoilt.contains("mapped,written,cut"), "\(spoilt)")
      // Lists share an original in the cache.
      #expect(spoilt.hasSuffix(" input: ."), "\(spoilt)")
      for list in kept {
        #expect(bench.text("prints/\(list)/One.jpg") == "keep a print")
        let verified = try await bench.tool("verify", list)
        #expect(verified.code == 0, "\(verified)")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `the catalog of a list never changes, although its reader writes to its file later`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTestWorker()
      let url = bench.origin.url("/one.jpg")
      try bench.serve(Array("echo".utf8), as: "one.jpg")
      var catalogs: [String: [UInt8]] = [:]
      // A reader that has had nothing to do for two seconds has ended, with all that it kept.
      while !daemon.errors.contains("the worker exited with code 7"), catalogs.count < 100 {
        let round = catalogs.count + 1
        try await bench.drop(PhotoListText.binary([("keep list", url)]), as: "keep\(round).plist")
        try await bench.wait(for: "keep\(round)", daemon)
        let path = "state/lists/\(round)/catalog"
        catalogs[path] = bench.bytes(path)
      }
      #expect(daemon.errors.contains("the worker exited with code 7"))
      #expect(!daemon.errors.contains("the worker exited with code 8"), "the list was changed")
      for (path, bytes) in catalogs { #expect(bench.bytes(path) == bytes, "\(path)") }
      try await bench.stop(daemon)
    }
  }
}
