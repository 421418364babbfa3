// SPDX-License-Identifier: Apache-2.0
// The way from a notice to its reader: order, overflow, flushes, and a journald that is slow or
// deaf.

import Linux
import Report
import Support
import Synchronization
import Systemd
import Testing
import Vocabulary

/// The outlet for lines in these tests. It can be held shut, like a journald that does not read.
private final class Outlet: Sendable {
  private struct State {
    var lines: [String] = []
    var isShut: Bool
    var isDeaf = false
  }

  private let state: Mutex<State>
  private let opened: WakeEvent
  let reached: WakeEvent

  init(isShut: Bool = false) throws {
    state = Mutex(State(isShut: isShut))
    opened = try WakeEvent()
    reached = try WakeEvent()
  }

  var lines: [String] { state.withLock { $0.lines } }

  func open() {
    state.withLock { $0.isShut = false }
    opened.ring()
  }

  func setDeaf(_ isDeaf: Bool) { state.withLock { $0.isDeaf = isDeaf } }

  var sink: ReportSink {
    .lines(.prefixed) { bytes in
      self.reached.ring()
      while self.state.withLock({ $0.isShut }) {
        _ = try? Poll.wait([Poll.Watch(self.opened.descriptor)], for: nil)
      }
      return self.state.withLock { state in
        if state.isDeaf { return false }
        state.lines.append(String(decoding: bytes.dropLast(), as: UTF8.self))
        return true
      }
    }
  }
}

@Suite struct ReporterTests {
  @Test func `notices are written in order, and a flush waits for all of them`() throws {
    let outlet = try Outlet()
    let reporter = try Reporter(sink: outlet.sink)
    try reporter.start()
    for count in 1...100 { reporter.report(.stopping(openLists: UInt64(count))) }
    #expect(reporter.flush(within: Patience.time))
    #expect(outlet.lines.count == 100)
    #expect(outlet.lines.first == "<5>Stopping: 1 list will continue at the next start.")
    #expect(outlet.lines.last == "<5>Stopping: 100 lists will continue at the next start.")
  }

  @Test func `single transitions are reported only at the debug level`() throws {
    for (level, count) in [(Priority.info, 0), (.debug, 1)] {
      let outlet = try Outlet()
      let reporter = try Reporter(sink: outlet.sink, level: level)
      try reporter.start()
      reporter.report(.transition(Samples.finished))
      #expect(reporter.flush(within: Patience.time))
      #expect(outlet.lines.count == count)
    }
  }

