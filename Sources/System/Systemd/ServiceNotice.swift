// SPDX-License-Identifier: Apache-2.0
// Messages to the service manager, and its watchdog period. Raises `SystemError`.
// Concurrency: any thread may send, but waits as long as the manager does not read.

internal import CSystemd
internal import Linux
package import Vocabulary

package enum ServiceNotice: Equatable, Sendable {
  case ready
  case status(String)
  case stopping
  /// With the start time of the reload, by which newer managers distinguish it from an earlier one.
  case reloading(monotonicMicroseconds: UInt64)
  case watchdog

  package var text: String {
    switch self {
    case .ready: "READY=1"
    case .status(let words): "STATUS=\(Printable.sentence(words))"
    case .stopping: "STOPPING=1"
    case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
    case .watchdog: "WATCHDOG=1"
    }
  }

  package func send() throws(SystemError) {
    try Calls.run("sd_notify", "service manager") { unsafe sd_notify(0, text) }
  }

  /// True if a service manager wants messages.
  package static func isWanted(_ environment: [String: String]) -> Bool {
    environment["NOTIFY_SOCKET"]?.isEmpty == false
  }

  /// The listening socket of this path that the manager has passed to this process; nil if there is none.
  package static func passedSocket(at path: String) -> Int32? {
    let count = sd_listen_fds(0)
    guard count > 0 else { return nil }
    return (SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count).first { number in
      unsafe sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), 1, path, 0) > 0
    }
  }

  /// The listening TCP socket that the manager has passed to this process; nil if there is none.
  package static func passedListener() -> Int32? {
    let count = sd_listen_fds(0)
    guard count > 0 else { return nil }
    return (SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count).first { number in
      sd_is_socket_inet(number, 0, Int32(SOCK_STREAM.rawValue), 1, 0) > 0
    }
  }

  /// The manager's watchdog period; nil if there is none, or if it is for another process.
  package static func watchdogPeriod() -> Duration? {
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }
}
