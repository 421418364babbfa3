// SPDX-License-Identifier: Apache-2.0
// The verdict of `status --check`, in one line for a monitoring system. A value; raises nothing.

internal import Steer
internal import Vocabulary

enum HealthCheck: String {
  case ok, degraded, down, unknown

  /// The codes that monitoring systems read as OK, WARNING, CRITICAL and UNKNOWN.
  var code: ExitCode {
    switch self {
    case .ok: .done
    case .degraded: .degraded
    case .down: .down
    case .unknown: .unknown
    }
  }

  static func judge(_ report: StatusReport) -> (verdict: HealthCheck, why: [String]) {
    let state = "darkroomd \(report.version) is \(report.state)"
    if report.state == "stopping" { return (.down, [state]) }
    if !report.degraded.isEmpty { return (.degraded, report.degraded) }
    return (report.state == "running" ? .ok : .degraded, [state])
  }

  static func judge(_ failure: ControlFailure) -> (verdict: HealthCheck, why: [String]) {
    switch failure {
    case .notRunning, .unreachable, .lost, .silent, .slow, .timeIsOver: (.down, ["\(failure)"])
    case .notAllowed, .nonsense, .refused: (.unknown, ["\(failure)"])
    }
  }

  func object(_ why: [String]) -> JSONValue {
    ["health": .string(rawValue), "why": .array(why.map { .string($0) })]
  }

  func line(_ why: [String]) -> String {
    "\(rawValue): \(why.map { Printable.sentence($0) }.joined(separator: "; "))\n"
  }
}
