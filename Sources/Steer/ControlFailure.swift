// SPDX-License-Identifier: Apache-2.0
// Why a call failed, worded for a user at a terminal.

package import Vocabulary

package enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing answers at the path.
  case notRunning(path: String)
  /// The socket exists, but its mode does not admit this user.
  case notAllowed(path: String, user: String?)
  case unreachable(path: String, error: SystemError)
  /// The connection ended in the middle of a call.
  case lost
  /// Neither this call nor `Status` was answered in time.
  case silent(path: String, process: Int32?, seconds: Int64)
  /// Other calls are answered, but this one was not in time.
  case slow(seconds: Int64)
  case nonsense(why: String)
  /// The deadline of a stream has passed.
  case timeIsOver
  /// The daemon returned an error.
  case refused(ControlError)

  package var description: String {
    switch self {
    case .notRunning(let path) where DaemonPlace.isOfSystem(folderOf: path):
      "nothing answers at \(Printable.text(path)), which is a folder of the system's darkroomd; leave out --root= and "
        + "DARKROOM_ROOT, because that daemon answers at \(DaemonPlace.systemSocket)"
    case .notRunning(let path):
      "darkroomd is not running: nothing answers at \(Printable.text(path)); start it with "
        + DaemonPlace(socket: path).start
    case .notAllowed(let path, let user): Self.excluded(path, user)
    case .unreachable(let path, let error):
      "darkroomd cannot be reached at \(Printable.text(path)): \(error)"
    case .lost:
      "darkroomd closed the connection before it answered; it may have been stopped"
    case .silent(let path, let process, let seconds): Self.frozen(path, process, seconds)
    case .slow(let seconds):
      "darkroomd has not answered this command for \(seconds) s, but it answers others; the command may still "
        + "take effect"
    case .nonsense(let why):
      "darkroomd's answer is not valid: \(why); it may be another version"
    case .timeIsOver: "timed out"
    case .refused(let error): error.description
    }
  }

  private static func frozen(_ path: String, _ process: Int32?, _ seconds: Int64) -> String {
    let place = DaemonPlace(socket: path)
    let name = process.map { "darkroomd (process \($0))" } ?? "darkroomd"
    let silence = "\(name) has not answered for \(seconds) s: it is"
    if let unit = place.unit {
      return "\(silence) frozen, stopped or busy; see systemctl status \(unit); after systemctl "
        + "freeze, continue it with systemctl thaw \(unit)"
    }
    guard let process else { return "\(silence) stopped or busy" }
    return "\(silence) stopped or busy; ps \(process) shows its state, and kill -CONT \(process) "
      + "continues a stopped process"
  }

  /// `place` below a root is for its owner; the system's daemon and its instances admit a group.
  private static func excluded(_ path: String, _ user: String?) -> String {
    let words = "you may not use \(Printable.text(path))"
    guard path == DaemonPlace.systemSocket || DaemonPlace(socket: path).unit != nil else {
      return "\(words); its owner and the members of its group may"
    }
    let name = user.map { DaemonPlace.isPlain($0) ? $0 : "NAME" } ?? "NAME"
    return
      "\(words); members of the group darkroom may: an administrator runs usermod -aG darkroom "
      + "\(name), and then you log in again"
  }
}
