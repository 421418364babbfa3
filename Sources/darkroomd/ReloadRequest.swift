// SPDX-License-Identifier: Apache-2.0
// darkroomd --reload: asks the running daemon to reload its settings and waits for the answer, so that
// `systemctl reload` fails when the settings are bad. Returns the exit code; writes errors to standard error.

import Linux
import Steer
import Vocabulary

enum ReloadRequest {
  static func send(_ options: CommandLineOptions) -> Int32 {
    let places = Places.named(by: options)
    let place = DaemonPlace(socket: places.control)
    do throws(ControlFailure) {
      let client = try ControlClient(path: places.control, clock: MachineTime())
      for note in try client.call(ReloadOrder()).notes { say(place.hint(note)) }
      return ExitCode.done
    } catch {
      complain(place.hint("could not reload: \(error)"))
      if case .refused = error { return ExitCode.configuration }
      return ExitCode.busy
    }
  }
}
