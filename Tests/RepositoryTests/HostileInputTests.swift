// SPDX-License-Identifier: Apache-2.0
// The incidents that may hit a watched folder, in groups, with the tests of each. The table is
// checked: every test that it names exists.

import Support
import Testing

@Suite struct HostileInputTests {
  struct Group: Sendable, CustomTestStringConvertible {
    let number: Int
    let what: String
    /// A file below Tests, and the name of a test in it, or a part of one, or a row.
    let tests: [(file: String, name: String)]

    var testDescription: String { "\(number) \(what)" }

    init(_ number: Int, _ what: String, _ tests: (String, String)...) {
      (self.number, self.what) = (number, what)
      self.tests = tests.map { (file: $0.0, name: $0.1) }
    }
  }

  private static let inbox = "AcceptTests/InboxTests.swift"
  private static let arrival = "AcceptTests/ArrivalTests.swift"
  private static let dropping = "DaemonTests/DroppingTests.swift"
  private static let lost = "AcceptTests/LostInboxTests.swift"
  private static let mounted = "DaemonTests/MountedInboxTests.swift"
  private static let kernel = "AcceptTests/KernelTroubleTests.swift"
  private static let binary = "CatalogTests/BinaryTests.swift"
  private static let damage = "CatalogTests/DamageTests.swift"
  private static let refusal = "CatalogTests/RefusalTests.swift"
  private static let form = "CatalogTests/FormTests.swift"
  private static let encoding = "CatalogTests/EncodingTests.swift"

