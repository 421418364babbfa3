// SPDX-License-Identifier: Apache-2.0
// What is recorded of one photo. Exactly these four states, and only these steps between them.

package enum PhotoState: UInt8, Sendable, CaseIterable {
  /// Nothing is known but the name and the URL. → downloaded, failed
  case new = 0
  /// The original is durable. → filtered, failed; back to new only when the original was lost
  case downloaded = 1
  /// The print is durable under its final name. Never left
  case filtered = 2
  /// Given up, with a reason. → new or downloaded, when the list is reopened
  case failed = 3

  package var name: String {
    switch self {
    case .new: "new"
    case .downloaded: "downloaded"
    case .filtered: "filtered"
    case .failed: "failed"
    }
  }

  /// Nothing is left to do for the photo.
  package var isFinal: Bool { self == .filtered || self == .failed }
}
