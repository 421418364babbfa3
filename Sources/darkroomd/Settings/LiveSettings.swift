// SPDX-License-Identifier: Apache-2.0
// The settings in force and their origins; a reload replaces them as a whole. Raises nothing.
// Concurrency model: one Mutex around the value.

import Synchronization

final class LiveSettings: Sendable {
  private struct Read {
    var settings: Settings
    var origins: SettingOrigins
  }

  private struct State {
    /// Those that some parts keep until the next start.
    let first: Read
    var now: Read
  }

  private let state: Mutex<State>

  init(_ settings: Settings, _ origins: SettingOrigins = SettingOrigins()) {
    let first = Read(settings: settings, origins: origins)
    state = Mutex(State(first: first, now: first))
  }

  var current: Settings { state.withLock { $0.now.settings } }

  /// Returns the earlier settings.
  func replace(
    with new: Settings, _ origins: SettingOrigins = SettingOrigins()
  ) -> Settings {
    state.withLock { state in
      defer { state.now = Read(settings: new, origins: origins) }
      return state.now.settings
    }
  }

  /// The value in force, and the one that the next start brings if it is another.
  func see(_ entry: SettingEntry) -> (inForce: SettingOrigins.Origin, next: SettingOrigins.Origin?)
  {
    state.withLock { state in
      let now = state.now.origins[entry]
      guard entry.waits, entry.differs(state.first.settings, state.now.settings) else {
        return (now, nil)
      }
      return (state.first.origins[entry], now)
    }
  }
}
