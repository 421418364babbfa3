// SPDX-License-Identifier: Apache-2.0
// Starting, refusing to start, reloading the settings.

import Foundation
import Support
import Testing

@Suite struct StartTests {
  private static let isInstalled = ["/etc/darkroom", "/var/spool/darkroom"].contains {
    FileManager.default.fileExists(atPath: $0)
  }

  @Test(.enabled(if: !isInstalled))
  func `where nothing is installed, a start without a root says how to try it and to install it`()
    async throws
  {
    try await DaemonBench.use { bench in
      let end = try await bench.launch("darkroomd", []).end()
      #expect(end.code == 64, "\(end)")
      #expect(end.errors.contains("darkroomd --root DIR") && end.errors.contains("make install"))
    }
  }

  @Test(
    .enabled(if: DaemonBench.isRoot),
    arguments: ["state", "done", "inbox/.claim"], [[], ["--run-hooks"]])
  func `root leaves nothing in the folders of another user`(
    _ folder: String, _ options: [String]
  ) async throws {
    try await DaemonBench.use { bench in
      let path = "\(bench.root)/\(folder)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try await bench.give(path, to: DaemonBench.stranger)
      let before = bench.names(".")
      let end = try await bench.launch("darkroomd", ["--root", bench.root] + options).end()
      #expect(end.code == 77, "\(end)")
      for words in ["belongs to the user ", "systemctl start darkroom", "become that user"] {
        #expect(end.errors.contains(words), "\(end)")
      }
      #expect(bench.names(folder).isEmpty && bench.names(".") == before)
    }
  }

