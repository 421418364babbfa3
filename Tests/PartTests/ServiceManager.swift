// SPDX-License-Identifier: Apache-2.0
// The service manager's end of the notify socket, and a short path for sockets, which have at most 107 bytes.

import Journald
import Linux
import Report
import Support
import Testing
import Vocabulary

/// A folder in `/tmp` for sockets; removed at the end.
final class SocketFolder: Sendable {
  private static let parent = "/tmp"
  private let name: FileName
  let path: String

  init() throws {
    let random = try ThisProcess.randomBytes(8).map { String($0, radix: 16) }.joined()
    name = FileName(made: "darkroom-part-\(random)")
    path = "\(Self.parent)/\(name)"
    _ = try LinuxFolder.open(path: Self.parent).openFolder(name, creating: true)
  }

  deinit {
    guard let parent = try? LinuxFolder.open(path: Self.parent),
      let folder = try? parent.openFolder(name, creating: false)
    else { return }
    for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    try? parent.removeFolder(name)
  }
}

final class ServiceManager: Sendable {
  private let folder: SocketFolder
  private let socket: DatagramSocket
  let status: ServiceStatus

  init() throws {
    folder = try SocketFolder()
    socket = try DatagramSocket()
    try socket.bind(to: "\(folder.path)/notify")
    status = ServiceStatus(
      socket: NotifySocket(environment: ["NOTIFY_SOCKET": "\(folder.path)/notify"]))
  }

  /// The next message; nil if none comes in time. The sender may need this task's thread, so another one
  /// waits.
  func next() async -> String? {
    await Reply.wait { reply in
      #expect(throws: Never.self) {
        try OwnThread.start("manager") { [self] in reply.give(receive()) }
      }
    }
  }

  private func receive() -> String? {
    _ = try? Poll.wait([Poll.Watch(socket.descriptor)], for: Patience.time)
    return (try? socket.receive()).map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