  @Test func `the writer looks up the name of each user once`() throws {
    let asked = Mutex<[UInt32]>([])
    let outlet = try Outlet()
    let reporter = try Reporter(sink: outlet.sink) { user in
      asked.withLock { $0.append(user) }
      return user == 0 ? "root" : nil
    }
    try reporter.start()
    for user in [0, 7, 0, 7] as [UInt32] { reporter.report(.cacheCleared(by: Person(user))) }
    #expect(reporter.flush(within: Patience.time))
    #expect(
      outlet.lines.suffix(2) == [
        "<5>Emptied the cache (root).", "<5>Emptied the cache (user 7).",
      ])
    #expect(asked.withLock { $0 } == [0, 7])
  }

  @Test func `without a reader reporting never waits, and lost notices are counted`() throws {
    let outlet = try Outlet(isShut: true)
    let reporter = try Reporter(sink: outlet.sink, capacity: 16)
    try reporter.start()
    reporter.report(.stopping(openLists: 1))
    _ = try Poll.wait([Poll.Watch(outlet.reached.descriptor)], for: Patience.time)
    // The writer is stuck with the first line. 14 more fit; after them only trouble fits, twice.
    for _ in 0..<114 { reporter.report(.stopping(openLists: 2)) }
    for _ in 0..<3 { reporter.report(.machineTrouble(Samples.full, waits: "prints wait")) }
    #expect(!reporter.flush(within: .milliseconds(1)))
    outlet.open()
    #expect(reporter.flush(within: Patience.time))
    #expect(outlet.lines.count == 1 + 14 + 2 + 1)
    #expect(
      outlet.lines.last?.hasPrefix(
        "<4>Left out 101 messages here, because they came faster than they could be written;")
        == true)
  }

  @Test func `undelivered notices are counted, and the count is reported later`() throws {
    let outlet = try Outlet()
    let reporter = try Reporter(sink: outlet.sink)
    try reporter.start()
    outlet.setDeaf(true)
    reporter.report(.stopping(openLists: 1))
    reporter.report(.stopping(openLists: 2))
    #expect(reporter.flush(within: Patience.time))
    outlet.setDeaf(false)
    reporter.report(.stopping(openLists: 3))
    #expect(reporter.flush(within: Patience.time))
    #expect(outlet.lines.count == 2)
    #expect(
      outlet.lines.last?.hasPrefix(
        "<4>Left out 2 messages here, because the log did not take them;") == true)
  }

  @Test func `a flush with nothing to write returns at once`() throws {
    #expect(try Reporter(sink: Outlet().sink).flush(within: .zero))
  }

  @Test func `a record in journald has priority, number, name and fields beside the words`() throws
  {
    let told = Mutex<[JournalEntry]>([])
    let sink = ReportSink.journald { entry in
      told.withLock { $0.append(entry) }
      return true
    }
    let reporter = try Reporter(sink: sink)
    try reporter.start()
    reporter.report(.listFinished(Samples.list))
    #expect(reporter.flush(within: Patience.time))
    var entry = JournalEntry()
    entry.add("MESSAGE", "Finished list 'holiday': 45 of 120 photos filtered, 2 failed.")
    entry.add("PRIORITY", "5")
    entry.add("MESSAGE_ID", "907b8b5cc6cd4a45946dea8ebfe8a20c")
    entry.add("SYSLOG_IDENTIFIER", "darkroomd")
    entry.add("LIST_ID", "17")
    entry.add("LIST_NAME", "holiday")
    entry.add("LIST_TOTAL", "120")
    entry.add("LIST_DONE", "45")
    entry.add("LIST_FAILED", "2")
    entry.add("QOS", "utility")
    entry.add("OWNER_UID", "")
    entry.add("OWNER_NAME", "")
    #expect(told.withLock { $0 } == [entry])
  }

  @Test(.enabled("needs the right to mount") { DaemonBench.mayMount })
  func `a journald that does not read holds up its thread alone, and is told what it missed`()
    async throws
  {
    let journal = try OwnJournal()
    let listener = try journal.listen()
    try await journal.run {
      guard case .journald(let send) = ReportSink.choose(environment: Self.stream) else {
        throw ProgramProblem("the sink is not journald")
      }
      let begun = try WakeEvent()
      let reporter = try Reporter(
        sink: .journald { entry in
          begun.ring()
          return send(entry)
        }, capacity: 16)
      try reporter.start()
      // More than the queues of the socket and the reporter hold, so that the thread waits in libsystemd.
      let most = 4096 + 16
      for count in 0..<most { reporter.report(.stopping(openLists: UInt64(count))) }
      _ = try Poll.wait([Poll.Watch(begun.descriptor)], for: Patience.time)
      #expect(!reporter.flush(within: .milliseconds(10)), "an end of the daemon does not wait")
      var (heard, missed) = (0, 0)
      while heard + missed < most {
        let text = try #require(try listener.next()).text
        if let count = text.firstMatch(of: /RECORDS_COALESCED=(\d+)/) {
          missed += Int(count.1) ?? 0
        } else {
          heard += 1
        }
      }
      #expect(heard + missed == most && missed > 0)
      #expect(reporter.flush(within: Patience.time))
    }
  }

  /// As systemd sets it, with this process's standard error as the stream.
  private static var stream: [String: String] {
    guard let status = try? StandardStream.error.status() else { return [:] }
    return ["JOURNAL_STREAM": "\(status.device):\(status.inode)"]
  }
}

@Suite struct LineStyleTests {
  @Test(
    "the outlet decides the style of lines, unless an option does",
    arguments: [
      (nil, true, false, [:], .prefixed), (nil, true, true, [:], .prefixed),
      (nil, false, true, [:], .coloured), (nil, false, true, ["NO_COLOR": "1"], .plain),
      (nil, false, true, ["NO_COLOR": ""], .coloured), (nil, false, true, ["TERM": "dumb"], .plain),
      (nil, false, false, [:], .plain), (.prefixed, false, true, [:], .prefixed),
    ] as [(LineStyle?, Bool, Bool, [String: String], LineStyle)])
  func choice(
    asked: LineStyle?, isStream: Bool, isTerminal: Bool, environment: [String: String],
    style: LineStyle
  ) {
    #expect(
      LineStyle.choose(
        asked: asked, isJournalStream: isStream, isTerminal: isTerminal, environment: environment)
        == style)
  }

  @Test(
    "a line shows its priority",
    arguments: [
      (.prefixed, .fileIgnored(name: "x", reason: "y"), "<5>Ignored 'x' in the inbox: y.\n"),
      (.plain, .fileIgnored(name: "x", reason: "y"), "Ignored 'x' in the inbox: y.\n"),
      (
        .plain, .inboxDegraded(Samples.full, rescan: .seconds(1)),
        "warning: The inbox is in trouble: no space left on device; looking again every 1 s.\n"
      ),
      (.coloured, .stopping(openLists: 0), "\u{1B}[1mStopping: every list is done.\u{1B}[0m\n"),
    ] as [(LineStyle, Notice, String)])
  func lines(style: LineStyle, notice: Notice, line: String) {
    #expect(String(decoding: style.line(notice.message), as: UTF8.self) == line)
  }

  @Test func `outside of systemd the lines go to standard error`() {
    guard case .lines(.prefixed, _) = ReportSink.choose(environment: [:], asked: .prefixed) else {
      Issue.record("not lines")
      return
    }
  }
}
