// SPDX-License-Identifier: Apache-2.0
// The views of a process with a port of its own, by the texts of their cookies. Once it has ended, any user may listen
// at that port, and gets the cookies of pages that are still open: they are random numbers, for which this process alone
// had the views.
// Concurrency model: one Mutex around the entries.

import Linux
import Synchronization
import Vocabulary

final class ViewBook: Sendable {
  private static let most = 1000
  private static let size = 16

  private let views = Mutex<[String: (view: String, until: Duration)]>([:])

  /// The text of its cookie. The oldest view makes room for a new one.
  func keep(
    _ view: String, seconds: UInt32, now: Duration
  ) throws(SystemError) -> String {
    let text = String(hex: try ThisProcess.randomBytes(Self.size))
    views.withLock { views in
      if views.count >= Self.most {
        let oldest = views.min { $0.value.until < $1.value.until }
        oldest.map { views[$0.key] = nil }
      }
      views[text] = (view, now + .seconds(Int64(seconds)))
    }
    return text
  }

  func view(_ text: String, now: Duration) -> String? {
    views.withLock { views in
      guard let entry = views[text], entry.until > now else { return nil }
      return entry.view
    }
  }
}
