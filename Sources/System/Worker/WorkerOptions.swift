// SPDX-License-Identifier: Apache-2.0
// A worker's command line, written by the daemon and read by the worker. `ps` shows the user whom a worker
// serves.

package struct WorkerOptions: Hashable, Sendable {
  /// The three standard descriptors, the socket, and a request's two files.
  static let descriptors: UInt64 = 6

  /// The user whose pictures the worker develops; nil for a worker that reads one list and ends.
  package let owner: UInt32?
  package let nice: Int32
  /// Bytes of address space beyond the program itself.
  package let memory: UInt64
  /// The maximum size of a written file, in bytes.
  package let output: UInt64

  package var words: [String] {
    ["--owner=\(owner.map(String.init) ?? "none")", "--nice=\(nice)", "--memory=\(memory)"]
      + ["--output=\(output)"]
  }

}

extension WorkerOptions {
  /// Uses no dictionary, and arrays alone: types instantiated at run time cost a fifth of a worker's start.
  package init?(words: [String]) {
    var owner, nice, memory, output: Substring?
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "--owner": owner = parts[1]
      case "--nice": nice = parts[1]
      case "--memory": memory = parts[1]
      case "--output": output = parts[1]
      default: return nil
      }
    }
    guard let owner, let nice = nice.flatMap({ Int32($0) }),
      let memory = memory.flatMap({ UInt64($0) }), let output = output.flatMap({ UInt64($0) })
    else { return nil }
    self.init(owner: UInt32(owner), nice: nice, memory: memory, output: output)
  }
}
