// SPDX-License-Identifier: Apache-2.0
// The layers of a worker's sandbox: a kernel may lack some.

package struct SandboxLayers: OptionSet, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No capability, no gain of one by executing a file, no core file, no tracer.
  package static let privileges = SandboxLayers(rawValue: 1)
  /// Memory, size of written files, descriptors, processes. (Each request limits the processor time.)
  package static let limits = SandboxLayers(rawValue: 2)
  /// Landlock: no file may be opened; depending on the kernel, no TCP, no signals to other processes.
  package static let landlock = SandboxLayers(rawValue: 4)
  /// The remaining system calls open no file and no socket and execute no program.
  package static let seccomp = SandboxLayers(rawValue: 8)

  package static let all: SandboxLayers = [.privileges, .limits, .landlock, .seccomp]
  /// Without these no untrusted byte is read. Landlock came with Linux 5.13 and can be disabled; seccomp
  /// forbids everything that Landlock forbids.
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
