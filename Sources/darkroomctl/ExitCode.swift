// SPDX-License-Identifier: Apache-2.0
// The exit codes. Scripts rely on the numbers; darkroomctl(1) lists them.

package import Steer

package enum ExitCode: Int32, Sendable {
  case done = 0
  /// The command or a part of it failed.
  case failed = 1
  case usage = 2
  /// Only for `status`.
  case notRunning = 3
  case noSuchList = 4
  case notPermitted = 5
  case cancelled = 6
  case unreachable = 7
  case timeIsOver = 8

  /// Those of `status --check`; 0 is the fourth.
  static let degraded = ExitCode.failed
  static let down = ExitCode.usage
  static let unknown = ExitCode.notRunning

  package static func of(_ failure: ControlFailure) -> ExitCode {
    switch failure {
    case .notRunning, .unreachable, .lost, .silent, .slow, .nonsense: .unreachable
    case .notAllowed: .notPermitted
    case .timeIsOver: .timeIsOver
    case .refused(let error):
      switch error {
      case .noSuchList, .ambiguousList: .noSuchList
      case .permissionDenied: .notPermitted
      default: .failed
      }
    }
  }

  /// The exit code of a wait for these lists, all of which are over.
  package static func of(_ lists: [ListSummary]) -> ExitCode {
    if lists.contains(where: { $0.state == "cancelled" }) { return .cancelled }
    return lists.allSatisfy { $0.filtered == $0.total } ? .done : .failed
  }
}
