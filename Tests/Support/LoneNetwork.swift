// SPDX-License-Identifier: Apache-2.0
// A network namespace with only a loopback, for a daemon and its origin, in which packets are really
// lost, connections reset, the rate limited and the link cut. It ends with the process that holds it,
// even if the tests crash. Concurrency: immutable.

import Foundation

package final class LoneNetwork: Sendable {
  private let holder: RunningProgram

  /// The reason why there can be none here, or nil.
  package static let obstacle: String? = {
    if geteuid() != 0 { return "only root may make a network namespace" }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/sbin", "/sbin"]
    for tool in ["nft", "tc", "unshare", "nsenter"] {
      let isThere = folders.contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
      }
      if !isThere { return "\(tool) is not installed" }
    }
    return nil
  }()

  private init(_ holder: RunningProgram) { self.holder = holder }

  /// Packets are as small as on a real network, so that a photo needs many.
  package static func use(_ body: (LoneNetwork) async throws -> Void) async throws {
    let holder = try await RunningProgram.start([
      "unshare", "--net", "sh", "-c",
      "ip link set lo mtu 1500 up && echo up >&2 && exec sleep 3600",
    ])
    try await holder.says("up")
    do { try await body(LoneNetwork(holder)) } catch {
      await holder.cut()
      throw error
    }
    await holder.cut()
  }

  /// The beginning of a command that runs inside.
  package var entry: [String] { ["nsenter", "--net=/proc/\(holder.pid)/ns/net"] }

  @discardableResult
  private func run(_ arguments: [String]) async throws -> String {
    let end = try await RunningProgram.start(entry + arguments).end()
    guard end.code == 0 else { throw ProgramProblem("\(arguments): \(end)") }
    return end.output
  }

  /// Adds a rule of nftables for packets with the origin's port as `sport` or `dport`, which also
  /// counts them.
  package func trouble(_ port: Int, _ packets: String, _ verdict: String) async throws {
    try await run([
      "nft",
      """
      add table inet trouble; add chain inet trouble arriving { type filter hook input priority 0; };
      add rule inet trouble arriving tcp \(packets) \(port) \(verdict)
      """,
    ])
  }

  /// The number of packets that met a rule.
  package func troubled() async throws -> Int {
    let words = try await run(["nft", "list", "table", "inet", "trouble"])
      .split(whereSeparator: \.isWhitespace)
    return zip(words, words.dropFirst()).reduce(0) { sum, pair in
      pair.0 == "packets" ? sum + (Int(pair.1) ?? 0) : sum
    }
  }

  package func calm() async throws { try await run(["nft", "flush", "ruleset"]) }

  /// `rate` as tc writes it, such as `8mbit`.
  package func limit(_ rate: String) async throws {
    try await run([
      "tc", "qdisc", "replace", "dev", "lo", "root", "tbf", "rate", rate, "burst", "32kb",
      "latency", "400ms",
    ])
  }
}
