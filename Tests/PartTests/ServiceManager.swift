// SPDX-License-Identifier: Apache-2.0
// The service manager's end of the notify socket.

import Journald
import Linux
import Report
import Support

final class ServiceManager: Sendable {
  private let folder: FreshFolder
  private let socket: DatagramSocket
  let status: ServiceStatus

  init() throws {
    folder = try .forSockets()
    let path = "\(folder.path)/notify"
    socket = try DatagramSocket(at: path)
    status = ServiceStatus(socket: NotifySocket(environment: ["NOTIFY_SOCKET": path]))
  }

  /// The next message; nil if none comes in time.
  func next() async throws -> String? {
    try await onOwnThread { [socket] in try socket.next()?.text }
  }
}
