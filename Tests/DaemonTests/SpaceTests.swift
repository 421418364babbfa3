// SPDX-License-Identifier: Apache-2.0
// A disk that runs short of room, as a value and for real: downloads wait before it is full, and
// resume by themselves.

import Foundation
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SpaceTests {
  private struct Case {
    /// FreeSpace= (nil is auto), and the free and total room, in MiB.
    let setting: UInt64?
    let free: UInt64
    let total: UInt64
    let wasLow: Bool
    let isLow: Bool

    init(_ setting: UInt64?, _ free: UInt64, of total: UInt64, was: Bool, is isLow: Bool) {
      (self.setting, self.free, self.total) = (setting, free, total)
      (wasLow, self.isLow) = (was, isLow)
    }
  }

  private static let cases = [
    Case(nil, 600, of: 10_240, was: false, is: false),
    Case(nil, 500, of: 10_240, was: false, is: true),
    Case(nil, 600, of: 10_240, was: true, is: true),
    Case(nil, 640, of: 10_240, was: true, is: false),
    Case(nil, 9000, of: 1 << 20, was: false, is: true),
    Case(nil, 11_000, of: 1 << 20, was: false, is: false),
    Case(nil, 60, of: 1024, was: false, is: false), Case(nil, 50, of: 1024, was: false, is: true),
    Case(4, 4, of: 64, was: false, is: false), Case(4, 3, of: 64, was: false, is: true),
    Case(4, 4, of: 64, was: true, is: true), Case(4, 5, of: 64, was: true, is: false),
    Case(0, 0, of: 64, was: true, is: false), Case(0, 0, of: 64, was: false, is: false),
  ]

  @Test(arguments: 0..<cases.count)
  func `downloads stop below the floor and resume a quarter above it`(place: Int) {
    let test = Self.cases[place]
    let setting = test.setting.map { $0 << 20 }
    var floor = SpaceFloor()
    let name = "the state folder"
    let full = SpaceFloor.Measure(name: name, free: 0, total: 1 << 40)
    if test.wasLow {
      let isNews = floor.take([full], setting: 1)
      #expect(isNews)
    }
    let well = SpaceFloor.Measure(name: "the folder of prints", free: 1 << 50, total: 1 << 50)
    let measure = SpaceFloor.Measure(name: name, free: test.free << 20, total: test.total << 20)
    let isNews = floor.take([well, measure], setting: setting)
    #expect(isNews == (test.wasLow != test.isLow))
    #expect((floor.low != nil) == test.isLow)
    let reason = floor.failure(setting: setting)?.reason ?? ""
    #expect(reason.hasPrefix(name) == test.isLow)
  }

  private static let settings = DaemonBench.settings.replacing(
    "[Filter]", with: "FreeSpace=4M\n[Filter]"
  )

  /// The folder of prints is a file system of 16 MiB while the test runs.
  private func withSmallPrints(_ body: (DaemonBench) async throws -> Void) async throws {
    try await DaemonBench.use(settings: Self.settings) { bench in
      let prints = "\(bench.root)/prints"
      try FileManager.default.createDirectory(atPath: prints, withIntermediateDirectories: true)
      try #require(
        await HelperProcess.status(of: ["mount", "-t", "tmpfs", "-o", "size=16m", "small", prints])
          == 0)
      let result: (any Error)?
      do {
        try await body(bench)
        result = nil
      } catch { result = error }
      _ = await HelperProcess.status(of: ["umount", "-l", prints])
      if let result { throw result }
    }
  }

  private func fill(_ bench: DaemonBench, kilobytes: Int) throws {
    try bench.folder.write([UInt8](repeating: 1, count: kilobytes << 10), to: "root/prints/filler")
  }

  @Test(.enabled(if: DaemonBench.isRoot))
  func `below the floor downloads wait without failing, and resume with room`()
    async throws
  {
    try await withSmallPrints { bench in
      let urls = try bench.serveSamples(20)
      try fill(bench, kilobytes: 13 << 10)
      try await bench.drop(urls.enumerated().map { ("Photo \($0)", $1) }, as: "many.plist")
      let daemon = try await bench.start()
      try await daemon.says("downloads need 5120 KiB; downloads wait until it clears")
      try await daemon.says("Accepted list 'many'")
      let list = try await bench.show("many")
      #expect(list.state != "finished" && list.new == 20 && list.failed == 0)
      let status = try await bench.tool("status").output
      #expect(status.contains("state\twaiting: the folder of prints has"), "\(status)")
      #expect(bench.origin.requests().isEmpty)
      // Above the floor, but not by a quarter.
      let filler = try FileHandle(forWritingTo: URL(filePath: "\(bench.root)/prints/filler"))
      try filler.truncate(atOffset: UInt64((11 << 10) + 512) << 10)
      try filler.close()
      #expect(try await bench.reload().code == 0)
      #expect(try await bench.show("many").new == 20)
      try FileManager.default.removeItem(atPath: "\(bench.root)/prints/filler")
      #expect(try await bench.wait(for: "many", daemon).code == 0)
      try await daemon.says("; downloads continue.")
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot))
  func `a transfer that runs when room runs short is finished, and its print is made`()
    async throws
  {
    try await withSmallPrints { bench in
      _ = try bench.serveSamples(3)
      let photos = (1...3).map {
        ("Photo \($0)", bench.origin.url("/\($0).jpg" + ($0 < 3 ? "?gate=g\($0)" : "")))
      }
      try await bench.drop(Array(photos.prefix(2)), as: "running.plist")
      let daemon = try await bench.start()
      await bench.origin.arrivals(at: "g1")
      await bench.origin.arrivals(at: "g2")
      try fill(bench, kilobytes: 13 << 10)
      await bench.origin.release("g1")
      try await daemon.says("downloads wait until it clears")
      try await bench.drop([photos[2]], as: "later.plist")
      await bench.origin.release("g2")
      #expect(try await bench.wait(for: "running", daemon).code == 0)
      #expect(bench.names("prints/running").count == 2)
      try await daemon.says("Accepted list 'later'")
      #expect(try await bench.show("later").new == 1)
      try FileManager.default.removeItem(atPath: "\(bench.root)/prints/filler")
      #expect(try await bench.wait(for: "later", daemon).code == 0)
      try await bench.stop(daemon)
    }
  }
}
