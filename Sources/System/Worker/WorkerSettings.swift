// SPDX-License-Identifier: Apache-2.0
// The number of workers and their limits.

package struct WorkerSettings: Sendable {
  /// The program, by its absolute path.
  package var path: String
  /// Workers with a request at once.
  package var width: Int
  /// Workers without a request that may be alive besides. While many users take turns, each turn finds the worker of
  /// its user, whose start costs more than many small pictures. An idle one takes about 4 MiB.
  package var spares = 0
  /// Workers alive at once, but for one that reads lists: their files must fit.
  package var most = Int.max
  /// The time limit for reading a list.
  package var listTimeout = Duration.seconds(120)
  /// The time limit for a worker's start. Generous: the machine may be busy.
  package var startTimeout = Duration.seconds(60)
  /// The time that a worker without work waits for the next photo of its user.
  package var idleTime = Duration.seconds(2)
  /// The time that a list waits for the reader of its user before a worker without work ends for it.
  package var readerPatience = Duration.milliseconds(250)
  /// A worker without these layers gets no work.
  package var requiredLayers = SandboxLayers.required
  /// A worker's memory besides the memory of its order: library code, rows, tables.
  package var baseMemory: UInt64 = 64 << 20
  /// The memory for reading a list, besides the list itself.
  package var listMemory: UInt64 = 256 << 20

  package init(path: String, width: Int) {
    self.path = path
    self.width = width
  }
}