  @Test func `a second daemon on the same root refuses, names the first and disturbs nothing`()
    async throws
  {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let first = try await bench.start()
      let second = try await bench.launch("darkroomd", ["--root", bench.root]).end()
      #expect(second.code == 75)
      #expect(second.errors.contains("another darkroomd (pid \(first.pid))"), "\(second)")
      #expect(second.errors.contains("--root"))
      #expect(second.errors.split(separator: "\n").count == 1, "\(second)")
      try await bench.drop([("One", url)], as: "one.plist")
      #expect(try await bench.wait(for: "one", first).code == 0)
      #expect(try await bench.stop(first).code == 0)
      // The lock ends with its holder.
      try await bench.stop(bench.start())
    }
  }

  @Test func `a lock and a socket left behind by a killed daemon do not matter`() async throws {
    try await DaemonBench.use { bench in
      try await bench.start().cut()
      #expect(bench.names(".").contains("control"))
      let daemon = try await bench.start()
      #expect(try await bench.tool("status").code == 0)
      #expect(try await bench.stop(daemon).code == 0)
      #expect(!bench.names(".").contains("control"))
      #expect(try await bench.tool("status").code == 3)
    }
  }

  @Test(
    arguments: [
      ("[Download]\nConections=4\n", "darkroomd.conf:2: ", "did you mean 'Connections'?"),
      ("\n[Downlaod]\n", "darkroomd.conf:2: ", "did you mean 'Download'?"),
      ("[Filter]\nWorkers=0\n", "darkroomd.conf:2: ", "from 1 to 256"),
      ("[Filter]\n\n# why\nFilter=blur(3px)\n", "darkroomd.conf:4: ", "sepia(AMOUNT)"),
      ("Workers=1\n", "darkroomd.conf:1: ", "[SECTION]"),
      ("[Inbox]\nConnections=1\n", "darkroomd.conf:2: ", "belongs to [Download]"),
      ("[Download]\nFileFolders=x\n", "darkroomd.conf:2: ", "is written as a full path"),
      ("[Network]\nCertificateAuthorities=/none\n", "darkroomd.conf:2: ", "no such file"),
    ])
  func `bad settings end the start with 78, file, line and a suggestion`(
    text: String, place: String, words: String
  ) async throws {
    try await DaemonBench.use(settings: text) { bench in
      let end = try await bench.launch("darkroomd", ["--root", bench.root]).end()
      #expect(end.code == 78, "\(end)")
      #expect(end.errors.contains(place) && end.errors.contains(words), "\(end)")
    }
  }

  @Test(
    .enabled("faults are for debug builds") { DaemonBench.isDebugBuild },
    arguments: [
      ("openat ROOT/darkroomd.conf 5", "darkroomd.conf: could not read it: input/output error"),
      ("openat ROOT/darkroomd.conf 24", "darkroomd.conf: could not read it: too many open files"),
      ("pread darkroomd.conf 5", "darkroomd.conf: could not read it: input/output error"),
      ("openat ROOT/inbox 12", "could not use the root ROOT: "), ("open ROOT 23", "root ROOT: "),
      ("access darkroom-worker 5", "could not start the workers: access "),
      ("readlink process 12", "could not start the workers: readlink "),
    ])
  func
    `trouble of this machine with settings, root or programs ends the start with 74, so that it is tried again`(
      fault: String, words: String
    ) async throws
  {
    try await DaemonBench.use { bench in
      let fault = fault.replacing("ROOT", with: bench.root)
      let words = words.replacing("ROOT", with: bench.root)
      let end = try await bench.launch(
        "darkroomd", ["--root", bench.root], environment: ["DARKROOM_FAULT": fault]
      ).end()
      #expect(end.code == 74 && end.errors.contains(words), "\(end)")
    }
  }

  @Test func `a settings file that is named must exist, the usual one need not`() async throws {
    try await DaemonBench.use { bench in
      try FileManager.default.removeItem(atPath: "\(bench.root)/darkroomd.conf")
      #expect(try await bench.runUntilIdle().code == 0)
      let end = try await bench.runUntilIdle(["--config", "\(bench.root)/none.conf"])
      #expect(end.code == 78 && end.errors.contains("none.conf"), "\(end)")
      try bench.folder.write(Array("[Filter]\nWorkers=x\n".utf8), to: "root/other.conf")
      #expect(try await bench.runUntilIdle(["--config", "\(bench.root)/other.conf"]).code == 78)
    }
  }

  @Test func `files beside the settings are read after them, in the order of their names`()
    async throws
  {
    try await DaemonBench.use { bench in
      let add = "root/darkroomd.conf.d"
      try bench.folder.write(Array("[Filter]\nFilter=sepia(0.1)\n".utf8), to: "\(add)/10-a.conf")
      try bench.folder.write(Array("[Filter]\nFilter=sepia(0.2)\n".utf8), to: "\(add)/20-b.conf")
      try bench.folder.write(Array("nonsense".utf8), to: "\(add)/30-c.conf.bak")
      try await bench.drop([("1", try bench.serveSamples(1)[0])], as: "one.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      let end = try await bench.tool(
        "develop", "--filter", "sepia(0.2)", "-o", bench.root, "\(bench.folder.path)/photos/1.jpg")
      #expect(end.code == 0)
      #expect(bench.bytes("prints/one/1.jpg") == bench.bytes("1.jpg"))
      try bench.folder.write(Array("[Filter]\nFilters=x\n".utf8), to: "\(add)/40-d.conf")
      let bad = try await bench.runUntilIdle()
      #expect(bad.code == 78 && bad.errors.contains("darkroomd.conf.d/40-d.conf:2: "), "\(bad)")
    }
  }

  @Test(
    arguments: [
      (["--rot", "/tmp"], "did you mean '--root'?"), (["--root"], "--root needs a value"),
      (["extra"], "unknown option 'extra'"), (["--config", ""], "--config needs a value"),
    ])
  func `a bad command line ends with 64 and the usage`(arguments: [String], words: String)
    async throws
  {
    try await DaemonBench.use { bench in
      let end = try await bench.launch("darkroomd", arguments).end()
      #expect(end.code == 64)
      #expect(end.errors.contains(words) && end.errors.contains("usage: darkroomd"), "\(end)")
      #expect(end.output.isEmpty)
    }
  }

  @Test func `help and version go to standard output`() async throws {
    try await DaemonBench.use { bench in
      for (option, words) in [("--help", "usage: darkroomd"), ("--version", "darkroomd ")] {
        let end = try await bench.launch("darkroomd", [option]).end()
        #expect(end.code == 0 && end.output.hasPrefix(words) && end.errors.isEmpty, "\(end)")
      }
    }
  }

  @Test func `a root that cannot be created is reported`() async throws {
    try await DaemonBench.use { bench in
      try bench.folder.write([], to: "file")
      let end = try await bench.launch("darkroomd", ["--root", "\(bench.folder.path)/file/root"])
        .end()
      #expect(end.code == 64 && end.errors.contains("file/root"), "\(end)")
    }
  }

  @Test func `SIGUSR1 and SIGUSR2 do not end the daemon`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      for signal in [SIGUSR1, SIGUSR2] { daemon.send(signal) }
      #expect(try await bench.tool("status").code == 0)
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test(arguments: [(["--level-prefixes"], "<3>"), ([], "")])
  func `a start that fails says why as an error to whoever reads priorities`(
    options: [String], prefix: String
  ) async throws {
    try await DaemonBench.use(settings: "[Filter]\nWrokers=3\n") { bench in
      for task in [[], ["--check"]] {
        let end = try await bench.launch("darkroomd", task + ["--root", bench.root] + options).end()
        #expect(end.code == 78, "\(end)")
        #expect(end.errors.hasPrefix("\(prefix)darkroomd: could not read the settings: "), "\(end)")
      }
      try bench.settings("")
      let daemon = try await bench.start()
      let second = try await bench.launch("darkroomd", ["--root", bench.root] + options).end()
      #expect(second.errors.hasPrefix("\(prefix)darkroomd: another darkroomd"), "\(second)")
      try await bench.stop(daemon)
    }
  }

  @Test func `lines carry their priority with --level-prefixes`() async throws {
    try await DaemonBench.use { bench in
      try await bench.drop([("One", bench.origin.url("/404"))], as: "one.plist")
      let end = try await bench.runUntilIdle(["--level-prefixes"])
      for line in end.errors.split(separator: "\n") {
        #expect(line.hasPrefix("<") && line.dropFirst(2).hasPrefix(">"), "\(line)")
      }
      #expect(end.errors.contains("<5>Could not download 'One'"), "\(end)")
    }
  }
}

