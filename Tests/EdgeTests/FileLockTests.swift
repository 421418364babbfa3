// SPDX-License-Identifier: Apache-2.0
// Locks that a dead process still holds for a moment, through a child that it was starting.

import Linux
import Support
import Testing
import Vocabulary

@Suite struct FileLockTests {
  private static let name = FileName(literal: "lock")

  @Test("A lock that is released within a second is obtained")
  func patience() async throws {
    let place = try FreshFolder()
    let folder = place.folder
    let (held, wanted) = (
      try folder.openFile(Self.name, .ensure), try folder.openFile(Self.name, .ensure)
    )
    try held.lock()
    #expect { try wanted.lock() } throws: { ($0 as? SystemError)?.code == 11 }
    async let isHad: Void = { () async throws in try wanted.lockPatiently() }()
    held.unlock()
    try await isHad
  }

  @Test func `who may only read a file sees its lock, and takes none`() throws {
    let place = try FreshFolder()
    let held = try place.folder.openFile(Self.name, .ensure)
    let seen = try place.folder.openFile(Self.name, .read)
    #expect(try !seen.isLocked())
    try held.lock()
    #expect(try seen.isLocked() && !held.isLocked())
    held.unlock()
    #expect(try !seen.isLocked())
  }
}
