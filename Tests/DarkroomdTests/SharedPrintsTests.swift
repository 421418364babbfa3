// SPDX-License-Identifier: Apache-2.0
// How prints are made in folders that other processes print into, by the abilities of the file system.

import Linux
import Output
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SharedPrintsTests {
  /// Places whose file system refuses these calls.
  private func with(
    mark: String = "a.", refusing refusals: [(String, Int32)], _ body: (Places) throws -> Void
  ) throws {
    let scratch = try FreshFolder()
    try Places.make(root: scratch.path)
    var places = Places.below(scratch.path)
    places.mark = mark
    for (call, code) in refusals {
      FaultPlan.set(
        .init(call, on: scratch.path, code: code, isPermanent: true), for: scratch.path + call)
    }
    defer { for (call, _) in refusals { FaultPlan.set(nil, for: scratch.path + call) } }
    try body(places)
  }

  @Test func `a daemon that has its prints for itself replaces them, and tries nothing`() throws {
    try with(mark: "", refusing: [("linkat", 1), ("renameat2", 22), ("openat", 5)]) { places in
      let way = try SharedPrints.way(places, isPart: false)
      #expect(way == .replace)
    }
  }

  @Test(arguments: [true, false])
  func `who shares prints makes them once, by links or without`(isPart: Bool) throws {
    try with(refusing: []) { places in
      let way = try SharedPrints.way(places, isPart: isPart)
      #expect(way == .link)
    }
    try with(refusing: [("linkat", 1)]) { places in
      let way = try SharedPrints.way(places, isPart: isPart)
      #expect(way == .rename)
    }
  }

  @Test func `a folder that is unfit is refused to a node, with the reason, and allowed to a task`()
    throws
  {
    try with(refusing: [("linkat", 95), ("renameat2", 22)]) { places in
      let found = #expect(throws: StartFailure.self) {
        try SharedPrints.way(places, isPart: false)
      }
      #expect(found?.code == ExitCode.configuration && found?.trouble == nil)
      #expect(
        found?.words
          == "the file system of \(places.prints) cannot keep the first of two prints of a photo: "
          + "it has neither hard links (operation not supported) nor a rename that replaces nothing "
          + "(invalid argument)")
      let way = try SharedPrints.way(places, isPart: true)
      #expect(way == .replace)
    }
  }

  @Test(arguments: [true, false])
  func `a disk that fails may come back`(isPart: Bool) throws {
    try with(refusing: [("fdatasync", 5)]) { places in
      let found = #expect(throws: StartFailure.self) {
        try SharedPrints.way(places, isPart: isPart)
      }
      #expect(found?.code == ExitCode.io && found?.trouble != nil)
    }
  }
}