@Suite struct CheckedSettingsTests {
  @Test func `settings are checked without a start, and a check changes nothing`() async throws {
    try await DaemonBench.use(settings: "[Filter]\nWorkers=3\n") { bench in
      let before = bench.names(".")
      let nowhere = try await bench.launch("darkroomd", ["--check", "--root", "\(bench.root)x"])
        .end()
      #expect(nowhere.code == 64 && nowhere.errors.contains("could not use the root"), "\(nowhere)")
      let good = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(good.code == 0 && good.output.isEmpty && good.errors.isEmpty, "\(good)")
      try bench.settings("[Filter]\n\nWrokers=3\n")
      let bad = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(bad.code == 78, "\(bad)")
      #expect(bad.errors.contains("darkroomd.conf:3: ") && bad.errors.contains("'Workers'"))
      try bench.settings("[Download]\nFileFolders=/nonexistent/x\n")
      let folder = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(folder.code == 0 && folder.errors.contains("/nonexistent/x of FileF"), "\(folder)")
      try bench.settings("[Cluster]\nLedger=dbname=darkroom\n")
      let lonely = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(lonely.code == 78 && lonely.errors.contains("Ledger= needs Blobs="), "\(lonely)")
      let secret = "[Cluster]\nLedger=dbname=darkroom\nBlobs=/srv/blobs\nLedgerPassword="
      try bench.settings("\(secret)/nonexistent/word\n")
      let closed = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(closed.code == 78, "\(closed)")
      #expect(closed.errors.contains("darkroomd.conf:4: could not read LedgerPassword=: "))
      try bench.settings("\(secret)word\n")
      let unseen = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(unseen.code == 0 && unseen.errors.contains("LedgerPassword= names a credential"))
      let named = ["--check", "--config", "\(bench.root)/none.conf"]
      #expect(try await bench.launch("darkroomd", named).end().code == 78)
      #expect(bench.names(".") == before)
      try FileManager.default.removeItem(atPath: "\(bench.root)/darkroomd.conf")
      let none = try await bench.launch("darkroomd", ["--check", "--root", bench.root]).end()
      #expect(none.code == 0 && none.errors.contains("there is no file "), "\(none)")
    }
  }

  @Test func `the settings in force are shown with file and line, also after a reload`()
    async throws
  {
    try await DaemonBench.use { bench in
      try bench.folder.write(
        Array("[Filter]\nQuality=77\n".utf8), to: "root/darkroomd.conf.d/50-a.conf")
      let daemon = try await bench.start()
      func rows() async throws -> [String] {
        let end = try await bench.tool("config")
        #expect(end.code == 0, "\(end)")
        return end.output.split(separator: "\n").map(String.init)
      }
      let file = "\(bench.root)/darkroomd.conf"
      let before = try await rows()
      #expect(before.contains("Inbox\tQuietTime\t250ms\t\(file):2"))
      #expect(before.contains("Filter\tQuality\t77\t\(file).d/50-a.conf:2"))
      #expect(before.contains("Filter\tMetadata\tkeep\tdefault"))
      try bench.settings("[Inbox]\n\nQuietTime=3s\n")
      #expect(try await bench.reload().code == 0)
      let after = try await rows()
      #expect(after.contains("Inbox\tQuietTime\t250ms\t\(file):2"))
      #expect(after.contains("next\tInbox\tQuietTime\t3s\t\(file):3"))
      #expect(after.contains("Download\tAllowNetworks\t\tdefault"))
      try await bench.stop(daemon)
    }
  }
}

