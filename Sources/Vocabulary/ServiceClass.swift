// SPDX-License-Identifier: Apache-2.0
// The five quality-of-service classes, with Foundation's names, the most urgent first.

package enum ServiceClass: UInt8, Sendable, CaseIterable, Comparable {
  case userInteractive = 0
  case userInitiated = 1
  case `default` = 2
  case utility = 3
  case background = 4

  package init?(name: some StringProtocol) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  package var name: String {
    switch self {
    case .userInteractive: "userInteractive"
    case .userInitiated: "userInitiated"
    case .default: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }

  /// The nice level of a worker that serves this class.
  package var nice: Int32 {
    switch self {
    case .userInteractive, .userInitiated: 0
    case .default: 5
    case .utility: 10
    case .background: 19
    }
  }

  /// The more urgent class is the lesser.
  package static func < (a: ServiceClass, b: ServiceClass) -> Bool { a.rawValue < b.rawValue }
}
