// SPDX-License-Identifier: Apache-2.0
// Whether a folder can keep the first of two prints, and the reason if it cannot.

import Linux
import Support
import Testing
import Vocabulary

@testable import Output

@Suite struct PrintWayTests {
  private func probe(
    _ manner: FileServerFolder.Manner
  ) throws -> (PrintWay.Found, left: [String]) {
    let place = try FreshFolder()
    let found = try PrintWay.once(in: FileServerFolder(place.folder, manner), mark: "a.")
    return (found, try place.folder.names().map(\.description))
  }

  @Test(
    arguments: [
      (.none, .link), (.links(error: .notSupported), .rename),
      (.links(error: .notPermitted), .rename),
    ] as [(FileServerFolder.Manner, PrintWay)])
  func `prints are made by links, or by renames where there are none`(
    manner: FileServerFolder.Manner, way: PrintWay
  ) throws {
    let (found, left) = try probe(manner)
    #expect(found == .way(way) && left == [])
  }

  @Test(
    arguments: [
      (
        .noLinksNorRenames,
        "it has neither hard links (operation not permitted) nor a rename that replaces nothing "
          + "(invalid argument)"
      ),
      (.linksReplace, "it replaces a name that is taken"),
      (.renamesReplace, "it replaces a name that is taken"),
      (.createsAgain, "it creates a file that is there already"),
      (.foldersAreNotSynced(.invalid), "its folders cannot be synced (invalid argument)"),
    ] as [(FileServerFolder.Manner, String)])
  func `an unfit folder is told with the reason, and stays empty`(
    manner: FileServerFolder.Manner, words: String
  ) throws {
    let (found, left) = try probe(manner)
    #expect(found == .unfit(words) && left == [])
  }

  @Test func `a disk in trouble is not unfit`() throws {
    let found = #expect(throws: SystemError.self) {
      try probe(.foldersAreNotSynced(.inputOutput))
    }
    #expect(found?.name == .inputOutput)
    let disk = SimulatedDisk()
    disk.setCapacity(3)
    #expect(throws: SystemError.self) { try PrintWay.once(in: disk.rootFolder, mark: "a.") }
    #expect(try disk.rootFolder.names() == [])
  }

  @Test func `files that an earlier probe left do not matter, and no other file is touched`() throws
  {
    let place = try FreshFolder()
    for name in [".a.probe", ".a.probe-name", ".b.probe", "Barn.jpg"] {
      try place.write(Array(name.utf8), to: name)
    }
    #expect(try PrintWay.once(in: place.folder, mark: "a.") == .way(.link))
    #expect(try place.folder.names().map(\.description).sorted() == [".b.probe", "Barn.jpg"])
  }

  @Test func `the width and height of a print follow from its head`() throws {
    let (jpeg, png) = (
      SamplePictures.jpeg(width: 40, height: 30), SamplePictures.png(width: 31, height: 17)
    )
    let size = try PrintSize(of: MemoryFile(jpeg), .jpeg)
    #expect(size?.width == 40 && size?.height == 30)
    let other = try PrintSize(of: MemoryFile(png), .png)
    #expect(other?.width == 31 && other?.height == 17)
    #expect(try PrintSize(of: MemoryFile(jpeg), .png) == nil)
    #expect(try PrintSize(of: MemoryFile(png), .jpeg) == nil)
    for count in [0, 1, 3, 23] {
      #expect(try PrintSize(of: MemoryFile(Array(jpeg.prefix(count))), .jpeg) == nil)
      #expect(try PrintSize(of: MemoryFile(Array(png.prefix(count))), .png) == nil)
    }
    // A segment that leads to itself, and one that leads beyond the end.
    let bad: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0],
      [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 0, 9],
    ]
    for bytes in bad { #expect(try PrintSize(of: MemoryFile(bytes), .jpeg) == nil) }
  }
}
