// SPDX-License-Identifier: Apache-2.0
// The recorded state of a photo: exactly these four states, and only the steps noted with them.

package enum PhotoState: UInt8, Sendable, CaseIterable {
  /// Only name and URL are known. → downloaded, failed
  case new = 0
  /// The original is durable. → filtered, failed; new only if the original was lost
  case downloaded = 1
  /// The print is durable under its final name. Final
  case filtered = 2
  /// Given up, with a reason. Final
  case failed = 3

  package var name: String {
    switch self {
    case .new: "new"
    case .downloaded: "downloaded"
    case .filtered: "filtered"
    case .failed: "failed"
    }
  }

  /// Nil for another word.
  package init?(name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }

  /// Nothing is left to do for the photo.
  package var isFinal: Bool { self == .filtered || self == .failed }
}
