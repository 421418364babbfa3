// SPDX-License-Identifier: Apache-2.0
// A worker shuts itself in, after the runtime has started and before the first request. There is no way
// back. A layer the kernel refuses is left out and not hidden: the daemon decides whether it is enough.

internal import CLinux
import Linux
import Vocabulary

package enum Sandbox {
  /// The layers that hold now.
  package static func enter(_ options: WorkerOptions) -> SandboxLayers {
    // A worker that cannot be nicer than its daemon still does its work.
    _ = try? Calls.run("setpriority", "worker") { dr_yield_to_others(options.nice) }
    var layers: SandboxLayers = []
    if holds("prctl", { dr_drop_privileges() }) { layers.insert(.privileges) }
    let limits = dr_limits(
      memory: options.memory, output: options.output, files: WorkerOptions.descriptors)
    if holds("setrlimit", { unsafe withUnsafePointer(to: limits) { unsafe dr_set_limits($0) } }) {
      layers.insert(.limits)
    }
    if holds("landlock", { dr_enter_landlock() }) { layers.insert(.landlock) }
    if holds("seccomp", { dr_enter_seccomp() }) { layers.insert(.seccomp) }
    return layers
  }

  /// A request that computes for ever ends even when no daemon is left to end it.
  static func limitProcessor(to time: Duration) {
    let seconds = time.wholeMilliseconds / 1000 + 1
    _ = try? Calls.run("setrlimit", "worker") { dr_set_processor_limit(seconds) }
  }

  private static func holds(_ call: StaticString, _ enter: () -> Int32) -> Bool {
    (try? Calls.run(call, "sandbox", enter)) != nil
  }
}
