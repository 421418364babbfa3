// SPDX-License-Identifier: Apache-2.0
// The words for what goes wrong with workers.

import Linux
import Vocabulary

extension PoolState {
  static let nonsense = Failure(
    .passing, code: "worker.answer",
    reason: "the worker gave an answer that cannot be true and was ended")

  static func died(_ status: ExitStatus) -> Failure {
    if status == .signal(24) { return outOfTime("the processor time it may use") }
    return died(status.words)
  }

  static func died(_ words: String) -> Failure {
    Failure(.passing, code: "worker.died", reason: "the worker \(words)")
  }

  static func start(_ error: SystemError) -> Failure { start("could not be started: \(error)") }

  static func early(_ status: ExitStatus) -> Failure {
    start("\(status.words) before it was ready")
  }

  private static func start(_ words: String) -> Failure {
    Failure(
      .machine, code: "worker.start", reason: "the worker \(words)",
      advice: "See that darkroom-worker is installed with this darkroomd and can be executed")
  }

  static func open(_ layers: SandboxLayers) -> Failure {
    Failure(
      .machine, code: "worker.sandbox",
      reason: "the worker's sandbox does not hold here (only: \(layers))",
      advice: "Allow seccomp and prctl to the service; lists and pictures are not read without them"
    )
  }

  func timeout(_ worker: Worker) -> Failure {
    switch worker.stage {
    case .starting: Self.start("did not start within \(settings.startTimeout.inWords)")
    case .working(let job, _):
      Self.outOfTime(orders[job]?.timeout.inWords ?? "its time")
    case .lost: Self.died("hung up without an answer")
    case .expecting, .idle, .dying: .cancelled  // nobody waits
    }
  }

  private static func outOfTime(_ limit: String) -> Failure {
    Failure(
      .final, code: "worker.timeout", reason: "it was not done within \(limit)",
      advice: "Raise Timeout= under [Filter] if the picture is worth it")
  }
}

extension Duration {
  /// `90 s`, `250 ms`.
  var inWords: String {
    let milliseconds = wholeMilliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
