// SPDX-License-Identifier: Apache-2.0
// The walls around a worker, and which of them hold: a kernel may lack some.

package struct SandboxLayers: OptionSet, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No capability, none to be gained by executing a file, no core file, no tracer.
  package static let privileges = SandboxLayers(rawValue: 1)
  /// Memory, processor time, size of what it writes, descriptors, processes.
  package static let limits = SandboxLayers(rawValue: 2)
  /// Landlock: opens no file, connects nowhere, signals nobody.
  package static let landlock = SandboxLayers(rawValue: 4)
  /// The system calls that are left are about what it was handed.
  package static let seccomp = SandboxLayers(rawValue: 8)

  package static let all: SandboxLayers = [.privileges, .limits, .landlock, .seccomp]
  /// Without these no untrusted byte is looked at. Landlock came with Linux 5.13 and can be switched
  /// off; what it forbids, seccomp forbids too.
  package static let required: SandboxLayers = [.privileges, .limits, .seccomp]

  private static let names: [(SandboxLayers, String)] = [
    (.privileges, "no privileges"), (.limits, "limits"), (.landlock, "Landlock"),
    (.seccomp, "seccomp"),
  ]

  package var description: String {
    let held = Self.names.filter { contains($0.0) }.map(\.1)
    return held.isEmpty ? "none" : held.joined(separator: ", ")
  }
}
