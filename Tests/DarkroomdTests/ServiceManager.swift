// SPDX-License-Identifier: Apache-2.0
// A service manager, and the messages that it gets.
// Concurrency model: one Mutex around the messages; the bell rings at each.

import Linux
import Report
import Support
import Synchronization
import Systemd

final class ServiceManager: Sendable {
  private final class Letters: Sendable {
    let texts = Mutex<[String]>([])
    let bell: WakeEvent

    init() throws { bell = try WakeEvent() }
  }

  private let letters: Letters
  let status: ServiceStatus

  init() throws {
    let letters = try Letters()
    self.letters = letters
    status = try ServiceStatus { notice in
      letters.texts.withLock { $0.append(notice.text) }
      letters.bell.ring()
    }
  }

  /// The next message; nil if none comes in time.
  func next() async throws -> String? {
    try await onOwnThread { [letters] in
      while true {
        let text = letters.texts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let text { return text }
        let seen = try Poll.wait([Poll.Watch(letters.bell.descriptor)], for: Patience.time)
        if !seen.contains(where: \.isReady) { return nil }
        letters.bell.clear()
      }
    }
  }
}
