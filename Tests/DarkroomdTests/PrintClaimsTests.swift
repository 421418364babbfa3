// SPDX-License-Identifier: Apache-2.0
// Which list gets a folder of prints that several daemons may make, and what is left of a draft that becomes no list.

import Files
import Linux
import Output
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PrintClaimsTests {
  private let scratch: FreshFolder
  private let prints: any Folder
  private let barn = FileName(literal: "barn")

  init() throws {
    scratch = try FreshFolder()
    prints = try scratch.folder.openFolder(FileName(literal: "prints"), creating: true)
  }

  /// The folders of one of the daemons, which all print into one folder.
  private func folders(of daemon: Int) throws -> StateFolders {
    let state = try scratch.folder.openFolder(FileName(made: "state\(daemon)"), creating: true)
    return try StateFolders(state: state, prints: prints, done: state, failed: state)
  }

  @Test func `of several daemons that want one folder at the same time, one gets it`() async throws
  {
    let daemons = try (1...4).map { PrintClaims(try folders(of: $0)) }
    let names = (1...50).map { FileName(made: "trip\($0)") }
    let taken = try await withThrowingTaskGroup(of: [FileName].self) { group in
      for daemon in daemons {
        group.addTask {
          try names.enumerated().compactMap { place, name in
            try daemon.make(name, for: ListID(UInt64(place + 1)), readers: .group) ? name : nil
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(taken.count == names.count && Set(taken) == Set(names))
  }

  @Test func `a daemon whose names are all taken by another one finds the next`() throws {
    let (first, second) = (PrintClaims(try folders(of: 1)), PrintClaims(try folders(of: 2)))
    let choices = PrintName.folders(list: "barn", number: 3)
    #expect(choices.prefix(3).map { "\($0)" } == ["barn", "barn~3", "barn~3~2"])
    for choice in choices.prefix(2) {
      #expect(try first.make(choice, for: ListID(3), readers: .group))
    }
    let own = try choices.first { try second.make($0, for: ListID(3), readers: .group) }
    #expect(own == choices[2])
  }

  @Test func `nobody else can ever open the folder of a private list`() throws {
    let claims = PrintClaims(try folders(of: 1))
    #expect(try claims.make(barn, for: ListID(1), readers: .user(54_321)))
    #expect(try prints.hasReaders(54_321, barn))
    claims.giveUp(ListID(1))
    #expect(try claims.make(barn, for: ListID(1), readers: .user(0)))
    #expect(try prints.status(of: barn).mode & 0o777 == 0o700)
  }

  @Test func `the group may enter a folder before the list begins`() throws {
    #expect(try PrintClaims(folders(of: 1)).make(barn, for: ListID(1), readers: .group))
    #expect(try prints.status(of: barn).mode & 0o777 == 0o750)
  }

  @Test func `the folder of a draft that becomes no list goes`() throws {
    let claims = PrintClaims(try folders(of: 1))
    #expect(try claims.make(barn, for: ListID(1), readers: .group))
    #expect(claims.steps(of: ListID(1)).count == 1 && claims.steps(of: ListID(2)).isEmpty)
    claims.giveUp(ListID(1))
    #expect(try prints.listing().isEmpty)
    #expect(try claims.make(barn, for: ListID(2), readers: .group))
    claims.keep(ListID(2))
    claims.giveUp(ListID(2))
    #expect(try prints.listing() == ["barn"], "it is the folder of a list")
    #expect(claims.steps(of: ListID(2)).isEmpty)
  }

  @Test func `a draft without a note has no folder, and one whose note cannot be read has its own`()
    throws
  {
    let folders = try folders(of: 1)
    let (claims, place) = (PrintClaims(folders), folders.claims.path)
    FaultPlan.set(.init("mkdirat", on: place, code: 5, isPermanent: true), for: place)
    defer { FaultPlan.set(nil, for: place) }
    #expect(try claims.make(barn, for: ListID(1), readers: .group))
    FaultPlan.set(.init("openat", on: place, code: 5, isPermanent: true), for: place)
    #expect(throws: SystemError.self) {
      _ = try claims.make(FileName(literal: "lost"), for: ListID(2), readers: .group)
    }
    #expect(try prints.listing() == ["barn"])
    #expect(claims.steps(of: ListID(1)).count == 1 && claims.steps(of: ListID(2)).isEmpty)
    claims.giveUp(ListID(1))
    #expect(try prints.listing().isEmpty)
  }

  /// Calls that fail among the prints.
  private func failing(_ calls: String..., during body: () throws -> Void) throws {
    let place = "\(prints.path)/"
    for call in calls {
      FaultPlan.set(.init(call, on: place, code: 5, isPermanent: true), for: "\(call) \(place)")
    }
    defer { for call in calls { FaultPlan.set(nil, for: "\(call) \(place)") } }
    try body()
  }

  @Test func `a folder that cannot be removed now keeps no other draft from its name`() throws {
    let folders = try folders(of: 1)
    let claims = PrintClaims(folders)
    #expect(try claims.make(barn, for: ListID(1), readers: .group))
    try failing("rmdirat") {
      claims.giveUp(ListID(1))
      #expect(throws: SystemError.self) {
        _ = try claims.make(barn, for: ListID(2), readers: .group)
      }
      // The number is given out again, and no other name is in its way.
      let isMade = try claims.make(FileName(literal: "lost"), for: ListID(1), readers: .group)
      #expect(isMade)
    }
    #expect(try folders.claims.listing() == ["1"])
    #expect(try claims.make(barn, for: ListID(2), readers: .group))
    #expect(try prints.listing() == ["barn", "lost"] && folders.claims.listing() == ["1", "2"])
  }

  @Test func `a folder that could not be asked after it was made goes`() throws {
    let claims = PrintClaims(try folders(of: 1))
    try failing("fstatat", "rmdirat") {
      #expect(throws: SystemError.self) {
        _ = try claims.make(barn, for: ListID(1), readers: .group)
      }
      #expect(throws: SystemError.self) {
        _ = try claims.make(barn, for: ListID(2), readers: .group)
      }
    }
    #expect(try claims.make(barn, for: ListID(2), readers: .group))
    claims.giveUp(ListID(2))
    #expect(try prints.listing().isEmpty)
  }

  @Test func `what somebody put into the folder of a draft stays`() throws {
    let claims = PrintClaims(try folders(of: 1))
    #expect(try claims.make(barn, for: ListID(1), readers: .group))
    try failing("rmdirat") { claims.giveUp(ListID(1)) }
    let folder = try prints.folder(barn, creating: false)
    try folder.put(FileName(literal: "note"), "mine")
    #expect(try !claims.make(barn, for: ListID(2), readers: .group))
    #expect(try folder.listing() == ["note"])
  }

  @Test func `a start goes on without what it cannot read or remove, and frees the name later`()
    throws
  {
    let folders = try folders(of: 1)
    let (names, place) = (["barn", "lost"].map { FileName(made: $0) }, folders.claims.path)
    for (number, name) in names.enumerated() {
      let draft = ListID(UInt64(number + 1))
      #expect(try PrintClaims(folders).make(name, for: draft, readers: .group))
    }
    let claims = PrintClaims(folders)
    FaultPlan.set(.init("openat", on: "\(place)/2", code: 5, isPermanent: true), for: place)
    defer { FaultPlan.set(nil, for: place) }
    try failing("rmdirat") { try claims.sweep { _ in false } }
    #expect(try prints.listing() == ["barn", "lost"] && folders.claims.listing() == ["1", "2"])
    #expect(try claims.make(barn, for: ListID(3), readers: .group))
    #expect(try folders.claims.listing() == ["2", "3"])
    FaultPlan.set(nil, for: place)
    // The notes of this run are not those of a crash.
    for _ in 1...2 {
      try claims.sweep { _ in false }
      #expect(try prints.listing() == ["barn"] && folders.claims.listing() == ["3"])
    }
  }

  @Test func `what another daemon made in the place of a folder stays`() throws {
    let (first, second) = (PrintClaims(try folders(of: 1)), PrintClaims(try folders(of: 2)))
    #expect(try first.make(barn, for: ListID(1), readers: .group))
    try prints.removeFolder(barn)
    #expect(try second.make(barn, for: ListID(1), readers: .group))
    first.giveUp(ListID(1))
    #expect(try prints.listing() == ["barn"])
    second.giveUp(ListID(1))
    #expect(try prints.listing().isEmpty)
  }

  @Test func `after a crash only a folder that no list has goes`() throws {
    let claims = PrintClaims(try folders(of: 1))
    let lost = FileName(literal: "lost")
    #expect(try claims.make(barn, for: ListID(1), readers: .group))
    #expect(try claims.make(lost, for: ListID(2), readers: .group))
    try PrintClaims(folders(of: 1)).sweep { $0 == ListID(1) }
    #expect(try prints.listing() == ["barn"])
    // Nothing is left of either claim.
    try PrintClaims(folders(of: 1)).sweep { _ in false }
    #expect(try prints.listing() == ["barn"])
  }
}
