// SPDX-License-Identifier: Apache-2.0
// Another process, as /proc shows it: the units of systemd that it is part of, and its standard error.

internal import CLinux
internal import Vocabulary

package struct ProcessFacts: Equatable, Sendable {
  package var number: Int32
  package var user: UInt32
  /// `darkroom.service`; of a process of a user's service, the unit of the user's service manager.
  package var unit: String?
  package var userUnit: String?
  /// The path, or `socket:[…]` or `pipe:[…]`; nil if this user may not see it.
  package var standardError: String?

  package init(number: Int32, user: UInt32) { (self.number, self.user) = (number, user) }

  /// The process that listens at this path; nil if there is none, or it does not admit this user.
  package init?(listeningAt path: String) {
    guard let peer = try? StreamSocket.connect(to: path).peer() else { return nil }
    self.init(number: peer.process, user: peer.user)
    let folder = "/proc/\(peer.process)"
    let bytes = try? Surroundings.openNamed("\(folder)/cgroup").read(at: 0, upTo: 4096)
    if let bytes { (unit, userUnit) = Self.units(String(decoding: bytes, as: UTF8.self)) }
    standardError = Surroundings.target(of: "\(folder)/fd/2")
  }

  /// From the control groups of a process: systemd's group is the first or the one with its name.
  package static func units(_ groups: String) -> (unit: String?, userUnit: String?) {
    let lines = groups.split(separator: "\n")
    let paths = lines.compactMap { line -> Substring? in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      return parts.count == 3 && ["", "name=systemd"].contains(parts[1]) ? parts[2] : nil
    }
    let path = paths.first { $0.contains(".service") || $0.contains(".scope") } ?? ""
    let units = path.split(separator: "/").filter {
      $0.hasSuffix(".service") || $0.hasSuffix(".scope")
    }.map(String.init)
    let isUser = units.first?.hasPrefix("user@") == true
    return (units.first, isUser ? units.dropFirst().first : nil)
  }
}
