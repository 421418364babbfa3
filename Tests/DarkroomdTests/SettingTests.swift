// SPDX-License-Identifier: Apache-2.0
// The settings file, line by line, and the values in it.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SettingTests {
  private func read(_ text: String) throws(Failure) -> Settings {
    var (settings, origins) = (Settings(), SettingOrigins())
    try ConfigurationFile.apply(Array(text.utf8), from: "test.conf", to: &settings, &origins)
    return settings
  }

  @Test(
    arguments: [
      "", "\n\n", "# a comment\n; another\n", "[Inbox]\n", "  [Inbox]  \n", "[ Inbox ]\n",
      "[Inbox]\r\nQuietTime=5s\r\n", "[Inbox]\nQuietTime = 5s", "[Inbox]\n\tQuietTime=5s\t\n",
      "[Inbox]\n# QuietTime=9s\n", "[Inbox]\nQuietTime=9s\nQuietTime=5s\n",
      "[Inbox]\nQuietTime=9s\n[Filter]\n[Inbox]\nQuietTime=5s\n",
    ])
  func `a file that sets only defaults leaves the defaults`(text: String) throws {
    #expect(try read(text) == Settings())
  }

  @Test(
    arguments: [
      ("QuietTime=1s\n", 1, "a [SECTION] must come before the first key"),
      ("[Inbox]\nQuietTime\n", 2, "expected KEY=VALUE, [SECTION] or a comment"),
      (
        "[Inbox]\nQuitTime=1s\n", 2,
        "there is no setting 'QuitTime' in [Inbox] (did you mean 'QuietTime'?)"
      ),
      ("[Inbox]\nxyzzy=1s\n", 2, "there is no setting 'xyzzy' in [Inbox]"),
      (
        "[Inbox]\nquiettime=1s\n", 2,
        "there is no setting 'quiettime' in [Inbox] (did you mean 'QuietTime'?)"
      ),
      ("[Inbox]\n\n=1s\n", 3, "there is no setting '' in [Inbox]"),
      ("[Inbox\n", 1, "there is no section [Inbox"),
      ("[]\n", 1, "there is no section []"),
      ("[inbox]\n", 1, "there is no section [inbox] (did you mean 'Inbox'?)"),
      ("[Inbox]\nWorkers=1\n", 2, "'Workers' belongs to [Filter], not to [Inbox]"),
      ("[Filter]\nWorkers=many\n", 2, "expected a whole number from 1 to 256, not 'many'"),
      ("[Record]\nSync=maybe\n", 2, "expected yes or no, not 'maybe'"),
      ("[Inbox]\nQuietTime=1ms\n", 2, "expected a time from 250ms to 1h, not '1ms'"),
      ("[Download]\nMaximumSize=17G\n", 2, "expected a size from 1K to 16G, not '17G'"),
      (
        "[Download]\nFileFolders=photos\n", 2,
        "a folder is written as a full path without '..', not 'photos'"
      ),
      (
        "[Download]\nFileFolders=/a/../b\n", 2,
        "a folder is written as a full path without '..', not '/a/../b'"
      ),
      (
        "[Network]\nProxy=proxy.example:3128\n", 2,
        "a proxy is written as http://proxy.example:3128, with https:// or socks5h:// for other kinds"
      ),
      (
        "[Network]\nProxy=http://proxy.example\n", 2,
        "a proxy is a host and a port, as http://proxy.example:3128"
      ),
      (
        "[Network]\nProxy=socks5://proxy.example:1080\n", 2,
        "a proxy begins with http://, https:// or socks5h://, not with 'socks5://'; with socks5h://"
      ),
      (
        "[Network]\nProxy=http://anna:geheim@proxy.example:3128\n", 2,
        "a proxy is written without user and password: these belong in the credential 'proxy'"
      ),
      (
        "[Network]\nNoProxy=example.org:80\n", 2,
        "a host without a proxy is written as example.org, 192.168.1.5 or 192.168.0.0/16, not"
      ),
      (
        "[Network]\nContact=a b\n", 2,
        "a contact is a URL or a mail address of at most 200 bytes, without spaces and brackets"
      ),
      (
        "[Cluster]\nBlobs=https://s3.example.org\n", 2,
        "a store is written as https://HOST/BUCKET or https://HOST/BUCKET/PREFIX"
      ),
      ("[Cluster]\nBlobs=photos\n", 2, "expected a full path without '..', not 'photos'"),
      (
        "[Cluster]\nBlobRegion=eu central\n", 2,
        "a region has a name of at most 64 letters, digits and dashes, not 'eu central'"
      ),
    ])
  func `an error comes with its line and what to write`(
    text: String, line: Int, problem: String
  ) {
    let error = #expect(throws: Failure.self) { try read(text) }
    let words = error?.reason ?? ""
    #expect(words.hasPrefix("test.conf:\(line): \(problem)"), "\(words)")
  }

  @Test func `a byte order mark at the beginning of a file is not a part of its first line`() throws
  {
    let mark = "\u{FEFF}"
    #expect(try read("\(mark)[Filter]\nWorkers=3\n").filter.workers == 3)
    #expect(try read("\(mark)# a comment\r\n[Filter]\r\nWorkers=3\r\n").filter.workers == 3)
    #expect(try read(mark) == Settings())
    for text in ["\(mark)\(mark)[Filter]\n", "\n\(mark)[Filter]\n"] {
      #expect(throws: Failure.self) { try read(text) }
    }
  }

  @Test func `a file with one wrong line is refused`() {
    #expect(throws: Failure.self) { try read("[Filter]\nWorkers=3\nWorkers=x\n") }
  }

  @Test func `bytes that are not text, and files that are too long, are refused`() {
    var (settings, origins) = (Settings(), SettingOrigins())
    let cases: [([UInt8], String)] = [
      ([0x5B, 0xFF, 0x5D], "it is not UTF-8 text"),
      ([UInt8](repeating: 0x0A, count: ConfigurationFile.longest + 1), "it is longer than 1 MiB"),
    ]
    for (bytes, problem) in cases {
      #expect(throws: ConfigurationFile.wrong("f", problem)) {
        try ConfigurationFile.apply(bytes, from: "f", to: &settings, &origins)
      }
    }
  }

  @Test func `control characters in a file do not reach the terminal`() {
    for text in [
      "[Inbox]\n\u{1B}[2J=1\n", "[\u{1B}[2J]\n", "[Inbox]\nQuietTime=\u{1B}[2J\n",
      "[Filter]\nFilter=\u{1B}(1)\n", "[Download]\nFileFolders=\u{1B}x\n",
    ] {
      let error = #expect(throws: Failure.self) { try read(text) }
      #expect(error?.reason.contains("\u{1B}") == false, "\(text)")
    }
  }

  @Test func `lists of words add up, and an empty value clears them`() throws {
    let some = try read("[Download]\nAllowNetworks=10.0.0.0/8 127.0.0.1\nAllowNetworks=::1\n")
    let networks = ["10.0.0.0/8", "127.0.0.1/32", "::1/128"]
    #expect(some.download.allowNetworks.map(\.description) == networks)
    let none = try read("[Download]\nDenyNetworks=10.0.0.0/8\nDenyNetworks=\n")
    #expect(none.download.denyNetworks.isEmpty)
    let last = try read("[Download]\nFileFolders=/a\nFileFolders=\nFileFolders=/b /c\n")
    #expect(last.download.fileFolders == ["/b", "/c"])
  }

  @Test(arguments: SettingEntry.all.map(\.key))
  func `the documented default is the built-in default`(key: String) throws {
    for entry in SettingEntry.all where entry.key == key {
      let settings = try read("[\(entry.section)]\n\(entry.key)=\(entry.standard)\n")
      #expect(settings == Settings(), "\(entry.section) \(key)")
    }
  }

  @Test func `every value of a section is a setting of that section`() {
    // The shares come from the process's limit, certificates and logins from files of their own.
    for section in Mirror(reflecting: Settings()).children
    where !(section.value is FileShares) && !(section.value is NetworkFiles) {
      let entries = SettingEntry.all.filter { $0.section.lowercased() == section.label }
      #expect(entries.count == Mirror(reflecting: section.value).children.count)
    }
  }

  @Test func `no setting exists twice, and every name consists of letters`() {
    let names = SettingEntry.all.map { "\($0.section) \($0.key)" }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0 == " ") } })
  }
}

