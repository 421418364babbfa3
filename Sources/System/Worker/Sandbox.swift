// SPDX-License-Identifier: Apache-2.0
// A worker enters its sandbox after the runtime has started and before the first request, irrevocably. A
// layer that the kernel refuses is reported as missing: the daemon decides whether the others suffice.

internal import CLinux
import Linux
import Vocabulary

package enum Sandbox {
  /// Enters every layer; returns those that hold.
  package static func enter(_ options: WorkerOptions) -> SandboxLayers {
    // A worker that cannot lower its priority still does its work.
    _ = try? Calls.run("setpriority", "worker") { dr_yield_to_others(options.nice) }
    _ = try? Calls.run("open", "oom_score_adj") { dr_die_first() }
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

  /// Ends a request that computes without end, even if no daemon is left to kill it.
  static func limitProcessor(to time: Duration) {
    let seconds = UInt64(clamping: time.milliseconds) / 1000 + 1
    _ = try? Calls.run("setrlimit", "worker") { dr_set_processor_limit(seconds) }
  }

  private static func holds(_ call: StaticString, _ enter: () -> Int32) -> Bool {
    (try? Calls.run(call, "sandbox", enter)) != nil
  }
}
