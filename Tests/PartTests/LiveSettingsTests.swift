// SPDX-License-Identifier: Apache-2.0
// The settings in force, and the file from which they come.

import Support
import Testing

@testable import darkroomd

@Suite struct LiveSettingsTests {
  @Test func `new settings replace all of the old ones, which are returned`() {
    var first = Settings()
    first.download.attempts = 3
    let live = LiveSettings(first)
    #expect(live.current == first)
    let old = live.replace(with: Settings())
    #expect(old == first && live.current == Settings())
  }
}

@Suite struct ConfigurationFileTests {
  @Test func `a file that the operator named must exist; the usual one need not`() throws {
    let scratch = try FreshFolder()
    let path = "\(scratch.path)/darkroomd.conf"
    #expect(try ConfigurationFile(path: path, isNamed: false).read() == Settings())
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationFile(path: path, isNamed: true).read()
    }
    #expect(error?.file == path && error?.line == nil)
  }

  @Test func `each read sees the file as it is then`() throws {
    let scratch = try FreshFolder()
    let source = ConfigurationFile(path: "\(scratch.path)/darkroomd.conf", isNamed: true)
    for count in [3, 4] as [UInt32] {
      try scratch.write(Array("[Download]\nAttempts=\(count)\n".utf8), to: "darkroomd.conf")
      #expect(try source.read().download.attempts == count)
    }
    try scratch.write(Array("[Download]\nAttempts=none\n".utf8), to: "darkroomd.conf")
    let error = #expect(throws: ConfigurationError.self) { try source.read() }
    #expect(error?.line == 2)
  }
}
