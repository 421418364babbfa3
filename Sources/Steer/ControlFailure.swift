// SPDX-License-Identifier: Apache-2.0
// Why a call failed, worded for a user at a terminal.

package import Vocabulary

package enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing answers at the path.
  case notRunning(path: String)
  /// The socket exists, but its mode does not admit this user.
  case notAllowed(path: String)
  case unreachable(path: String, error: SystemError)
  /// The connection ended in the middle of a call.
  case lost
  /// No reply came in time.
  case silent(seconds: Int64)
  case nonsense(why: String)
  /// The deadline of a stream has passed.
  case timeIsOver
  /// The daemon returned an error.
  case refused(ControlError)

  package var description: String {
    switch self {
    case .notRunning(let path):
      "darkroomd is not running: nothing answers at \(Printable.text(path)); start it with "
        + Self.start(path)
    case .notAllowed(let path):
      "you may not use \(Printable.text(path)); members of the group darkroom may"
    case .unreachable(let path, let error):
      "darkroomd cannot be reached at \(Printable.text(path)): \(error)"
    case .lost:
      "darkroomd closed the connection before it answered; it may have been stopped"
    case .silent(let seconds):
      "darkroomd has not answered for \(seconds) s; see journalctl -u darkroom"
    case .nonsense(let why):
      "darkroomd's answer is not valid: \(why); it may be another version"
    case .timeIsOver: "timed out"
    case .refused(let error): error.description
    }
  }

  /// The command that starts the daemon of this socket: below a root it is named `control`.
  private static func start(_ path: String) -> String {
    let end = "/control"
    return path.hasSuffix(end)
      ? "darkroomd --root \(Printable.text(String(path.dropLast(end.count))))"
      : "systemctl start darkroom or darkroomd --root DIR"
  }
}
