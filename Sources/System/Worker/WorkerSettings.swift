// SPDX-License-Identifier: Apache-2.0
// How many workers there may be, and within which limits they work.

package struct WorkerSettings: Sendable {
  /// The program, by its absolute path.
  package var path: String
  /// Workers alive at once, reading lists included.
  package var width: Int
  /// How long a list may take to be read.
  package var listTimeout: Duration
  /// How long a worker may take to start. Generous: the machine may be busy with nicer things.
  package var startTimeout: Duration
  /// How long a worker without work waits for the next photo of its list.
  package var idleTime: Duration
  /// Without these no worker gets any work.
  package var requiredLayers: SandboxLayers
  /// What a worker needs beside the memory of its order: code of libraries, rows, tables.
  package var baseMemory: UInt64
  /// What reading a list may take, beside the list itself.
  package var listMemory: UInt64

  package init(path: String, width: Int) {
    self.path = path
    self.width = width
    listTimeout = .seconds(120)
    startTimeout = .seconds(60)
    idleTime = .seconds(2)
    requiredLayers = .required
    baseMemory = 64 << 20
    listMemory = 256 << 20
  }
}
