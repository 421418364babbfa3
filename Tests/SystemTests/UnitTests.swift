// SPDX-License-Identifier: Apache-2.0
// The unit, checked by systemd's own tools if they are installed, and against the requirements of
// the design.

import Foundation
import Support
import Testing

@Suite struct UnitTests {
  private static let path = Repository.path("systemd/darkroom.service")
  private static let hasTool = (try? Run(["systemd-analyze", "--version"]))?.status == 0
  private static let noTool: Comment = "systemd-analyze is not installed"

  private static func lines() throws -> [Substring] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
  }

  @Test(.enabled(if: hasTool, noTool))
  func `systemd has no complaint about the unit`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "darkroom-unit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // darkroomd is not installed here. A program that is takes its place, since systemd checks that
    // the file exists.
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
      .replacingOccurrences(of: "/usr/sbin/darkroomd", with: "/usr/bin/env")
    let copy = folder.appending(path: "darkroom.service")
    try text.write(to: copy, atomically: false, encoding: .utf8)
    let run = try Run(
      ["systemd-analyze", "verify", "--man=no", copy.path(percentEncoded: false)])
    #expect(run.lines.filter { $0.contains("darkroom") } == [], "\(run.output)")
  }

  @Test(.enabled(if: hasTool, noTool))
  func `the exposure of the unit stays below its threshold`() throws {
    let run = try Run(
      ["systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=14", Self.path])
    #expect(run.status == 0, "\(run.output)")
  }

  @Test(
    "the unit keeps what the daemon relies on",
    arguments: [
      "Type=notify", "ExecReload=/usr/sbin/darkroomd --reload", "User=darkroom",
      "CapabilityBoundingSet=CAP_LEASE", "AmbientCapabilities=CAP_LEASE", "KillMode=mixed",
      "RestartPreventExitStatus=CONFIG USAGE", "OOMPolicy=continue", "WatchdogSec=30s",
      "TasksMax=2048", "LimitNOFILE=65536", "LimitNICE=-4", "LogRateLimitBurst=1000000",
      "SystemCallFilter=setpriority ioprio_set", "UMask=0027",
    ])
  func directive(line: Substring) throws { #expect(try Self.lines().contains(line)) }

  @Test func `capabilities end at a user namespace, so the unit makes none`() throws {
    #expect(try !Self.lines().contains { $0.hasPrefix("PrivateUsers=") })
  }

  @Test(
    "the group may drop into the inbox, and no user may remove the files of another",
    arguments: [
      ["/var/spool/darkroom/inbox", "3770", "-"],
      ["/var/spool/darkroom/inbox/.claim", "0700", "-"],
      ["/var/spool/darkroom/done", "0750", "30d"], ["/var/spool/darkroom/failed", "0750", "30d"],
      ["/var/lib/darkroom/prints", "0750", "-"],
    ])
  func folder(place: [String]) throws {
    let text = try String(
      contentsOfFile: Repository.path("systemd/darkroom.tmpfiles"), encoding: .utf8)
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains(["d"] + place[..<2] + ["darkroom", "darkroom", place[2]]))
  }

  @Test func `uninstalling lists what stays and how to remove it`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "darkroom-uninstall-\(UUID().uuidString)").path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = ["make", "--no-print-directory", "-C", Repository.path(""), "uninstall"]
    let run = try Run(command + ["DESTDIR=\(folder)", "PREFIX=/usr"])
    #expect(run.status == 0 && !run.output.contains("ignored"), "\(run.output)")
    for place in ["etc/darkroom", "var/spool/darkroom", "var/lib/darkroom"] {
      #expect(
        run.lines.contains { $0.hasPrefix("  rm -r ") && $0.contains("\(folder)/\(place)") },
        "\(run.output)")
    }
    #expect(run.lines.contains { $0.contains("userdel darkroom") }, "\(run.output)")
  }
}
