// SPDX-License-Identifier: Apache-2.0
// Why a caller has no answer, in words for a person at a terminal.

package import Vocabulary

package enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing answers at the path.
  case notRunning(path: String)
  /// The socket is there and we may not use it.
  case notAllowed(path: String)
  case unreachable(path: String, error: SystemError)
  /// The connection ended in the middle of a call.
  case lost
  /// No answer came in time.
  case silent(seconds: Int64)
  case nonsense(why: String)
  /// The time the caller set for a stream is over.
  case timeIsOver
  /// The daemon said no.
  case refused(ControlError)

  package var description: String {
    switch self {
    case .notRunning(let path):
      "darkroomd is not running: nothing answers at \(Printable.text(path)); start it with "
        + "systemctl start darkroom or darkroomd --root DIR"
    case .notAllowed(let path):
      "you may not use \(Printable.text(path)); members of the group darkroom may"
    case .unreachable(let path, let error):
      "darkroomd cannot be reached at \(Printable.text(path)): \(error)"
    case .lost:
      "darkroomd ended the connection before it had answered; it may have been stopped"
    case .silent(let seconds):
      "darkroomd does not answer: nothing came for \(seconds) s; see journalctl -u darkroom"
    case .nonsense(let why):
      "darkroomd's answer cannot be understood: \(why); the two may be of different versions"
    case .timeIsOver: "the time is over"
    case .refused(let error): error.description
    }
  }
}
