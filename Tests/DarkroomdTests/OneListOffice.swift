// SPDX-License-Identifier: Apache-2.0
// A ledger that knows one list, for tests of the parts that ask it.

import Cluster
import Linux
import Support
import Synchronization
import Vocabulary

@testable import darkroomd

/// The words of a node, and the state of its list from then on.
final class NodeWords: Sendable {
  let given = Mutex<[ShareID]>([])
  let lacked = Mutex<[LedgerList]>([])
  let state = Mutex<LedgerState?>(nil)
  /// Other nodes have its shares from then on.
  let isTaken = Mutex(false)
  /// No list is open from then on.
  let isQuiet = Mutex(false)
  /// The names of the calls that take turns.
  let calls = Mutex<[String]>([])
  /// The node is drained, and no other one is there.
  let isDrained = Mutex(false)
}

/// The lists that the ledger knows as returned; nil while it is silent.
final class LedgerEnds: Sendable {
  let lists = Mutex<[LedgerList]?>(nil)
  /// For each call, whether the list was withdrawn then.
  let withdrawn = Mutex<[Bool]>([])
  private let ask = Mutex<(@Sendable () async -> Bool)?>(nil)
  private let silence = Mutex<(isOn: Bool, call: Reply<Void>?)>((false, nil))

  func onEnd(_ question: @escaping @Sendable () async -> Bool) { ask.withLock { $0 = question } }

  /// The next call lasts until `release`.
  func hold() { silence.withLock { $0.isOn = true } }

  var isHeld: Bool { silence.withLock { $0.call != nil } }

  func release() {
    let call = silence.withLock { silence in
      defer { silence = (false, nil) }
      return silence.call
    }
    call?.give()
  }

  func heard() async {
    await Reply.wait { call in
      let isHeld = silence.withLock { silence in
        if silence.isOn { silence.call = call }
        return silence.isOn
      }
      if !isHeld { call.give() }
    }
    guard let question = ask.withLock({ $0 }) else { return }
    let answer = await question()
    withdrawn.withLock { $0.append(answer) }
  }
}

/// Knows one submission, and the shares of one node.
struct OneListOffice: ListOffice {
  let list: LedgerList
  let submission: Submission
  /// The origins of its twins.
  let twins: Set<String>
  let isReturned: Bool
  let state: LedgerState
  /// The shares that this node has, as each pulse says.
  let leases: [Share]
  let ends = LedgerEnds()
  let words = NodeWords()

  init(
    list: LedgerList, submission: Submission, twins: Set<String> = [], isReturned: Bool = false,
    state: LedgerState = .finished, leases: [Share] = []
  ) {
    (self.list, self.submission, self.twins) = (list, submission, twins)
    (self.isReturned, self.state, self.leases) = (isReturned, state, leases)
  }

  private static let unasked = Failure(.machine, code: "unasked", reason: "no test asks this")

  func submission(of list: LedgerList) async throws(Failure) -> Submission? {
    list == self.list ? submission : nil
  }

  func submit(_ submission: Submission) async throws(Failure) -> Submitted { throw Self.unasked }
  func turn(_ reports: [ShareReport], lease: LeaseWish?) async throws(Failure) -> Turn {
    if leases.isEmpty { throw Self.unasked }
    words.calls.withLock { $0.append("turn") }
    return Turn(verdicts: [], shares: [])
  }
  func leaseAhead(_ wish: AheadWish) async throws(Failure) -> [Share] { [] }
  func giveBack(
    _ share: ShareID, after delay: Duration, waits: [UInt8]
  ) async throws(Failure) -> Bool {
    words.given.withLock { $0.append(share) }
    words.calls.withLock { $0.append("giveBack") }
    return true
  }
  func lacks(_ list: LedgerList) async throws(Failure) {
    words.lacked.withLock { $0.append(list) }
    words.calls.withLock { $0.append("lacks") }
  }
  func pulse(_ seats: SeatRequest?) async throws(Failure) -> PulseAnswer {
    if leases.isEmpty { throw Self.unasked }
    let held = words.isTaken.withLock { $0 } ? [] : leases
    return PulseAnswer(
      leases: held.map {
        PulseAnswer.Lease($0, sequence: 0, words.state.withLock { $0 } ?? state)
      },
      isDraining: words.isDrained.withLock { $0 }, isOpen: words.isQuiet.withLock { !$0 })
  }
  func order(
    _ order: ListOrder, of list: LedgerList, from origin: String?
  ) async throws(Failure) -> Bool { throw Self.unasked }
  func focus(_ focus: LedgerFocus) async throws(Failure) -> FocusAnswer { throw Self.unasked }
  func focuses(on lists: [LedgerList]) async throws(Failure) -> [LedgerFocus] { [] }
  func lists(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) async throws(Failure) -> [ListProgress] {
    if leases.isEmpty { throw Self.unasked }
    return [progress]
  }
  private var progress: ListProgress {
    let state = words.state.withLock { $0 } ?? state
    return ListProgress(
      list, owner: "1000", name: submission.name, folder: submission.folder,
      serviceClass: .utility, state: state, photos: 3, filtered: state.isFinal ? 3 : 0, failed: 0,
      leased: 0, nodes: 0)
  }
  func entry(_ origin: String) async throws(Failure) -> ListProgress? {
    twins.contains(origin) ? progress : nil
  }
  func home(of name: [UInt8], owner: String?) async throws(Failure) -> String? {
    throw Self.unasked
  }
  func outcomes(
    of list: LedgerList, from origin: String?, in photos: ClosedRange<UInt32>
  ) async throws(Failure) -> [Outcome] { throw Self.unasked }
  func nodes() async throws(Failure) -> [NodeFacts] {
    guard words.isDrained.withLock({ $0 }) else { throw Self.unasked }
    return [
      NodeFacts("a", silence: .zero, isDraining: true, leased: 0, version: "1")
    ]
  }
  func drain(_ node: String, _ isOn: Bool) async throws(Failure) -> Bool { throw Self.unasked }
  func closed() async throws(Failure) -> [LedgerList] {
    isReturned ? [] : [list]
  }
  func returned(_ list: LedgerList, from origin: String?) async throws(Failure) {
    await ends.heard()
    let isHeard = ends.lists.withLock { lists in
      lists?.append(list)
      return lists != nil
    }
    if !isHeard { throw Self.unasked }
  }
  func retire(olderThan age: Duration) async throws(Failure) -> [LedgerList] { throw Self.unasked }
  func retired(_ list: LedgerList) async throws(Failure) { throw Self.unasked }
}
