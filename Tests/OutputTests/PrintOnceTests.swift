// SPDX-License-Identifier: Apache-2.0
// Prints that are made once: of several writers the first one has made the print, whatever a file server does.

import Foundation
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Output

@Suite struct PrintOnceTests {
  private let name = FileName(literal: "Barn.jpg")
  private let photo = PhotoID(list: ListID(1), number: 1)

  private func names(_ folder: any Folder) throws -> [String] {
    try folder.names().map(\.description).sorted()
  }

  private func text(_ file: any OpenFile) throws -> String {
    String(decoding: try file.read(at: 0, upTo: 100), as: UTF8.self)
  }

  /// A durable draft with this text.
  private func draft(_ text: String, in prints: PrintFolder) throws -> PrintFolder.Draft {
    let draft = try prints.draft(photo)
    try draft.file.write(Array(text.utf8), at: 0)
    try draft.file.sync()
    return draft
  }

  /// Two nodes make the print of one photo, with different contents. Returns what each of them takes for the print,
  /// after what is under the name at the end.
  private func twoWriters(_ folder: any Folder, _ way: PrintWay) throws -> [String] {
    let nodes = ["a", "b"]
    let prints = nodes.map {
      PrintFolder(folder, mark: "\($0).", way: way)
    }
    let drafts = try zip(nodes, prints).map { try draft("made by \($0)", in: $1) }
    let taken = try zip(nodes, zip(prints, drafts)).map { node, made in
      try made.0.place(made.1, as: name).map { try text($0) } ?? "made by \(node)"
    }
    return [try text(folder.open(name, .read))] + taken
  }

  @Test(arguments: [PrintWay.link, .rename])
  func `of two writers both take the first one's print, and leave no draft`(way: PrintWay) throws {
    let place = try FreshFolder()
    let expected = [String](repeating: "made by a", count: 3)
    #expect(try twoWriters(place.folder, way) == expected)
    #expect(try names(place.folder) == ["Barn.jpg"])
    #expect(try place.folder.status(of: name).links == 1)
    #expect(try twoWriters(SimulatedDisk().rootFolder, way) == expected)
  }

  @Test func `a rename in the place of the link is found: the record differs from the print`()
    throws
  {
    for (manner, way) in [
      (FileServerFolder.Manner.linksReplace, PrintWay.link), (.none, .replace),
    ] {
      let place = try FreshFolder()
      let found = try twoWriters(FileServerFolder(place.folder, manner), way)
      #expect(Set(found).count == 2, "\(found)")
      #expect(try names(place.folder) == ["Barn.jpg"])
    }
  }

  @Test func `many writers at once make each print once`() throws {
    let place = try FreshFolder()
    let (writers, count) = (8, 40)
    let taken = Mutex<[[Int]]>(Array(repeating: [], count: count))
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: writers) { writer in
      let prints = PrintFolder(place.folder, mark: "\(writer).", way: .link)
      for number in 0..<count {
        do {
          let draft = try draft("\(writer)", in: prints)
          let standing = try prints.place(draft, as: FileName(made: "\(number).jpg"))
          let maker = try standing.map { Int(try text($0)) ?? -1 } ?? writer
          taken.withLock { $0[number].append(maker) }
        } catch { errors.withLock { $0.append("\(error)") } }
      }
    }
    #expect(errors.withLock { $0 } == [])
    for (number, makers) in taken.withLock({ $0 }).enumerated() {
      let print = try text(place.folder.open(FileName(made: "\(number).jpg"), .read))
      #expect(makers == Array(repeating: Int(print) ?? -2, count: writers), "\(number)")
    }
    #expect(try place.folder.names().count == count)
  }

  @Test(arguments: [PrintWay.link, .rename])
  func `a server whose answer was lost has made the print`(way: PrintWay) throws {
    let place = try FreshFolder()
    let prints = PrintFolder(FileServerFolder(place.folder, .answerIsLost), way: way)
    #expect(try prints.place(try draft("mine", in: prints), as: name) == nil)
    #expect(try names(place.folder) == ["Barn.jpg"])
    #expect(try text(place.folder.open(name, .read)) == "mine")
  }

  /// The photo is tried again later.
  @Test func `a taken name that this machine does not see is an error, and so is a lost folder`()
    throws
  {
    let place = try FreshFolder()
    for (manner, error) in [
      (FileServerFolder.Manner.nameIsUnseen, SystemError.Name.exists), (.stale, .stale),
    ] {
      let prints = PrintFolder(FileServerFolder(place.folder, manner), way: .link)
      let draft = try draft("mine", in: prints)
      let found = #expect(throws: SystemError.self) { try prints.place(draft, as: name) }
      #expect(found?.name == error && found?.machineFailure.kind == .machine)
      #expect(try names(place.folder) == [".1-1.print"])
      prints.discard(draft)
    }
  }

  @Test func `a folder in the place of a print is an error`() throws {
    let place = try FreshFolder()
    _ = try place.folder.openFolder(name, creating: true)
    let prints = PrintFolder(place.folder, way: .link)
    let draft = try draft("mine", in: prints)
    let found = #expect(throws: SystemError.self) { try prints.place(draft, as: name) }
    #expect(found?.name == .isFolder)
  }

  @Test(arguments: [PrintWay.link, .rename], 0..<4 as Range<UInt64>)
  func `a power cut at any call leaves a whole print or none, and one that is synced stays`(
    way: PrintWay, seed: UInt64
  ) throws {
    for calls in 0..<40 {
      let disk = SimulatedDisk()
      var isDurable = false
      disk.cutPower(afterCalls: calls)
      do {
        let prints = PrintFolder(disk.rootFolder, way: way)
        #expect(try prints.place(try draft("mine", in: prints), as: name) == nil)
        try disk.rootFolder.sync()
        isDurable = true
      } catch {}
      if isDurable { disk.cutPower(afterCalls: nil) }
      disk.crash(seed: seed)
      disk.cutPower(afterCalls: nil)
      let folder = disk.rootFolder
      let isThere = try folder.has(name)
      #expect(isThere || !isDurable, "after \(calls) calls")
      if isThere { #expect(try text(folder.open(name, .read)) == "mine", "after \(calls) calls") }
      let again = PrintFolder(folder, way: way)
      try again.sweep()
      let standing = try again.place(try draft("mine", in: again), as: name)
      #expect((standing != nil) == isThere)
      #expect(try names(folder) == ["Barn.jpg"])
      if isDurable { return }
    }
    Issue.record("the print was never durable")
  }
}