@Suite struct SettingsFileTests {
  /// The message, without the folder of the test.
  private func problem(_ place: FreshFolder) -> String {
    do throws(Failure) {
      _ = try ConfigurationFile(path: "\(place.path)/test.conf", isNamed: false).read()
      return "none"
    } catch { return error.reason.replacing("\(place.path)/", with: "") }
  }

  @Test(arguments: ["test.conf", "test.conf.d/a.conf"])
  func `the error names the settings file that cannot be read`(name: String) async throws {
    let folders = try FreshFolder()
    try folders.write([], to: "\(name)/file")
    #expect(problem(folders) == "\(name): could not read it: is a directory")
    let pipes = try FreshFolder()
    try pipes.write(Array("[Inbox]\n".utf8), to: "test.conf.d/0.conf")
    try #require(await HelperProcess.status(of: ["mkfifo", "\(pipes.path)/\(name)"]) == 0)
    #expect(
      problem(pipes) == "\(name): could not read it: it is a pipe, a socket or a device")
    let links = try FreshFolder()
    try links.write([], to: "test.conf.d/0.conf")
    try links.link(name, to: "elsewhere")
    #expect(
      problem(links)
        == "\(name): could not read it: it is a symbolic link, and the file to which it leads is missing"
    )
    let long = try FreshFolder()
    try long.write([UInt8](repeating: 0x0A, count: ConfigurationFile.longest + 1), to: name)
    #expect(problem(long).hasSuffix("\(name): it is longer than 1 MiB"))
    let closed = try FreshFolder()
    try closed.write([], to: name)
    FaultPlan.set(.init("openat", on: "\(closed.path)/\(name)", code: 13), for: closed.path)
    defer { FaultPlan.set(nil, for: closed.path) }
    #expect(problem(closed) == "\(name): could not read it: permission denied")
  }

  @Test func `a link to a file that only its owner may change is read, and /dev/null is empty`()
    throws
  {
    let (place, elsewhere) = (try FreshFolder(), try FreshFolder())
    try elsewhere.write(Array("[Output]\nPreviews=no\nDownload\n".utf8), to: "more")
    try elsewhere.write(Array("[Record]\nKeepLists=9d\n".utf8), to: "good")
    try place.link("test.conf", to: "\(elsewhere.path)/good")
    try place.write([], to: "test.conf.d/0.conf")
    try place.link("test.conf.d/1.conf", to: "/dev/null")
    let read = try ConfigurationFile(path: "\(place.path)/test.conf", isNamed: true).read()
    #expect(read.settings.record.keepLists == .seconds(9 * 86_400))
    #expect(read.origins.place(of: "KeepLists")?.file == "\(place.path)/test.conf")
    try place.link("test.conf.d/2.conf", to: "\(elsewhere.path)/more")
    #expect(problem(place).hasPrefix("test.conf.d/2.conf:"), "an error names the link")
    try elsewhere.folder.setMode(0o664, of: FileName(literal: "more"))
    #expect(problem(place).contains("it is a symbolic link, and users other than root may change"))
    try place.link("test.conf.d/1a.conf", to: elsewhere.path)
    #expect(problem(place).contains("it is a symbolic link, and does not lead to a regular file"))
  }

  @Test(arguments: [
    (0, 0o644, true), (1000, 0o600, true), (0, 0o664, false), (0, 0o646, false),
    (1001, 0o644, false), (1001, 0o444, false),
  ])
  func `a link to a file of others is not followed`(owner: UInt32, mode: UInt32, isRead: Bool) {
    let status = FileStatus(
      kind: .file, device: 1, inode: 1, size: 1, owner: owner, mode: 0o100_000 | mode, modified: 0,
      changed: 0)
    #expect((SettingsLink.problem(with: status, keepers: [0, 1000]) == nil) == isRead)
  }

  @Test(arguments: [
    ("node-7.example", nil), ("", "this machine has no name: set Node="),
    ("b\u{e4}rn", "the name of this machine, 'b\u{e4}rn', and a node has a name of at most 64"),
    ("a b", "set Node="), (String(repeating: "x", count: 65), "set Node="),
  ])
  func `Node=auto takes no name that Node= forbids`(host: String, words: String?) throws {
    var cluster = Settings().cluster
    #expect(cluster.node == nil)
    guard let words else { return #expect(try NodeName.find(cluster, on: host) == host) }
    let problem = #expect(throws: TextProblem.self) { try NodeName.find(cluster, on: host) }
    #expect(problem?.description.contains(words) == true)
    cluster.node = "other"
    #expect(try NodeName.find(cluster, on: host) == "other")
  }

  @Test func `a ledger that libpq does not understand is refused with its line`() throws {
    let place = try FreshFolder()
    let text = "[Cluster]\nLedger=host=db no_option=x\nBlobs=/srv/darkroom\n"
    try place.write(Array(text.utf8), to: "test.conf")
    let file = ConfigurationFile(path: "\(place.path)/test.conf", isNamed: true)
    let error = #expect(throws: Failure.self) { try file.readChecked() }
    #expect(
      error?.reason.hasSuffix(
        #":2: libpq does not understand Ledger=: invalid connection option "no_option""#) == true)
  }

  @Test func `the error names a file in place of the folder beside the settings`()
    throws
  {
    let place = try FreshFolder()
    try place.write([], to: "test.conf.d")
    #expect(problem(place) == "test.conf.d: could not read it: not a directory")
  }
}

@Suite struct SettingFormTests {
  @Test(arguments: [("0", 0), ("7", 7), ("007", 7), ("100", 100)])
  func `a whole number within its bounds is read`(text: String, value: Int) throws {
    #expect(try SettingForm<Int>.count(from: 0, to: 100).read(text) == value)
  }

  @Test(arguments: ["", "-1", "101", "1.5", "x", "1 2", "0x10", "99999999999999999999", "１"])
  func `any other number is refused`(text: String) {
    #expect(throws: TextProblem.self) { try SettingForm<Int>.count(from: 0, to: 100).read(text) }
  }

  @Test(
    arguments: [
      ("0", 0), ("0M", 0), ("1K", 1 << 10), ("64M", 64 << 20), ("1G", 1 << 30), ("2T", 2 << 40),
    ] as [(String, UInt64)])
  func `sizes have letters for powers of 1024`(text: String, value: UInt64) throws {
    #expect(try SettingForm.size("Cache", from: 0, to: 1 << 42).read(text) == value)
  }

  @Test(
    arguments: [
      "", "K", "1k", "1KB", "1 K", "-1K", "1.5M", "0", "0K", "5T", "99999999999999999999",
      "20000000T",
    ])
  func `any other size is refused, and none overflows`(text: String) {
    #expect(throws: TextProblem.self) {
      try SettingForm.size("Cache", from: 1024, to: 1 << 42).read(text)
    }
  }

  @Test(
    arguments: [
      ("MaximumSize", "2000", "; write 2000M for 2000 MiB"),
      ("MaximumSize", "67108864", "; write 64M for 67108864 bytes"),
      ("MaximumSize", "70000000", "; write 68360K for 70000000 bytes"),
      ("MaximumSize", "99999999999999", "; a size is written as 64K, 64M or 1G"),
      ("Cache", "20", "; write 20M for 20 MiB"), ("FreeSpace", "512", "; write 512M for 512 MiB"),
    ])
  func `a size needs a unit, because all photos would fail at some bytes`(
    key: String, text: String, advice: String
  ) throws {
    #expect(try problem(of: key, text) == "\(key)=\(text) has no unit\(advice)")
  }

  @Test func `a number of megapixels is no number of pixels`() throws {
    #expect(
      try problem(of: "MaximumPixels", "12")
        == "MaximumPixels=12 counts pixels, and at least 1000000 must be allowed; "
        + "write 12000000 for 12 megapixels")
    #expect(
      try problem(of: "MaximumPixels", "0")
        == "expected a whole number from 1000000 to 4000000000, not '0'")
    #expect(try problem(of: "MaximumPixels", "1000000").isEmpty)
  }

  /// The words for the author of the file; empty if there are none.
  private func problem(of key: String, _ text: String) throws -> String {
    var settings = Settings()
    let entry = try #require(SettingEntry.all.first { $0.key == key })
    do throws(TextProblem) { try entry.apply(&settings, text) } catch { return error.description }
    return ""
  }

  @Test(
    arguments: [
      ("250ms", .milliseconds(250)), ("5s", .seconds(5)), ("5", .seconds(5)),
      ("1min 30s", .seconds(90)), ("2min", .seconds(120)), ("1h", .seconds(3600)),
      ("1d", .seconds(86400)), ("1h  1s", .seconds(3601)), ("0", .zero),
    ] as [(String, Duration)])
  func `times have units and add up`(text: String, value: Duration) throws {
    #expect(try SettingForm.duration(from: .zero, to: .seconds(86400)).read(text) == value)
  }

  @Test(
    arguments: [
      "", "s", "5 s", "-5s", "5sec", "1.5s", "5us", "1000000000s", "2d", "9999999999h", "５s",
    ])
  func `any other time is refused, and none overflows`(text: String) {
    #expect(throws: TextProblem.self) {
      try SettingForm.duration(from: .zero, to: .seconds(86400)).read(text)
    }
  }

  @Test(
    arguments: [
      ("KeepPrints", "30", "KeepPrints=30 has no unit; write 30d for 30 days"),
      ("KeepPrints", "1", "KeepPrints=1 has no unit; write 1d for 1 day"),
      ("KeepLists", "1d 12", "KeepLists=1d 12 has no unit; write 12d for 12 days"),
      (
        "KeepLists", "month",
        "expected a time with its unit (s, min, h, d), from 1s to 3650d, not 'month'"
      ),
      ("KeepLists", "0", "expected a time with its unit (s, min, h, d), from 1s to 3650d, not '0'"),
      ("KeepPrints", "0", "\(noPrints)'0'"), ("KeepPrints", "0d", "\(noPrints)'0d'"),
      ("KeepPrints", "never", "\(noPrints)'never'"), ("KeepPrints", "", "\(noPrints)''"),
      ("KeepPrints", "4000d", "\(noPrints)'4000d'"),
    ])
  func `a setting by which files are removed needs a unit`(key: String, text: String, words: String)
    throws
  {
    var settings = Settings()
    let entry = try #require(SettingEntry.all.first { $0.key == key })
    let problem = #expect(throws: TextProblem.self) { try entry.apply(&settings, text) }
    #expect(problem?.description == words)
    try entry.apply(&settings, "30d")
    #expect(settings.record.keepLists == .seconds(30 * 86_400))
  }

  @Test(
    arguments: [
      ("yes", true), ("true", true), ("on", true), ("1", true), ("YES", true), ("no", false),
      ("false", false), ("off", false), ("0", false), ("No", false),
    ])
  func `yes and no are read in the words that systemd takes`(text: String, value: Bool) throws {
    #expect(try SettingForm.yesOrNo.read(text) == value)
  }

  @Test(arguments: ["", "y", "2", "ja", "yes yes"])
  func `any other word for yes or no is refused`(text: String) {
    #expect(throws: TextProblem.self) { try SettingForm.yesOrNo.read(text) }
  }
}

