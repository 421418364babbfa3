// SPDX-License-Identifier: Apache-2.0
// Renames that replace nothing, on file systems that support them and on those that answer EINVAL, as
// NFS does.

import Linux
import Support
import Testing
import Vocabulary

@Suite struct RenameTests {
  private static let (old, new) = (FileName(literal: "old"), FileName(literal: "new"))

  enum Kind: CaseIterable, Sendable { case file, folder }

  /// The abilities of a file system, with the calls that it refuses and their error numbers.
  enum Ability: CaseIterable, Sendable {
    case all, linksAlone, none

    var refusals: [(call: String, code: Int32)] {
      switch self {
      case .all: []
      case .linksAlone: [("renameat2", 22)]
      case .none: [("renameat2", 22), ("linkat", 1)]
      }
    }
  }

  /// A folder with `old` in it, and a second one for `new`.
  private final class Bench {
    let place: FreshFolder
    let from: LinuxFolder
    let to: LinuxFolder
    private var owners: [String] = []

    init(_ kind: Kind, _ ability: Ability) throws {
      place = try FreshFolder()
      from = try place.folder.openFolder(FileName(literal: "from"), creating: true)
      to = try place.folder.openFolder(FileName(literal: "to"), creating: true)
      try put(kind, old, "old", in: from)
      for (call, code) in ability.refusals { fail(call, code) }
    }

    deinit { for owner in owners { FaultPlan.set(nil, for: owner) } }

    func fail(_ call: String, _ code: Int32) {
      owners.append("\(place.path) \(call)")
      FaultPlan.set(
        .init(call, on: place.path, code: code, isPermanent: true), for: "\(place.path) \(call)")
    }

    func put(_ kind: Kind, _ name: FileName, _ text: String, in folder: LinuxFolder) throws {
      switch kind {
      case .file: try folder.openFile(name, .create).write(Array(text.utf8), at: 0)
      case .folder:
        let made = try folder.openFolder(name, creating: true)
        if !text.isEmpty { try put(.file, FileName(literal: "text"), text, in: made) }
      }
    }

    func rename() throws(SystemError) { try from.rename(old, to: to, as: new, replacing: false) }

    /// The text of each file, after its folder and name: `from/old=text`.
    func texts() throws -> [String] {
      try [from, to].flatMap { folder in
        try folder.names().map { name in
          let isFile = try folder.status(of: name).kind == .file
          let file =
            isFile
            ? try folder.openFile(name, .read)
            : try folder.openFolder(name, creating: false)
              .openFile(FileName(literal: "text"), .read)
          let text = String(decoding: try file.read(at: 0, upTo: 100), as: UTF8.self)
          return "\(folder.path.split(separator: "/").last ?? "")/\(name)=\(text)"
        }
      }
    }
  }

  @Test(arguments: Kind.allCases, Ability.allCases)
  func `a rename to a free name succeeds`(_ kind: Kind, _ ability: Ability) throws {
    let bench = try Bench(kind, ability)
    let inode = try bench.from.status(of: Self.old).inode
    try bench.rename()
    #expect(try bench.texts() == ["to/new=old"])
    let status = try bench.to.status(of: Self.new)
    #expect(status.inode == inode)
    #expect(kind == .folder || status.links == 1)
  }

  @Test(arguments: Kind.allCases, Ability.allCases)
  func `a rename to a taken name fails and changes nothing`(
    _ kind: Kind, _ ability: Ability
  ) throws {
    for other in Kind.allCases {
      let bench = try Bench(kind, ability)
      try bench.put(other, Self.new, "new", in: bench.to)
      let error = #expect(throws: SystemError.self) { try bench.rename() }
      #expect(error?.exists == true)
      #expect(try bench.texts() == ["from/old=old", "to/new=new"])
    }
  }

  @Test(arguments: Ability.allCases)
  func `an empty folder is not replaced either`(_ ability: Ability) throws {
    let bench = try Bench(.folder, ability)
    try bench.put(.folder, Self.new, "", in: bench.to)
    let error = #expect(throws: SystemError.self) { try bench.rename() }
    #expect(error?.exists == true)
    #expect(try bench.from.has(Self.old))
  }

  @Test(arguments: Kind.allCases, Ability.allCases)
  func `renaming a missing file fails, and nothing appears`(
    _ kind: Kind, _ ability: Ability
  ) throws {
    let bench = try Bench(kind, ability)
    let error = #expect(throws: SystemError.self) {
      try bench.from.rename(
        FileName(literal: "none"), to: bench.to, as: Self.new, replacing: false)
    }
    #expect(error?.isMissing == true)
    #expect(try bench.texts() == ["from/old=old"])
  }

  @Test func `a rename that a crash cut between link and unlink is completed when repeated`()
    throws
  {
    let bench = try Bench(.file, .linksAlone)
    try bench.from.link(Self.old, to: bench.to, as: Self.new)
    try bench.rename()
    #expect(try bench.texts() == ["to/new=old"])
    #expect(try bench.to.status(of: Self.new).links == 1)
  }

  @Test func `if the unlink fails, the link is removed again`() throws {
    let bench = try Bench(.file, .linksAlone)
    FaultPlan.set(.init("unlinkat", on: "\(bench.place.path)/from", code: 5), for: bench.place.path)
    defer { FaultPlan.set(nil, for: bench.place.path) }
    let error = #expect(throws: SystemError.self) { try bench.rename() }
    #expect(error?.code == 5)
    #expect(try bench.texts() == ["from/old=old"])
    try bench.rename()
    #expect(try bench.texts() == ["to/new=old"])
  }

  @Test(arguments: Ability.allCases)
  func `a file that is renamed to its own name stays, even with two links`(
    _ ability: Ability
  ) throws {
    let bench = try Bench(.file, ability)
    let same = try LinuxFolder.open(path: bench.from.path)
    #expect(throws: SystemError.self) {
      try bench.from.rename(Self.old, to: same, as: Self.old, replacing: false)
    }
    FaultPlan.set(nil, for: "\(bench.place.path) linkat")
    try bench.from.link(Self.old, to: bench.to, as: Self.new)
    #expect(throws: SystemError.self) {
      try bench.from.rename(Self.old, to: same, as: Self.old, replacing: false)
    }
    #expect(try bench.texts() == ["from/old=old", "to/new=old"])
  }
}
