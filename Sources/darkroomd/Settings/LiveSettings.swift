// SPDX-License-Identifier: Apache-2.0
// The settings in force; a reload replaces them as a whole. Raises nothing.
// Concurrency model: one Mutex around the value.

import Synchronization

final class LiveSettings: Sendable {
  private let settings: Mutex<Settings>

  init(_ settings: Settings) { self.settings = Mutex(settings) }

  var current: Settings { settings.withLock { $0 } }

  /// Returns the earlier settings.
  func replace(with new: Settings) -> Settings {
    settings.withLock { settings in
      defer { settings = new }
      return settings
    }
  }
}