@Suite struct ThreadTests {
  /// The watchdog and the messages to the service manager have a thread only under one.
  @Test(
    .enabled("faults are for debug builds") { DaemonBench.isDebugBuild },
    arguments: [
      "tasks", "disk", "report", "notify", "syncer", "journal", "transfers", "inbox", "watchdog",
    ])
  func `a thread that cannot be created ends the start with one sentence and 74`(thread: String)
    async throws
  {
    try await DaemonBench.use { bench in
      let end = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        environment: [
          "DARKROOM_FAULT": "pthread_create \(thread) 11", "WATCHDOG_USEC": "30000000",
          "NOTIFY_SOCKET": "\(bench.folder.path)/notify",
        ]
      ).end()
      #expect(end.code == 74, "\(end)")
      let sentences = end.errors.split(separator: "\n").filter { $0.hasPrefix("darkroomd: ") }
      #expect(sentences.count == 1, "\(end)")
      let words = ": pthread_create \(thread): try again"
      #expect(sentences.last?.hasPrefix("darkroomd: could not ") == true, "\(end)")
      #expect(sentences.last?.hasSuffix(words) == true, "\(end)")
      #expect(try await bench.runUntilIdle().code == 0)
    }
  }
}

@Suite struct ServiceManagerTests {
  @Test(.enabled("systemd is not installed") { DaemonBench.has("systemd-socket-activate") })
  func `callers reach a daemon through the socket that its manager holds, also between two starts`()
    async throws
  {
    try await DaemonBench.use { bench in
      let path = "\(bench.root)/control"
      try FileManager.default.createDirectory(
        atPath: bench.root, withIntermediateDirectories: true)
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root], through: ["systemd-socket-activate", "-l", path])
      try await bench.until("the manager listens") { FileManager.default.fileExists(atPath: path) }
      #expect(try await bench.tool("status").code == 0)
      #expect(try await bench.stop(daemon).code == 0)
      #expect(FileManager.default.fileExists(atPath: path), "the name is the manager's")
    }
  }

  @Test func `a manager that asked for pings gets them, beside the other messages`() async throws {
    try await DaemonBench.use { bench in
      let service = try NotifyListener(at: "\(bench.folder.path)/notify")
      let daemon = try await bench.launch(
        "darkroomd", ["--root", bench.root],
        environment: ["NOTIFY_SOCKET": service.path, "WATCHDOG_USEC": "200000"])
      for line in ["READY=1", "STATUS=Idle: no list yet.", "WATCHDOG=1"] {
        try await bench.until("the manager hears \(line)") { service.lines.contains(line) }
      }
      #expect(try await bench.reload().code == 0)
      try await bench.until("the manager hears of the reload") {
        service.lines.contains { $0.hasPrefix("MONOTONIC_USEC=") }
      }
      #expect(try await bench.stop(daemon).code == 0)
      #expect(service.lines.contains("STOPPING=1"))
    }
  }
}

