// SPDX-License-Identifier: Apache-2.0
// A voice that remembers its words.

import Synchronization
import darkroomctl

final class SpokenWords: Sendable {
  private let state = Mutex((out: "", error: ""))

  var out: String { state.withLock { $0.out } }
  var error: String { state.withLock { $0.error } }

  func voice(isTerminal: Bool = false) -> ToolVoice {
    ToolVoice(
      screen: ToolScreen(isTerminal: isTerminal),
      progressScreen: ToolScreen(isTerminal: isTerminal),
      out: { text in self.state.withLock { $0.out += text } },
      error: { text in self.state.withLock { $0.error += text } })
  }
}
