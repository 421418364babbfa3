// SPDX-License-Identifier: Apache-2.0
// The progress of one request's answer. A value.

import Vocabulary

struct AnswerAccount {
  enum Asked: Equatable {
    case whole
    case part(from: UInt64)
    case change
    /// The request posted a message, so the status alone is the answer.
    case message

    var isPart: Bool { if case .part = self { true } else { false } }
  }

  var asked = Asked.whole
  var coding = ContentCoding()
  /// The file offset of the body's first byte.
  var base: UInt64 = 0
  /// Bytes of the body that the sink has taken.
  var received: UInt64 = 0
  /// Coded bytes of the body, unpacked or about to be.
  var packed: UInt64 = 0
  var discarded = 0
  var headerBytes = 0
  var dialled = 0
  var refusal: AddressRefusal?
  var problem: Failure?
  /// The reason why no socket could be made. It counts only if no other address worked.
  var shortage: Failure?
  /// The answer was judged before its first byte.
  var isJudged = false
  /// The part that was sent does not continue our bytes.
  var isWrongPart = false
  var entity = EntityFacts()
  /// Nil for a request to the host itself.
  var proxy: ProxyFacts?

  /// The file offset of the body's next byte.
  var end: UInt64 { base + received }
}
