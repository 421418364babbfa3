// SPDX-License-Identifier: Apache-2.0
// Distinguishes the kernel's kills for lack of memory from other SIGKILLs. The kernel counts its kills for the
// machine in /proc/vmstat; if this file is hidden, the count for the control group of this process is used. A value;
// it reads files of the kernel, which need no disk.

internal import Vocabulary

package struct MemoryKills: Sendable {
  private let count: @Sendable () -> UInt64?
  /// The kills that explained a death, or that happened before the start.
  private var known: UInt64

  package init() { self.init(count: Self.counted) }

  package init(count: @escaping @Sendable () -> UInt64?) {
    self.count = count
    known = count() ?? 0
  }

  /// The kernel tells its kills.
  package var isTold: Bool { count() != nil }

  /// True if lack of memory explains why a child of this process was killed. Each kill explains one death. If the
  /// kernel does not show the number of kills, lack of memory is taken for the cause.
  package mutating func explainsDeath() -> Bool {
    guard let count = count() else { return true }
    guard count > known else { return false }
    known += 1
    return true
  }

  /// The kernel's kills until now; nil if it does not tell.
  package static func counted() -> UInt64? {
    value(of: "oom_kill", in: "/proc", FileName(literal: "vmstat"))
      ?? group.flatMap {
        value(of: "oom_kill", in: "/sys/fs/cgroup\($0)", FileName(literal: "memory.events"))
      }
  }

  /// The path of this process's control group, version 2.
  private static var group: String? {
    lines(of: FileName(literal: "cgroup"), in: "/proc/self").first { $0.hasPrefix("0::/") }
      .map { String($0.dropFirst(3)) }
  }

  private static func value(of key: String, in folder: String, _ name: FileName) -> UInt64? {
    lines(of: name, in: folder).first { $0.hasPrefix("\(key) ") }
      .flatMap { UInt64($0.dropFirst(key.utf8.count + 1)) }
  }

  private static func lines(of name: FileName, in folder: String) -> [Substring] {
    KernelText.read(name, in: folder)?.split(separator: "\n") ?? []
  }
}
