// SPDX-License-Identifier: Apache-2.0
// A reporter, and the lines that it writes. Its thread starts when a test first reads them.
// Concurrency model: one Mutex around the lines, and one around the flag.

import Report
import Support
import Synchronization
import Testing

final class ToldLines: Sendable {
  private final class Page: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let page: Page
  private let isStarted = Mutex(false)
  let reporter: Reporter

  init() throws {
    let page = Page()
    self.page = page
    let sink = ReportSink.lines(.plain) { bytes in
      page.lines.withLock { $0.append(String(decoding: bytes.dropLast(), as: UTF8.self)) }
      return true
    }
    reporter = try Reporter(sink: sink, level: .debug)
  }

  /// Every line until now, in order.
  func all() -> [String] {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    if isFirst { #expect(throws: Never.self) { try reporter.start() } }
    #expect(reporter.flush(within: Patience.time))
    return page.lines.withLock { $0 }
  }

  func holds(_ words: String) -> Bool { all().contains { $0.contains(words) } }
}

/// Two notices are equal if their readers cannot tell them apart.
extension Notice: Equatable {
  static func == (a: Notice, b: Notice) -> Bool { a.message == b.message }
}
