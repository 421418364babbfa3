// SPDX-License-Identifier: Apache-2.0
// More lists dropped while the daemon is stopped than the kernel queues events for. Each list is accepted or accounted
// for.

import Foundation
import Support
import Testing

@Suite struct InboxFloodTests {
  private struct Account: Decodable {
    let files: [ShownFile]
    let more: Int
  }

  /// Two events each; the kernel queues 16,384 by default.
  private static let count = 9000

  /// True if the kernel queues fewer events than the two of each list, which it does by default.
  private static let losesCount =
    (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
    .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    .map { $0 < 2 * count } ?? true

  @Test func `of nine thousand lists dropped while the daemon is stopped none is lost`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nMaximumLists=100")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      let inbox = "\(bench.root)/inbox"
      // The daemon watches from here on.
      try await daemon.says("The inbox ")
      #expect(try await bench.tool("inbox").code == 0)
      try await daemon.halt()
      // Each list stays at work, since the origin never answers.
      let text = PhotoListText.dictionary([("One", bench.origin.url("/hang?gate=never"))])
      for number in 1...Self.count {
        let file = unsafe open("\(inbox)/\(number).plist", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        let count = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        #expect(count == text.count)
        close(file)
      }
      daemon.send(SIGCONT)
      if Self.losesCount {
        try await daemon.says("The kernel's queue of inbox events overflowed")
        try await daemon.says("\(Self.count) names")
      }
      try await daemon.says("Accepted list", times: 100)
      try await daemon.says("queue full")
      var account = Account(files: [], more: 0)
      var waiting: [ShownFile] = []
      try await bench.until("the queue is full for every waiting file") {
        let end = try await bench.tool("--json", "inbox")
        account = try JSONDecoder().decode(Account.self, from: Data(end.output.utf8))
        waiting = account.files.filter { $0.fate == "waiting" }
        return waiting.allSatisfy { $0.why.hasPrefix("queue full") }
      }
      #expect(waiting.count + account.more == Self.count - 100)
      #expect(account.files.count { $0.fate == "accepted" } == 100)
      #expect(bench.names("inbox").count == Self.count - 99)
      // As lists end, the next ones are accepted.
      for list in try await bench.lists().prefix(20) {
        #expect(try await bench.tool("cancel", "\(list.id)").code == 0)
      }
      try await daemon.says("Accepted list", times: 120)
      #expect(!daemon.errors.contains("Could not accept"))
    }
  }
}
