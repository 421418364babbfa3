// SPDX-License-Identifier: Apache-2.0
// Runs `cutter.py` for tests: a proxy before a PostgreSQL server that cuts conversations. Concurrency: one Mutex around
// the helper, so that each answer is that of its command.

import Foundation
import Synchronization

package final class PostgresCutter: Sendable {
  package enum Direction: String, CaseIterable, Sendable { case request, answer }

  private let port: Int
  private let process: Mutex<HelperProcess>

  /// - Parameter place: the connection string of a database, whose server listens on a socket in a folder.
  package init(before place: String) throws {
    let folder = place.split(separator: " ").first { $0.hasPrefix("host=") }?.dropFirst(5) ?? ""
    let helper = try HelperProcess(
      ["python3", Repository.path("Tests/Support/cutter.py"), "\(folder)/.s.PGSQL.5432"])
    guard let line = helper.readLine(), let port = Int(line.dropFirst("port ".count)) else {
      throw PostgresProblem("the cutter did not start")
    }
    self.port = port
    process = Mutex(helper)
  }

  /// The connection string of the database through the cutter.
  package func place(of place: String) -> String {
    let words = place.split(separator: " ").filter { !$0.hasPrefix("host=") }
    return (["host=127.0.0.1 port=\(port) sslmode=disable gssencmode=disable"] + words)
      .joined(separator: " ")
  }

  @discardableResult
  private func ask(_ words: String) async throws -> String {
    try await onOwnThread { [self] in
      try process.withLock { process in
        process.write("\(words)\n")
        guard let line = process.readLine() else { throw PostgresProblem("the cutter is gone") }
        return line
      }
    }
  }

  /// Bytes are counted from now on; no cut is planned.
  package func count() async throws { try await ask("count") }

  /// The counts at the ends of messages.
  package func ends() async throws -> [Direction: [Int]] {
    let parts = try await ask("ends").split(separator: "/", omittingEmptySubsequences: false)
    let counts = parts.map { $0.split(separator: " ").compactMap { Int($0) } }
    guard counts.count == 2 else { throw PostgresProblem("the cutter said \(parts)") }
    return [.request: counts[0], .answer: counts[1]]
  }

  /// The next conversation is cut after this number of bytes; those before it reach their end.
  package func cut(_ direction: Direction, after bytes: Int) async throws {
    try await ask("cut \(direction.rawValue) \(bytes)")
  }

  /// This number of bytes of the request stays here until `deliver`.
  package func keep(request bytes: Int) async throws { try await ask("late \(bytes)") }
  /// Returns when the server is done with what was kept.
  package func deliver() async throws { try await ask("deliver") }
  /// Returns when the server is done with every conversation that was cut.
  package func quiet() async throws { try await ask("quiet") }
  /// Every conversation from now on is cut somewhere.
  package func cutAtRandom(seed: UInt64) async throws { try await ask("random \(seed)") }
  /// No more cuts; returns their number.
  package func pass() async throws -> Int { Int(try await ask("pass")) ?? 0 }
  package func stop() { process.withLock { $0.closeInput() } }
}
