// SPDX-License-Identifier: Apache-2.0
// What has come of one request so far. A value.

import Vocabulary

struct AnswerAccount {
  enum Asked: Equatable {
    case whole
    case part(from: UInt64)
    case change
  }

  var asked = Asked.whole
  /// Where in the file the body's first byte belongs.
  var base: UInt64 = 0
  /// Of the body, written to the file.
  var received: UInt64 = 0
  var discarded = 0
  var headerBytes = 0
  var dialled = 0
  var refusal: AddressRefusal?
  var problem: Failure?
  /// No socket could be made; counts only if no other address worked.
  var shortage: Failure?
  /// The first byte has been let through.
  var isJudged = false
  /// What was sent as the rest is not the rest of what we have.
  var isWrongPart = false
  var entity = EntityFacts()
}
