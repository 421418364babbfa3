// SPDX-License-Identifier: Apache-2.0
// The settings in force; a reload swaps them whole. Concurrency model: one Mutex around the value.

import Synchronization

final class LiveSettings: Sendable {
  private let settings: Mutex<Settings>

  init(_ settings: Settings) { self.settings = Mutex(settings) }

  var current: Settings { settings.withLock { $0 } }

  /// Returns what was in force before.
  func replace(with new: Settings) -> Settings {
    settings.withLock { settings in
      defer { settings = new }
      return settings
    }
  }
}
