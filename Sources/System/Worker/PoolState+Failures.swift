// SPDX-License-Identifier: Apache-2.0
// The failures of workers, in words.

import Linux
import Vocabulary

extension PoolState {
  static let nonsense = Failure(
    .passing, code: "worker.answer",
    reason: "the worker gave an impossible answer and was killed")

  static func died(_ status: ExitStatus, _ options: WorkerOptions) -> Failure {
    if status == .signal(24) { return outOfTime("its limit of processor time", options) }
    if status == .killed { return killed }
    return died(status.words)
  }

  static func died(_ words: String) -> Failure {
    Failure(.passing, code: "worker.died", reason: "the worker \(words)")
  }

  /// A person or a program killed the worker. The limits of a worker end it with other signals.
  static let killed = Failure(
    .machine, scope: .one, code: "worker.killed",
    reason: "the worker \(ExitStatus.killed.words)",
    advice: "Find out who kills workers; what they read is tried again")

  static func starved(_ words: String) -> Failure {
    Failure(
      .machine, scope: .one, code: "worker.memory", reason: "the worker \(words)",
      advice:
        "Give the service more memory (MemoryMax=), or lower MaximumMemory= or Workers= under "
        + "[Filter]")
  }

  /// The socket of a live worker failed.
  static func unreached(_ error: SystemError) -> Failure {
    Failure(
      .machine, scope: error.isOfOneThing ? .one : .everything, code: "worker.socket",
      reason: "the worker could not be reached: \(error)")
  }

  static func start(_ error: SystemError) -> Failure {
    start("could not be started: \(error)", advice: error.limitAdvice ?? installed)
  }

  static func early(_ status: ExitStatus) -> Failure {
    start("\(status.words) before it was ready")
  }

  private static let installed =
    "Check that darkroom-worker is installed with this darkroomd and is executable"

  private static func start(_ words: String, advice: String = installed) -> Failure {
    Failure(.machine, code: "worker.start", reason: "the worker \(words)", advice: advice)
  }

  static func open(_ layers: SandboxLayers) -> Failure {
    Failure(
      .machine, code: "worker.sandbox",
      reason: "the worker's sandbox is incomplete on this machine (only: \(layers))",
      advice: "Allow the service seccomp and prctl; without them no list or picture is read"
    )
  }

  func timeout(_ worker: Worker, _ verdict: WorkTime.Verdict?) -> Failure {
    switch worker.stage {
    case .starting: Self.start("did not start within \(settings.startTimeout.spoken)")
    case .working(_, let time):
      switch verdict {
      case .idle: Self.idle(time.limit)
      case .endless:
        Self.outOfTime("\(WorkTime.patience) times \(time.limit.spoken)", worker.options)
      case .spent, .goesOn, nil:
        Self.outOfTime("\(time.limit.spoken) of processor time", worker.options)
      }
    case .lost: Self.died("closed its socket without an answer")
    case .expecting, .idle, .dying: .cancelled  // has no request
    }
  }

  /// The picture may hang each worker, or a person has stopped this one: another worker tries it again.
  private static func idle(_ time: Duration) -> Failure {
    Failure(
      .passing, code: "worker.idle",
      reason: "the worker did nothing for \(time.spoken) and was killed")
  }

  private static func outOfTime(_ limit: String, _ options: WorkerOptions) -> Failure {
    Failure(
      .final, code: "worker.timeout", reason: "it did not finish within \(limit)",
      advice: options.readsLists
        ? "Split the list" : "Raise Timeout= under [Filter] if the picture is worth it")
  }
}
