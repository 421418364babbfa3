// SPDX-License-Identifier: Apache-2.0
// A refusal of bad bytes: it is final, has a code of its part, and words that are safe to show.

import Vocabulary

enum FailureProof {
  private static let longestReason = 4096

  static func check(_ failure: Failure, codes: [String]) {
    must(failure.kind == .final, "\(failure) is not final")
    must(codes.contains { failure.code.hasPrefix($0) }, "\(failure) has a code of another part")
    must(!failure.reason.isEmpty, "\(failure.code) says nothing")
    for text in [failure.reason, failure.advice] {
      must(text.utf8.count <= longestReason, "\(failure.code) talks too long")
      must(isPlain(text), "\(failure.code) shows control characters")
    }
  }

  static func isPlain(_ text: String) -> Bool {
    Array(text.utf8).allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
