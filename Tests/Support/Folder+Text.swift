// SPDX-License-Identifier: Apache-2.0
// Folders for tests: files as text, names in order.

package import Vocabulary

extension Folder {
  /// Nil if the file is missing.
  package func text(_ name: FileName) throws -> String? {
    guard try has(name) else { return nil }
    return String(decoding: try open(name, .read).read(at: 0, upTo: 1 << 20), as: UTF8.self)
  }

  package func text(_ name: String) throws -> String? {
    try FileName(name).flatMap { try text($0) }
  }

  package func put(_ name: FileName, _ text: String) throws {
    try open(name, .create).write(Array(text.utf8), at: 0)
  }

  /// The names as text, in order.
  package func listing() throws -> [String] { try names().map { "\($0)" }.sorted() }
}
