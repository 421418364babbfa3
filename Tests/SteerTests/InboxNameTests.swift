// SPDX-License-Identifier: Apache-2.0
// The advice of `submit` about a name that a file in the inbox has.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomctl

@Suite struct InboxNameTests {
  @Test func `a user waits for the user's own file alone, and not for one of another user`() throws
  {
    let place = try FreshFolder()
    let name = FileName(literal: "nightly.txt")
    try place.write([1], to: "nightly.txt")
    let own = InboxName.taken(name, in: place.folder)
    #expect(own.reason == "'nightly.txt' is still in the inbox")
    #expect(own.advice.hasPrefix("Wait until it is accepted, "))
    let another = InboxName.taken(name, in: place.folder, for: ThisProcess.user + 1)
    #expect(another.reason == "'nightly.txt' in the inbox belongs to another user")
    #expect(another.advice == "Choose another name with --name")
    // The file has left the inbox meanwhile.
    try place.folder.remove(name)
    let gone = InboxName.taken(name, in: place.folder, for: ThisProcess.user + 1)
    #expect(gone.reason == own.reason)
  }
}
