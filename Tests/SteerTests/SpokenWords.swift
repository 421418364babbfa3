// SPDX-License-Identifier: Apache-2.0
// A voice that remembers its words.

import Synchronization
import darkroomctl

final class SpokenWords: Sendable {
  private let state = Mutex((out: "", error: ""))

  var out: String { state.withLock { $0.out } }
  var error: String { state.withLock { $0.error } }

  func voice(isTerminal: Bool = false) -> ToolVoice {
    voice(ToolScreen(isTerminal: isTerminal), progress: ToolScreen(isTerminal: isTerminal))
  }

  /// Without progress, unless there is a screen for it.
  func voice(
    _ screen: ToolScreen, progress: ToolScreen = ToolScreen(isTerminal: false)
  ) -> ToolVoice {
    ToolVoice(
      screen: screen, progressScreen: progress,
      out: { text in self.state.withLock { $0.out += text } },
      error: { text in self.state.withLock { $0.error += text } })
  }
}