  static let arrivals = [
    Group(1, "a slow cp", (inbox, "slowWriter"), (dropping, "dd, a block at a time")),
    Group(2, "mv", (inbox, #"Arrival("mv")"#), (dropping, #""mv""#)),
    Group(3, "mv from another file system", (dropping, "mv from another file system")),
    Group(4, "a hard link", (inbox, #"Arrival("ln")"#), (dropping, #""ln""#)),
    Group(5, "O_TMPFILE, linkat, then more", (arrival, "writtenAfterLink")),
    Group(6, "symbolic links", (inbox, "notFiles")),
    Group(7, "FIFO, socket, device, folder", (inbox, "notFiles"), (arrival, "oddThings")),
    Group(8, "renamed in while it is written", (inbox, "renamedWhileOpen")),
    Group(
      9, "held open idle", (inbox, "slowWriter"),
      ("AcceptTests/InboxStateTests.swift", "writerBackOff")),
    Group(10, "a mapping that can write", (inbox, "mappedWriter")),
    Group(11, "open, append, close, five times", (arrival, "five times, a second apart")),
    Group(12, "touch, filled later", (arrival, "touch, and the contents")),
    Group(13, "its size first, its bytes later", (arrival, "fallocate to its full size")),
    Group(14, "a sparse terabyte", (inbox, "huge")),
    Group(15, "two names exchanged", (arrival, "exchanged")),
    Group(16, "editors", (dropping, #""vim""#), (dropping, "sed -i"), (arrival, "swap, backup")),
    Group(17, "rsync", (dropping, "rsync --inplace"), (dropping, "rsync killed half-way")),
    Group(18, "sftp aborted and again", (arrival, "sftp that is aborted"), (dropping, #""sftp""#)),
    Group(19, "a browser's part file", (arrival, "a browser's part file"), (inbox, "settle()")),
    Group(20, "mode 000, later readable", (arrival, "install -m 000"), (inbox, "install -m 000")),
    Group(
      21, "somebody else's 0600",
      ("DaemonTests/UntilIdleTests.swift", "a file that may not be read"), (kernel, "told(")),
    Group(22, "chattr +i", (dropping, "chattr +i")),
    Group(23, "made and removed at once", (arrival, "briefly")),
    Group(24, "one name a thousand times", (arrival, "overAndOver")),
    Group(
      25, "more than the kernel queues, while stopped",
      ("CrashTests/InboxFloodTests.swift", "nine thousand lists")),
    Group(
      26, "junk beside one list", ("AcceptTests/InboxStateTests.swift", "junk"),
      ("../Benchmarks/latency.py", "JUNK")),
    Group(27, "dropped during the start", (arrival, "duringStart")),
    Group(28, "there before the start", (inbox, "presentBeforeStart"), (arrival, "half.plist")),
  ]

  static let namesAndContents = [
    Group(29, "names that are no UTF-8", (inbox, "names(")),
    Group(
      30, "twins by normalisation", (inbox, "names("),
      ("DaemonTests/RevisionTests.swift", "two names that look alike")),
    Group(
      31, "control characters, %s, -rf, spaces", (inbox, "names("), (arrival, "ending("),
      ("DaemonTests/NameTests.swift", "control characters")),
    Group(
      32, "255 bytes", (inbox, "names("),
      ("DaemonTests/NameTests.swift", "longest name that the kernel allows")),
    Group(33, "endings", (arrival, "ending(")),
    Group(
      34, "the binary bombs", ("EdgeTests/ListMemoryTests.swift", "kills other readers"),
      (binary, "unfolding")),
    Group(
      35, "binary lists that lie", (binary, "lies("), (damage, "flips()"), (damage, "cutBinary")),
    Group(
      36, "nested without end", (refusal, "depth()"), ("CatalogTests/MarkupTests.swift", "depth()")),
    Group(
      37, "entities and DTDs", ("CatalogTests/EntityTests.swift", "refused("),
      ("CatalogTests/EntityTests.swift", "laughs")),
    Group(38, "cut at every byte", (damage, "cutMarkup"), (damage, "cutBinary")),
    Group(39, "junk behind it, two in one", (refusal, "hasTrailing"), (binary, "trailing()")),
    Group(
      40, "other formats and encodings", (refusal, "format("), (refusal, "badText"),
      (encoding, "declared()"), (encoding, "byteOrderMark"), (encoding, "wide("),
      (encoding, "isBroken(")),
    Group(41, "no dictionary at the top", (refusal, "refused("), (binary, "isRefused")),
    Group(
      42, "keys", (form, "strangeName"), (form, "casing()"),
      ("CatalogTests/NameIndexTests.swift", "spellings")),
    Group(43, "values of other types", (form, "badEntry("), (binary, "badEntry(")),
    Group(
      44, "very many, very large",
      ("EdgeTests/ListMemoryTests.swift", "an honest list of many photos"), (form, "longValue"),
      (form, "strangeURL"), (refusal, "limits()")),
  ]

  static let machine = [
    Group(58, "the inbox removed, moved, replaced", (lost, "misfortune("), (lost, "adopted()")),
    Group(
      59, "mounted over, unmounted", (mounted, "something is mounted over it"),
      (mounted, "mounted anew without its mark"), (lost, "notElsewhere")),
    Group(
      60, "changed behind this kernel, and stalled", (mounted, "an inbox on FUSE is polled"),
      ("AcceptTests/InboxStateTests.swift", "shared()")),
    Group(61, "no room for a watch", (mounted, "cannot be watched is polled"), (kernel, "noWatch")),
    Group(
      62, "a full disk at each step", (dropping, "a disk that fills up at any step"),
      (kernel, "failingCall"), ("AcceptTests/ClaimTests.swift", "everyStep")),
    Group(
      63, "quota, read-only, EIO", (mounted, "mounted read-only"), (kernel, #"("renameat", 30)"#),
      (kernel, #"("pread", 5)"#), ("RecordTests/DiskTroubleTests.swift", "@Test")),
    Group(
      67, "clocks that jump", (arrival, "clockJumps"), (arrival, "a file dated 1970"),
      (arrival, "a file dated 2100")),
    Group(
      68, "two daemons", (lost, "twoOnOne"),
      ("DaemonTests/StartTests.swift", "a second daemon on the same root")),
    Group(
      69, "reload in a burst, stop at work", (dropping, "while the settings are reloaded"),
      ("DaemonTests/RestartTests.swift", "a stop during work"),
      ("DaemonTests/RestartTests.swift", "transfer that hangs")),
    Group(
      70, "done or failed gone or full", (dropping, "a removed done or failed folder"),
      ("ReturnTests/ReturnFolderTests.swift", "a copy that found no room")),
    Group(
      71, "our own files removed", ("DaemonTests/RestartTests.swift", "lost from the state folder"),
      ("DaemonTests/SteeringTests.swift", "removing the folder of prints")),
    Group(
      72, "writers who break leases", (dropping, "writers that open lists while they are read"),
      (inbox, "overwrittenWhileRead")),
  ]

  @Test(arguments: arrivals + namesAndContents + machine)
  func `every test that the table names exists`(_ group: Group) {
    for test in group.tests {
      let text = Repository.text("Tests/\(test.file)")
      #expect(text.contains(test.name), "\(test.file) has no '\(test.name)'")
    }
  }

  @Test func `no group is missing`() {
    let numbers = (Self.arrivals + Self.namesAndContents + Self.machine).map(\.number)
    #expect(numbers == Array(1...44) + Array(58...63) + Array(67...72))
  }
}
