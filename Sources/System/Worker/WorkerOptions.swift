// SPDX-License-Identifier: Apache-2.0
// A worker's command line, written by the daemon and read by the worker. `ps` shows the user whom a worker
// serves.

package struct WorkerOptions: Hashable, Sendable {
  /// The three standard descriptors, the socket, and a request's three files.
  static let descriptors: UInt64 = 7

  /// The user whom the worker serves.
  package let owner: UInt32
  /// It reads lists, and develops no pictures.
  package let readsLists: Bool
  package let nice: Int32
  /// Bytes of address space beyond the program itself.
  package let memory: UInt64
  /// The maximum size of a written file, in bytes.
  package let output: UInt64

  package var words: [String] {
    ["--owner=\(owner)", "--for=\(readsLists ? "lists" : "pictures")", "--nice=\(nice)"]
      + ["--memory=\(memory)", "--output=\(output)"]
  }

  package init(
    owner: UInt32, readsLists: Bool = false, nice: Int32, memory: UInt64, output: UInt64
  ) {
    self.owner = owner
    self.readsLists = readsLists
    self.nice = nice
    self.memory = memory
    self.output = output
  }
}

extension WorkerOptions {
  /// Uses no dictionary, and arrays alone: types instantiated at run time cost a fifth of a worker's start.
  package init?(words: [String]) {
    var owner, task, nice, memory, output: Substring?
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "--owner": owner = parts[1]
      case "--for": task = parts[1]
      case "--nice": nice = parts[1]
      case "--memory": memory = parts[1]
      case "--output": output = parts[1]
      default: return nil
      }
    }
    guard let owner = owner.flatMap({ UInt32($0) }), task == "lists" || task == "pictures",
      let nice = nice.flatMap({ Int32($0) }), let memory = memory.flatMap({ UInt64($0) }),
      let output = output.flatMap({ UInt64($0) })
    else { return nil }
    self.init(
      owner: owner, readsLists: task == "lists", nice: nice, memory: memory, output: output)
  }
}
