// SPDX-License-Identifier: Apache-2.0
// The place of a daemon's messages: journald, which has stored the unit of each process with its records, or the
// standard error of a daemon that was started by hand. A value.

package import JournalReader
package import Linux
internal import Steer
internal import Vocabulary

package enum LogPlace: Equatable, Sendable {
  /// `user`: whose service it is; nil for one of the system.
  case journald(JournalQuery.Condition, user: UInt32?)
  /// Standard error leads to this path; nil if the daemon does not run.
  case lines(root: String, path: String?)

  /// - Parameter process: the daemon that listens at a path.
  package static func of(
    socket: String, home: String?, user: UInt32, process: (String) -> ProcessFacts?
  ) -> LogPlace {
    if socket == ToolOrder.systemSocket { return system("darkroom") }
    let end = "/control"
    let root = socket.hasSuffix(end) ? String(socket.dropLast(end.count)) : socket
    let instances = DaemonPlace.instances
    if root.hasPrefix(instances) { return system("darkroom", root.dropFirst(instances.count)) }
    guard let daemon = process(socket) else {
      // As in the unit of a user's service.
      let isOwn = home.map { root == "\($0)/darkroom" } ?? false
      return isOwn ? own("darkroom.service", of: user) : .lines(root: root, path: nil)
    }
    if let path = daemon.standardError, !path.hasPrefix("socket:") {
      return .lines(root: root, path: path)
    }
    if let unit = daemon.userUnit { return own(unit, of: daemon.user) }
    if let unit = daemon.unit { return .journald(records(of: [unit]), user: nil) }
    return .journald([["_PID=\(daemon.number)"]], user: nil)
  }

  /// The service, and the service of its hooks.
  private static func system(_ name: String, _ instance: Substring? = nil) -> LogPlace {
    let end = (instance.map { "@\($0)" } ?? "") + ".service"
    return .journald(records(of: [name + end, "\(name)-hooks\(end)"]), user: nil)
  }

  /// With those that the service manager has about the units.
  private static func records(of units: [String]) -> JournalQuery.Condition {
    [units.map { "_SYSTEMD_UNIT=\($0)" }, ["_PID=1"] + units.map { "UNIT=\($0)" }]
  }

  private static func own(_ unit: String, of user: UInt32) -> LogPlace {
    let owner = "_UID=\(user)"
    return .journald(
      [["_SYSTEMD_USER_UNIT=\(unit)", owner], ["USER_UNIT=\(unit)", owner]], user: user)
  }
}
