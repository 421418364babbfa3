// SPDX-License-Identifier: Apache-2.0
// The unit, checked by systemd's own tools if they are installed, and against the requirements of
// the design.

import Foundation
import Support
import Testing

@Suite struct UnitTests {
  private static let units = [
    "darkroom.service", "darkroom-hooks.service", "darkroom-hooks.path", "darkroom@.service",
    "darkroom-hooks@.service", "darkroom-hooks@.path", "darkroom-web.socket",
    "darkroom-web.service",
  ]
  private static let path = path(of: units[0])
  private static let hasTool = (try? Run(["systemd-analyze", "--version"]))?.status == 0
  private static let noTool: Comment = "systemd-analyze is not installed"

  private static func path(of unit: String) -> String { Repository.path("systemd/\(unit)") }

  private static func lines(of unit: String = units[0]) throws -> [Substring] {
    try String(contentsOfFile: path(of: unit), encoding: .utf8).split(separator: "\n")
  }

  @Test(.enabled(if: hasTool, noTool))
  func `systemd has no complaint about the units`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "darkroom-unit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // darkroomd is not installed here. A program that is takes its place, since systemd checks that
    // the file exists.
    let copies = Self.units.map { folder.appending(path: $0) }
    for (unit, copy) in zip(Self.units, copies) {
      let text = try String(contentsOfFile: Self.path(of: unit), encoding: .utf8)
        .replacingOccurrences(of: "/usr/sbin/darkroomd", with: "/usr/bin/env")
        .replacingOccurrences(of: "/usr/libexec/darkroom/darkroom-web", with: "/usr/bin/env")
      try text.write(to: copy, atomically: false, encoding: .utf8)
    }
    let run = try Run(
      ["systemd-analyze", "verify", "--man=no"] + copies.map { $0.path(percentEncoded: false) })
    #expect(run.lines.filter { $0.contains("darkroom") } == [], "\(run.output)")
  }

  @Test(
    "the unit of an instance is that of the service, below a folder of its own",
    arguments: [
      (
        "darkroom", "darkroom@",
        [
          "Description=", "Wants=", "After=var-", "RequiresMountsFor=", "ExecStart=",
          "ExecStartPre=", "ExecStartPost=", "ExecReload=",
        ]
          + ["StateDirectory=", "CacheDirectory=", "RuntimeDirectory", "ReadWritePaths="]
      ),
      (
        "darkroom-hooks", "darkroom-hooks@",
        ["Description=", "RequiresMountsFor=", "ExecStart=", "TemporaryFileSystem="]
          + ["BindPaths=", "BindReadOnlyPaths="]
      ),
    ])
  func instance(names: (one: String, instance: String, differ: [String])) throws {
    func shared(_ name: String) throws -> [Substring] {
      try Self.lines(of: "\(name).service").filter { line in
        !line.hasPrefix("#") && !names.differ.contains { line.hasPrefix($0) }
      }
    }
    #expect(try shared(names.instance) == shared(names.one))
    let own = try Self.lines(of: "\(names.instance).service").filter { line in
      !line.hasPrefix("#") && names.differ.contains { line.hasPrefix($0) }
    }
    let astray = own.filter { $0.contains(#/ /var/|=/var//#) && !$0.contains("darkroom@%i") }
    #expect(astray.isEmpty && own.count > 4, "\(own)")
  }

  @Test(
    "a clean of the caches removes the cache of originals alone, which is not in the state",
    arguments: [("darkroom.service", "darkroom"), ("darkroom@.service", "darkroom@%i")])
  func cache(unit: String, folder: String) throws {
    let lines = try Self.lines(of: unit).filter { $0.hasPrefix("CacheDirectory=") }
    #expect(lines == ["CacheDirectory=\(folder)"])
  }

  @Test(
    .enabled(if: hasTool, noTool),
    arguments: [
      ("darkroom.service", 14), ("darkroom-hooks.service", 15), ("darkroom@.service", 14),
      ("darkroom-hooks@.service", 15), ("darkroom-web.service", 12),
    ])
  func `the exposure of a unit stays below its threshold`(unit: String, limit: Int) throws {
    let run = try Run([
      "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=\(limit)",
      Self.path(of: unit),
    ])
    #expect(run.status == 0, "\(run.output)")
  }

  @Test(
    "the unit of the hooks keeps what the daemon and its page rely on",
    arguments: [
      "Type=oneshot", "ExecStart=/usr/sbin/darkroomd --run-hooks", "User=darkroom",
      "NoNewPrivileges=yes", "CapabilityBoundingSet=", "TimeoutStartSec=infinity",
      "KillMode=mixed", "OOMPolicy=continue",
      "ProtectSystem=strict", "BindPaths=/var/lib/darkroom/state/hooks", "ProtectHome=yes",
      "StartLimitIntervalSec=5min", "StartLimitBurst=150",
    ])
  func hookDirective(line: Substring) throws {
    #expect(try Self.lines(of: "darkroom-hooks.service").contains(line))
  }

  @Test func `hooks may execute programs and use the network, and the daemon starts their unit`()
    throws
  {
    let hooks = try Self.lines(of: "darkroom-hooks.service")
    for key in ["NoExecPaths=", "IPAddressDeny=", "MemoryDenyWriteExecute="] {
      #expect(!hooks.contains { $0.hasPrefix(key) })
    }
    let path = try Self.lines(of: "darkroom-hooks.path")
    #expect(path.contains("DirectoryNotEmpty=/var/lib/darkroom/state/hooks"))
    #expect(try Self.lines().contains("Wants=darkroom-hooks.path"))
    #expect(try Self.lines().contains("ExecStart=/usr/sbin/darkroomd --leave-hooks"))
  }

  @Test(
    "the unit keeps what the daemon relies on",
    arguments: [
      "Type=notify", "ExecReload=/usr/sbin/darkroomd --reload", "User=darkroom",
      "CapabilityBoundingSet=CAP_LEASE", "AmbientCapabilities=CAP_LEASE", "KillMode=mixed",
      "RestartPreventExitStatus=CONFIG USAGE", "OOMPolicy=continue",
      "TasksMax=2048", "LimitNOFILE=65536", "LimitNICE=-4", "LogRateLimitBurst=1000000",
      "SystemCallFilter=setpriority ioprio_set", "UMask=0027",
    ])
  func directive(line: Substring) throws { #expect(try Self.lines().contains(line)) }

  @Test func `systemd has no watchdog of its own, which would end a frozen service`() throws {
    #expect(try !Self.lines().contains { $0.hasPrefix("WatchdogSec=") })
  }

  @Test func `the start limit is beyond a dozen restarts by hand, and within a crash loop`() throws
  {
    let lines = try Self.lines()
    #expect(lines.contains("StartLimitIntervalSec=20min") && lines.contains("StartLimitBurst=20"))
    #expect(lines.contains("RestartSec=1s"))
  }

  @Test func `capabilities end at a user namespace, so the unit makes none`() throws {
    #expect(try !Self.lines().contains { $0.hasPrefix("PrivateUsers=") })
  }

  @Test(
    "the group may drop into the inbox, and no user may remove the files of another",
    arguments: [
      ["/var/spool/darkroom/inbox", "3772", "-"],
      ["/var/spool/darkroom/inbox/.claim", "0700", "-"],
      ["/var/spool/darkroom/done", "0750", "30d"], ["/var/spool/darkroom/failed", "0750", "30d"],
      ["/var/lib/darkroom/prints", "0750", "-"], ["/var/lib/darkroom/state", "0700", "-"],
      ["/var/lib/darkroom/state/hooks", "0700", "-"],
    ])
  func folder(place: [String]) throws {
    let text = try String(
      contentsOfFile: Repository.path("systemd/darkroom.tmpfiles"), encoding: .utf8)
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains(["d"] + place[..<2] + ["darkroom", "darkroom", place[2]]))
    #expect(rows.contains(["d", "/var/spool/darkroom", "0750", "root", "darkroom", "-"]))
    #expect(rows.contains(["e", "/var/lib/darkroom@*/inbox", "3772", "darkroom", "darkroom", "-"]))
  }

  @Test(arguments: [("darkroom", "darkroom"), ("darkroom@", "darkroom@%i")])
  func `a clean of the state leaves the prints, which are beside it`(unit: String, folder: String)
    throws
  {
    let lines = try Self.lines(of: "\(unit).service")
    #expect(lines.filter { $0.hasPrefix("StateDirectory=") } == ["StateDirectory=\(folder)/state"])
    let writable = lines.filter { $0.hasPrefix("ReadWritePaths=") }
    #expect(writable.count == 1 && writable[0].hasSuffix("/var/lib/\(folder)"))
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