private let noPrints =
  "expected a time with its unit (s, min, h, d), from 1s to 3650d, or infinity, which keeps all prints, not "

@Suite struct SettingChangeTests {
  @Test func `every setting that changes is named, by the name in the file`() throws {
    // Values that differ from every default.
    let other = [
      "QuietTime": "9s", "MaximumListSize": "9M", "RescanInterval": "9s", "Connections": "9",
      "ConnectionsPerHost": "9", "AllowNetworks": "127.0.0.1", "DenyNetworks": "127.0.0.1",
      "FileFolders": "/a", "MaximumSize": "9M", "Timeout": "9s", "ConnectTimeout": "9s",
      "StallTimeout": "9s",
      "Attempts": "9", "Cache": "9M", "HostPatience": "9min", "FreeSpace": "9M",
      "Filter": "sepia(0.9)", "Workers": "9", "MaximumPixels": "9000000",
      "MaximumMemory": "99M", "Thumbnails": "480", "ContactSheet": "no", "Sync": "no",
      "KeepLists": "9s", "KeepPrints": "9s", "Progress": "9s",
      "Transitions": "yes",
      "Quality": "90", "Metadata": "strip", "PrivatePrints": "yes", "MaximumLists": "9",
      "MaximumPhotos": "9", "ListsPerUser": "9",
      "Pictures": "no", "OnFinished": "/bin/a", "OnFailed": "/bin/a",
      "Webhooks": "http://h/a", "WebhookTimeout": "9s",
      "Proxy": "http://proxy.example:3128", "NoProxy": "example.org",
      "CertificateAuthorities": "/a", "Contact": "https://example.org/",
      "Ledger": "host=db", "LedgerPassword": "ledger", "Node": "alpha", "LeaseTime": "9s",
      "Chunk": "9", "Blobs": "/a", "BlobRegion": "eu-central-1", "BlobCredentials": "store",
    ]
    for entry in SettingEntry.all {
      var settings = Settings()
      try entry.apply(&settings, try #require(other[entry.key], "\(entry.key) is new"))
      #expect(settings != Settings(), "\(entry.key)")
      let changes = SettingChanges(from: Settings(), to: settings)
      #expect(changes.all == [entry.key])
      #expect(changes.waiting == (entry.waits ? [entry.key] : []))
    }
    #expect(SettingChanges(from: Settings(), to: Settings()).all.isEmpty)
  }

  @Test func `a key that exists in two sections is named once`() {
    var settings = Settings()
    settings.download.timeout = .seconds(9)
    settings.filter.timeout = .seconds(9)
    #expect(SettingChanges(from: Settings(), to: settings).all == ["Timeout"])
  }
}
