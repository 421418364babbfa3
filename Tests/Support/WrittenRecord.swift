// SPDX-License-Identifier: Apache-2.0
// The journal file as grep reads it: the lines of the segments, in order. A last line without its end
// is still being written, and not read.

import Foundation

package struct WrittenRecord: Sendable, Hashable {
  package let kind: String
  package let list: Int
  /// 0 in the record of a list.
  package let photo: Int
  package let text: String

  package init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count >= 5, words[0].utf8.count == 8, let list = Int(words[4]) else { return nil }
    kind = String(words[3])
    self.list = list
    photo = words.count > 5 ? Int(words[5]) ?? 0 : 0
    text = words[3...].joined(separator: " ")
  }

  package static func segments(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".log") }.sorted()
  }

  package static func read(_ folder: String) -> [WrittenRecord] {
    segments(folder).flatMap { name -> [WrittenRecord] in
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      let lines = String(decoding: bytes, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      return lines.compactMap { WrittenRecord($0) }
    }
  }
}
