// SPDX-License-Identifier: Apache-2.0
// The callers whom the inbox owes an answer. Confined to the inbox's thread.

internal import Linux
internal import Vocabulary

/// Callers that wait for a sweep, or for a list that repeats an earlier one.
struct InboxReplies {
  var look: [(question: SweepQuestion, reply: Reply<SweepReport>)] = []
  var settle: [Reply<SweepReport>] = []
  var again: [(order: RepeatOrder, stem: [UInt8], reply: Reply<Result<ListID, Failure>>)] = []
  /// Their tasks are in the queue, or run.
  private var repeating: [(order: RepeatOrder, reply: Reply<Result<ListID, Failure>>)] = []
  /// Their sweep is done; its claims may still run.
  private var settling: [Reply<SweepReport>] = []

  var isAwaited: Bool { !(look.isEmpty && settle.isEmpty && settling.isEmpty) }

  /// Call after each turn of the loop.
  mutating func answer(isSettled: Bool, _ report: (SweepQuestion) -> SweepReport) {
    for (question, reply) in look { reply.give(report(question)) }
    settling += settle
    (look, settle) = ([], [])
    guard isSettled, !settling.isEmpty else { return }
    let whole = report(SweepQuestion())
    for reply in settling { reply.give(whole) }
    settling = []
  }

  mutating func stop() {
    for reply in look.map(\.reply) + settle + settling { reply.give(.stopped) }
    (look, settle, settling) = ([], [], [])
    refuseAgain(.cancelled)
  }

  mutating func askedAgain() -> [(RepeatOrder, [UInt8])] {
    repeating += again.map { ($0.order, $0.reply) }
    defer { again = [] }
    return again.map { ($0.order, $0.stem) }
  }

  mutating func takeAgain(_ order: RepeatOrder) -> Reply<Result<ListID, Failure>>? {
    let place = repeating.firstIndex { $0.order == order }
    return place.map { repeating.remove(at: $0).reply }
  }

  mutating func refuseAgain(_ failure: Failure) {
    for (_, _, reply) in again { reply.give(.failure(failure)) }
    for (_, reply) in repeating { reply.give(.failure(failure)) }
    (again, repeating) = ([], [])
  }
}
