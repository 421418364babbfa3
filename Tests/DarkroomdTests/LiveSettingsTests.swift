// SPDX-License-Identifier: Apache-2.0
// The settings in force, and the file from which they come.

import Support
import Testing
import Vocabulary

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

@Suite struct SettingOriginTests {
  private func read(_ text: String) throws -> (Settings, SettingOrigins) {
    var read = (settings: Settings(), origins: SettingOrigins())
    try ConfigurationFile.apply(
      Array(text.utf8), from: "a.conf", to: &read.settings, &read.origins)
    return read
  }

  private func entry(_ section: String, _ key: String) throws -> SettingEntry {
    try #require(SettingEntry.all.first { $0.section == section && $0.key == key })
  }

  @Test func `each value has the line that set it last; without one it is the default`() throws {
    let (_, origins) = try read(
      "[Filter]\nTimeout=9s\n# Timeout=1s\n Timeout = 2min \n[Download]\nConnections=3\n")
    let timeout = origins[try entry("Filter", "Timeout")]
    #expect(timeout.text == "2min" && timeout.places == [.init(file: "a.conf", line: 4)])
    let other = origins[try entry("Download", "Timeout")]
    #expect(other.text == "10min" && other.places.isEmpty)
  }

  @Test func `lines that add up have all their places, until an empty one clears them`() throws {
    let lines = "[Download]\nAllowNetworks=10.0.0.0/8\nAllowNetworks=::1\n"
    let key = try entry("Download", "AllowNetworks")
    let both = try read(lines).1[key]
    #expect(both.text == "10.0.0.0/8 ::1" && both.places.map(\.line) == [2, 3])
    let none = try read(lines + "AllowNetworks=\n").1[key]
    #expect(none.text.isEmpty && none.places.map(\.line) == [4])
    let last = try read(lines + "AllowNetworks=\nAllowNetworks=127.0.0.1\n").1[key]
    #expect(last.text == "127.0.0.1" && last.places.map(\.line) == [5])
    let many = try read(
      "[Download]\n" + String(repeating: "AllowNetworks=::1\n", count: 500)
    ).1[key]
    #expect(many.places.count == SettingOrigins.mostPlaces)
  }

  @Test func `a setting that waits for the next start is shown with both values`() throws {
    let (quiet, progress) = (try entry("Inbox", "QuietTime"), try entry("Download", "Connections"))
    let (old, origins) = try read("[Inbox]\nQuietTime=9s\n")
    let live = LiveSettings(old, origins)
    #expect(live.see(quiet).inForce.text == "9s" && live.see(quiet).next == nil)
    let (new, later) = try read("[Download]\nConnections=3\n[Inbox]\n\nQuietTime=2s\n")
    _ = live.replace(with: new, later)
    #expect(live.see(quiet).inForce.places.map(\.line) == [2])
    #expect(live.see(quiet).next?.text == "2s" && live.see(quiet).next?.places.map(\.line) == [5])
    #expect(live.see(progress).inForce.text == "3" && live.see(progress).next == nil)
    _ = live.replace(with: old, origins)
    #expect(live.see(quiet).next == nil)
  }
}

@Suite struct ConfigurationFileTests {
  @Test func `a file that the operator named must exist; the usual one need not`() throws {
    let scratch = try FreshFolder()
    let path = "\(scratch.path)/darkroomd.conf"
    #expect(try ConfigurationFile(path: path, isNamed: false).read().settings == Settings())
    let error = #expect(throws: Failure.self) {
      try ConfigurationFile(path: path, isNamed: true).read()
    }
    #expect(error?.reason.hasPrefix("\(path): ") == true)
  }

  @Test func `each read sees the file as it is then`() throws {
    let scratch = try FreshFolder()
    let source = ConfigurationFile(path: "\(scratch.path)/darkroomd.conf", isNamed: true)
    for count in [3, 4] as [UInt32] {
      try scratch.write(Array("[Download]\nAttempts=\(count)\n".utf8), to: "darkroomd.conf")
      #expect(try source.read().settings.download.attempts == count)
    }
    try scratch.write(Array("[Download]\nAttempts=none\n".utf8), to: "darkroomd.conf")
    let error = #expect(throws: Failure.self) { try source.read() }
    #expect(error?.reason.hasPrefix("\(source.path):2: ") == true)
  }
}
