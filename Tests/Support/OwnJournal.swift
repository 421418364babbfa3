// SPDX-License-Identifier: Apache-2.0
// A folder in the place of journald's: libsystemd sends to one path only. A thread sees it, with the threads that it
// starts. Needs `DaemonBench.mayMount`.

internal import CPrograms
internal import Linux
package import Vocabulary

package struct OwnJournal: Sendable {
  private let folder: FreshFolder

  package init() throws { folder = try .forSockets() }

  /// A socket in journald's place.
  package func listen() throws(SystemError) -> DatagramSocket {
    try DatagramSocket(at: "\(folder.path)/socket")
  }

  /// Removes the socket's name; the socket stays.
  package func unlink() throws(SystemError) {
    try folder.folder.remove(FileName(literal: "socket"))
  }

  package func run<Value: Sendable>(
    _ call: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await onOwnThread { [path = folder.path] in
      try Calls.run("mount", path) { unsafe own_journal(path) }
      return try call()
    }
  }
}
