// SPDX-License-Identifier: Apache-2.0
// The ledger alone: nodes that do no work, each with a connection of its own to a real PostgreSQL. A run is bounded in
// time, and follows from its seed as far as threads allow. Benchmarks/ledger.py starts it.

import Linux
import Vocabulary

func end(_ words: String) -> Never {
  try? StandardStream.error.write(Array("darkroom-bench-cluster: \(words)\n".utf8))
  ThisProcess.exit(1)
}

let words = CommandLine.arguments.dropFirst()
guard let place = words.first, let scenario = Scenario(words.dropFirst()) else {
  end(Scenario.usage)
}

do {
  TaskHome.settle(
    quick: try OwnExecutor("tasks", threads: 2), disk: try OwnExecutor("disk", threads: 1))
  let conductor = try Conductor(scenario, at: place, try SystemClock())
  let over = ThreadSignal()
  TaskHome.quick.start {
    do throws(Failure) { try await conductor.play() } catch { end("\(error)") }
    over.ring()
  }
  over.wait()
} catch { end("\(error)") }
