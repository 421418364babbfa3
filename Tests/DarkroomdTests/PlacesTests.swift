// SPDX-License-Identifier: Apache-2.0
// The folders below a root, made on a real disk. `OptionTests` test the paths.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PlacesTests {
  private let scratch: FreshFolder

  init() throws { scratch = try FreshFolder() }

  @Test func `a root is made with its folders, and making it again changes nothing`() throws {
    let root = "\(scratch.path)/root"
    try Places.make(root: root)
    try scratch.write([1], to: "root/inbox/a.plist")
    try Places.make(root: root)
    let places = Places.below(root)
    let folder = try scratch.folder.openFolder(FileName(literal: "root"), creating: false)
    #expect(try folder.listing() == ["done", "failed", "inbox", "prints", "state"])
    for path in [places.inbox, places.done, places.failed, places.prints, places.state] {
      #expect(path.hasPrefix(root + "/"))
    }
    #expect(scratch.bytes(of: "root/inbox/a.plist") == [1])
  }

  @Test func `a root whose parent is missing is not made`() {
    let error = #expect(throws: SystemError.self) {
      try Places.make(root: "\(scratch.path)/missing/root")
    }
    #expect(error?.isMissing == true)
  }

  @Test func `a file in the place of a folder ends the start`() throws {
    try scratch.write([1], to: "root/prints")
    #expect(throws: SystemError.self) { try Places.make(root: "\(scratch.path)/root") }
    #expect(scratch.bytes(of: "root/prints") == [1])
  }
}
