// SPDX-License-Identifier: Apache-2.0
// A fresh folder for a control socket (always in /tmp, since the path of a socket has at most 107
// bytes), and a thread for blocking calls.

import Linux
import Steer
import Testing
import Vocabulary

final class SocketPlace: Sendable {
  let folder: String
  var path: String { "\(folder)/control" }
  private let name: FileName

  init(depth: Int = 0) throws {
    let bytes = try ThisProcess.randomBytes(8)
    let unique = bytes.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    name = try #require(FileName("darkroom-steer-\(unique)"))
    var inner = try LinuxFolder.open(path: "/tmp").openFolder(name, creating: true)
    for _ in 0..<depth { inner = try inner.openFolder(Self.part, creating: true) }
    folder = inner.path
  }

  deinit {
    guard let top = try? LinuxFolder.open(path: "/tmp") else { return }
    Self.empty(top, name)
  }

  private static let part = FileName(literal: "a-folder-with-quite-a-long-name")

  private static func empty(_ folder: LinuxFolder, _ name: FileName) {
    if let inner = try? folder.openFolder(name, creating: false) {
      for child in (try? inner.names()) ?? [] {
        if (try? inner.remove(child)) == nil { empty(inner, child) }
      }
    }
    try? folder.removeFolder(name)
  }
}

/// Runs a blocking call on its own thread, so that it does not block a shared pool.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
  -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    do {
      try OwnThread.start("test") { continuation.resume(with: Result { try body() }) }
    } catch { continuation.resume(throwing: error) }
  }
}
