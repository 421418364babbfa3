// SPDX-License-Identifier: Apache-2.0
// The files of this repository.

package import Foundation

package enum Repository {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The full path of a file or folder.
  package static func path(_ path: String) -> String {
    root.appending(path: path).path(percentEncoded: false)
  }

  /// The text of a file; empty without one.
  package static func text(_ path: String) -> String {
    (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
  }
}
