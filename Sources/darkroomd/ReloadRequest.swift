// SPDX-License-Identifier: Apache-2.0
// darkroomd --reload: asks the running daemon to read its settings again and waits for the answer, so
// that `systemctl reload` fails where the settings are bad.

import Linux
import Steer
import Vocabulary

enum ReloadRequest {
  static func send(_ options: CommandLineOptions) -> Int32 {
    let places = options.root.map { Places.below($0) } ?? .system
    do {
      let clock = try SystemClock()
      let client = try ControlClient(path: places.control, clock: clock)
      guard case .reloaded(let notes) = try client.call(.reload) else { return ExitCode.busy }
      for note in notes { say(note) }
      return ExitCode.done
    } catch let failure as ControlFailure {
      say("could not reload: \(failure)")
      if case .refused = failure { return ExitCode.configuration }
      return ExitCode.busy
    } catch {
      say("could not reload: \(error)")
      return ExitCode.io
    }
  }
}