@Suite struct ReloadTests {
  @Test func `a reload applies good settings and names those that wait for a restart`()
    async throws
  {
    try await DaemonBench.use(settings: "") { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0])], as: "before.plist")
      try await daemon.says("Finished list 'before'")
      #expect(bench.origin.requests().isEmpty)
      try bench.settings(
        "[Inbox]\nQuietTime=1s\n[Download]\nAllowNetworks=127.0.0.0/8\n[Filter]\nWorkers=1\n")
      let end = try await bench.reload()
      #expect(end.code == 0, "\(end)")
      #expect(end.errors.contains("QuietTime takes effect at the next start"), "\(end)")
      #expect(!end.errors.contains("AllowNetworks"))
      try await bench.drop([("One", urls[0])], as: "after.plist")
      #expect(try await bench.wait(for: "after", daemon).code == 0)
    }
  }

  @Test func `a reload of bad settings fails, and the old ones stay in force`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try bench.settings("[Download]\nAllowNetworks=\n[Filter]\nWrokers=1\n")
      let end = try await bench.reload()
      #expect(end.code == 78, "\(end)")
      #expect(end.errors.contains("darkroomd.conf:4: "), "\(end)")
      #expect(end.errors.contains("did you mean 'Workers'?"), "\(end)")
      let asked = try await bench.tool("reload")
      #expect(asked.code == 1 && asked.errors.contains("darkroomd.conf:4: "), "\(asked)")
      try await daemon.says("the old settings stay in force")
      try await bench.drop([("One", urls[0])], as: "one.plist")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
    }
  }

  @Test func `photos of a folder that is not there wait, and go on when it appears`() async throws {
    try await DaemonBench.use { bench in
      let photos = "\(bench.folder.path)/nas"
      try bench.settings(
        DaemonBench.settings.replacing("[Download]", with: "[Download]\nFileFolders=\(photos)"))
      let daemon = try await bench.start()
      try bench.dropSeen([("Far", "file://\(photos)/far.jpg")], as: "far.plist", daemon)
      try await daemon.says("\(photos) cannot be opened: no such file or directory")
      try await bench.until("the status names it") {
        try await bench.tool("status").output.contains("\(photos) cannot be opened")
      }
      #expect(try await bench.show("far").photos.map(\.state) == ["new"])
      try bench.folder.write(SamplePictures.jpeg(width: 24, height: 16, seed: 9), to: "nas/far.jpg")
      #expect(try await bench.wait(for: "far", daemon).code == 0)
      #expect(try await bench.show("far").photos.map(\.state) == ["filtered"])
      #expect(try await bench.stop(daemon).code == 0)
    }
  }

  @Test func `a reload names the file that cannot be read and the folder that cannot be opened`()
    async throws
  {
    try await DaemonBench.use { bench in
      _ = try await bench.start()
      let more = "root/darkroomd.conf.d/x.conf"
      try bench.folder.write(Array("[Download]\nFileFolders=/nonexistent/x\n".utf8), to: more)
      let folder = try await bench.reload()
      #expect(folder.code == 0, "\(folder)")
      #expect(folder.errors.contains("the folder /nonexistent/x of FileFolders= "), "\(folder)")
      try FileManager.default.removeItem(atPath: "\(bench.folder.path)/\(more)")
      try bench.folder.write([], to: "\(more)/file")
      let file = try await bench.reload()
      #expect(file.code == 78, "\(file)")
      #expect(
        file.errors.contains("darkroomd.conf.d/x.conf: could not read it: is a directory"),
        "\(file)")
    }
  }

  @Test func `SIGHUP reloads the settings, and bad ones do not end the daemon`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try bench.settings("[Nonsense]\n")
      daemon.send(SIGHUP)
      try await daemon.says("Could not reload the settings: ")
      try bench.settings(DaemonBench.settings + "[Filter]\nMaximumPixels=1000000\n")
      daemon.send(SIGHUP)
      try await daemon.says("Reloaded the settings: MaximumPixels changed.")
      try bench.serve(SamplePictures.jpeg(width: 1001, height: 1000), as: "large.jpg")
      try await bench.drop([("Large", bench.origin.url("/large.jpg"))], as: "large.plist")
      #expect(try await bench.wait(for: "large", daemon).code == 1)
      #expect(try await bench.show("large").photos.map(\.code) == ["picture.pixels"])
    }
  }

  @Test func `a reload without a daemon fails`() async throws {
    try await DaemonBench.use { bench in
      let end = try await bench.reload()
      #expect(end.code == 75 && end.errors.contains("not running"), "\(end)")
    }
  }

  @Test func `a list keeps the filter it was accepted with`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      try await bench.drop([("1", url + "?gate=g")], as: "one.plist")
      await bench.origin.arrivals(at: "g")
      try bench.settings(DaemonBench.settings + "[Filter]\nFilter=sepia(0.1)\n")
      #expect(try await bench.reload().code == 0)
      await bench.origin.release("g")
      #expect(try await bench.wait(for: "one", daemon).code == 0)
      let end = try await bench.tool(
        "develop", "-o", bench.root, "\(bench.folder.path)/photos/1.jpg")
      #expect(end.code == 0)
      #expect(bench.bytes("prints/one/1.jpg") == bench.bytes("1.jpg"))
    }
  }
}
