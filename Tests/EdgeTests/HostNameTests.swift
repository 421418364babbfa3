// SPDX-License-Identifier: Apache-2.0
// The name of a machine, which is that of its node.

import Foundation
import Linux
import Testing

@Suite struct HostNameTests {
  @Test func `the name is the kernel's, without a look at its files`() throws {
    let known = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
    #expect(ThisProcess.hostName == known.trimmingCharacters(in: .newlines))
  }
}
