// SPDX-License-Identifier: Apache-2.0
// The office that hands out lists to nodes; its implementations differ in how they keep the books. A node asks through
// a separate office. An answer is durable. Raises a `Failure` of kind `machine` if the books cannot be reached, or
// `cancelled` if another daemon has entered under the name of this node.

package import Vocabulary

package protocol ListOffice: Sendable {
  // MARK: lists come

  /// A list at work of the same owner and name with the same bytes is its twin. With other bytes, or over, the list
  /// is a revision: the earlier one is cancelled, and the new one waits until nothing of it is at work. A submission
  /// that is repeated, after a lost answer, has the answer of the first.
  func submit(_ submission: Submission) async throws(Failure) -> Submitted

  // MARK: photos go

  /// Records reports, in their order, then leases shares: together, or not at all.
  func turn(_ reports: [ShareReport], lease: LeaseWish?) async throws(Failure) -> Turn
  /// Leases ready shares of one list that viewers look at, until the shares have the wished number of photos. The
  /// other shares of the node do not count.
  func leaseAhead(_ wish: AheadWish) async throws(Failure) -> [Share]
  /// Gives the share back: after the delay, any node can lease it; if its list was cancelled, the share is removed.
  /// Returns false if this node does not have the share.
  func giveBack(
    _ share: ShareID, after delay: Duration, waits: [UInt8]
  ) async throws(Failure) -> Bool
  /// Tells the office that this node lives. The answer has each lease of the node, because a node that was frozen
  /// must not conclude from the success of one call that it still has all its leases.
  func pulse(_ seats: SeatRequest?) async throws(Failure) -> PulseAnswer

  // MARK: people

  /// False for an unknown list, and if nothing changes.
  /// - Parameter origin: where the list came from; nil if the caller has just read the number here. An older copy of the
  ///   books gives the numbers of lists again: a number that was kept is a list only with its origin.
  func order(
    _ order: ListOrder, of list: LedgerList, from origin: String?
  ) async throws(Failure) -> Bool
  /// Replaces the viewer's focus on the list; no photos end it.
  func focus(_ focus: LedgerFocus) async throws(Failure) -> FocusAnswer
  /// In the order of lists and viewers.
  func focuses(on lists: [LedgerList]) async throws(Failure) -> [LedgerFocus]
  /// In the order of their numbers, at most `most`.
  func lists(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) async throws(Failure) -> [ListProgress]
  /// The list that came from there, or its twin, under the number that it has here; nil for an unknown origin.
  func entry(_ origin: String) async throws(Failure) -> ListProgress?
  /// The node where the newest list of this name was dropped, of this owner or of any; nil for an unknown name.
  func home(of name: [UInt8], owner: String?) async throws(Failure) -> String?
  func submission(of list: LedgerList) async throws(Failure) -> Submission?
  /// A word to the node where the list was dropped, which may be lost: this node cannot have the files of the list.
  func lacks(_ list: LedgerList) async throws(Failure)
  /// The recorded photos in the range, in the order of their numbers.
  func outcomes(
    of list: LedgerList, from origin: String?, in photos: ClosedRange<UInt32>
  ) async throws(Failure) -> [Outcome]
  /// By name.
  func nodes() async throws(Failure) -> [NodeFacts]
  /// A node that drains leases nothing more. False for an unknown node.
  func drain(_ node: String, _ isOn: Bool) async throws(Failure) -> Bool

  // MARK: lists go

  /// The lists that are over and that this node is to return.
  func closed() async throws(Failure) -> [LedgerList]
  /// This node has returned the list.
  func returned(_ list: LedgerList, from origin: String?) async throws(Failure)
  /// Returned lists that are older, for this node to remove: the oldest ones, at most 64.
  func retire(olderThan age: Duration) async throws(Failure) -> [LedgerList]
  /// This node has removed the files of the list: its record goes.
  func retired(_ list: LedgerList) async throws(Failure)
}

extension ListOffice {
  package func pulse() async throws(Failure) -> PulseAnswer { try await pulse(nil) }

  /// Nil for an unknown list.
  package func progress(of list: LedgerList) async throws(Failure) -> ListProgress? {
    try await lists(
      after: LedgerList(list.number - min(1, list.number)), most: 1, isOpen: false
    ).first { $0.list == list }
  }
}
