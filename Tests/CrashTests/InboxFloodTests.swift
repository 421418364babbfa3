// SPDX-License-Identifier: Apache-2.0
// Twenty thousand lists dropped while the daemon stands still: far more than the kernel remembers events
// for. Every one of them is taken in or accounted for, and none is forgotten.

import Foundation
import Support
import Testing

@Suite struct InboxFloodTests {
  private struct Account: Decodable {
    let files: [ShownFile]
    let more: Int
  }

  /// Whether the kernel remembers fewer events than come, two of each list: it does unless it was told
  /// to remember more.
  private static let losesCount =
    (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
    .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.map { $0 < 40_000 } ?? true

  @Test func `twenty thousand lists dropped while the daemon is stopped: none is lost`()
    async throws
  {
    let settings = DaemonBench.settings.replacing("[Inbox]", with: "[Inbox]\nMaximumLists=100")
    try await DaemonBench.use(settings: settings) { bench in
      let daemon = try await bench.start()
      let inbox = "\(bench.root)/inbox"
      // From here on it watches.
      try await daemon.says("The inbox ")
      #expect(try await bench.tool("inbox").code == 0)
      try await daemon.halt()
      // Each is at work until its photo is answered for, which nobody does.
      let text = PhotoListText.dictionary([("One", bench.origin.url("/hang?gate=never"))])
      for number in 1...20_000 {
        let file = unsafe open("\(inbox)/\(number).plist", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        let count = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        #expect(count == text.count)
        close(file)
      }
      daemon.send(SIGCONT)
      if Self.losesCount {
        try await daemon.says("The kernel lost count of what happened in the inbox")
        try await daemon.says("20000 names")
      }
      try await daemon.says("Accepted list", times: 100)
      try await daemon.says("queue full")
      let end = try await bench.tool("--json", "inbox")
      let account = try JSONDecoder().decode(Account.self, from: Data(end.output.utf8))
      let waiting = account.files.filter { $0.fate == "waiting" }
      #expect(waiting.allSatisfy { $0.why.hasPrefix("queue full") })
      #expect(waiting.count + account.more == 19_900)
      #expect(account.files.count { $0.fate == "accepted" } == 100)
      #expect(bench.names("inbox").count == 19_901)
      // The next hundred come in as those before them go.
      for list in try await bench.lists().prefix(20) {
        #expect(try await bench.tool("cancel", "\(list.id)").code == 0)
      }
      try await daemon.says("Accepted list", times: 120)
      #expect(!daemon.errors.contains("Could not accept"))
    }
  }
}
