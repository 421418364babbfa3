// SPDX-License-Identifier: Apache-2.0
// The office over the model, as one node sees it.
// Concurrency: the model is behind a Mutex.

import Cluster
import ClusterModel
import Synchronization
import Vocabulary

final class ModelWorld: OfficeWorld {
  private let model: Mutex<LedgerModel>

  init(silence: Duration) { model = Mutex(LedgerModel(silence: silence)) }

  func office(_ node: String, run: UInt64) -> any ListOffice {
    ModelOffice(world: self, node: node, run: run)
  }

  func pass(_ time: Duration) { model.withLock { $0.pass(time) } }
  func close() {}

  fileprivate func use<R: Sendable>(_ body: (inout sending LedgerModel) -> sending R) -> R {
    model.withLock { body(&$0) }
  }
}

final class ModelOffice: ListOffice {
  private let world: ModelWorld
  private let node: String
  private let run: UInt64
  private let seat: Mutex<Int?> = Mutex(nil)

  init(world: ModelWorld, node: String, run: UInt64) {
    (self.world, self.node, self.run) = (world, node, run)
  }

  private static let replaced = Failure(
    .cancelled, code: "ledger.replaced", reason: "another daemon has entered")

  /// Enters at the first call, as a connection does.
  private func use<R: Sendable>(
    _ body: (inout LedgerModel, _ name: String, _ incarnation: Int, _ id: Int) -> R
  ) throws(Failure) -> R {
    let known = seat.withLock { $0 }
    let result: R? = world.use { model in
      guard
        let incarnation = known ?? model.enter(node, run: run, known: nil),
        let id = model.nodes[node]?.id
      else { return nil }
      seat.withLock { $0 = incarnation }
      return body(&model, node, incarnation, id)
    }
    guard let result else { throw Self.replaced }
    return result
  }

  func submit(_ submission: Submission) throws(Failure) -> Submitted {
    try use { model, _, _, id in model.submit(submission, by: id) }
  }

  func turn(_ reports: [ShareReport], lease wish: LeaseWish?) throws(Failure) -> Turn {
    try use { model, name, incarnation, id in
      let verdicts = reports.map { model.report($0, name, incarnation) }
      let shares = wish.map { model.lease($0, name, incarnation) } ?? []
      model.endLists(reports.filter(\.isLast).map(\.share.list))
      return Turn(verdicts: verdicts, shares: shares)
    }
  }

  func leaseAhead(_ wish: AheadWish) throws(Failure) -> [Share] {
    try use { model, name, incarnation, _ in model.leaseAhead(wish, name, incarnation) }
  }

  func giveBack(
    _ share: ShareID, after delay: Duration, waits: [UInt8]
  ) throws(Failure) -> Bool {
    try use { model, name, incarnation, id in
      let isGiven = model.giveBack(share, after: delay, waits, name, incarnation)
      model.endLists([share.list])
      return isGiven
    }
  }

  func pulse(_ seats: SeatRequest?) throws(Failure) -> PulseAnswer {
    let answer = try use { model, name, incarnation, _ in
      model.pulse(name, incarnation).map { answer in
        PulseAnswer(
          leases: answer.leases, isDraining: answer.isDraining, isOpen: answer.isOpen,
          seats: seats.map { .success(model.seats($0, name, incarnation) ?? []) })
      }
    }
    guard let answer else { throw Self.replaced }
    return answer
  }

  func order(
    _ order: ListOrder, of list: LedgerList, from origin: String?
  ) throws(Failure) -> Bool {
    try use { model, _, _, _ in
      model.isFrom(list, origin) && model.order(order, of: list)
    }
  }

  func entry(_ origin: String) throws(Failure) -> ListProgress? {
    try use { model, _, _, _ in
      model.progress(after: nil, most: .max, isOpen: false)
        .first { model.isFrom($0.list, origin) }
    }
  }

  func focus(_ focus: LedgerFocus) throws(Failure) -> FocusAnswer {
    try use { model, _, _, _ in model.setFocus(focus) }
  }

  func focuses(on lists: [LedgerList]) throws(Failure) -> [LedgerFocus] {
    try use { model, _, _, _ in model.focuses(on: lists) }
  }

  func lists(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) throws(Failure) -> [ListProgress] {
    try use { model, _, _, _ in model.progress(after: list, most: most, isOpen: isOpen) }
  }

  func home(of name: [UInt8], owner: String?) throws(Failure) -> String? {
    try use { model, _, _, _ in model.home(of: name, owner: owner) }
  }

  /// The model has no bells.
  func lacks(_ list: LedgerList) throws(Failure) {}

  func submission(of list: LedgerList) throws(Failure) -> Submission? {
    try use { model, _, _, _ in
      model.lists[list].map { list in
        let own = list.submission
        return Submission(
          origin: own.origin, owner: own.owner, name: own.name, sha256: own.sha256,
          serviceClass: list.serviceClass, photos: own.photos, folder: list.folder,
          isRoll: own.isRoll, terms: own.terms)
      }
    }
  }

  func outcomes(
    of list: LedgerList, from origin: String?, in photos: ClosedRange<UInt32>
  ) throws(Failure) -> [Outcome] {
    try use { model, _, _, _ in
      let outcomes = model.isFrom(list, origin) ? model.outcomes[list] ?? [:] : [:]
      return outcomes.values.filter { photos.contains($0.photo) }.sorted { $0.photo < $1.photo }
    }
  }

  func nodes() throws(Failure) -> [NodeFacts] {
    try use { model, _, _, _ in model.facts() }
  }

  func drain(_ node: String, _ isOn: Bool) throws(Failure) -> Bool {
    try use { model, _, _, _ in model.drain(node, isOn) }
  }

  func closed() throws(Failure) -> [LedgerList] {
    try use { model, name, incarnation, _ in model.closed(name, incarnation) }
  }

  func returned(_ list: LedgerList, from origin: String?) throws(Failure) {
    try use { model, name, incarnation, _ in
      if model.isFrom(list, origin) { model.returned(list, name, incarnation) }
    }
  }

  func retire(olderThan age: Duration) throws(Failure) -> [LedgerList] {
    try use { model, name, incarnation, _ in
      model.retire(olderThan: age, name, incarnation)
    }
  }

  func retired(_ list: LedgerList) throws(Failure) {
    let isOwn = try use { model, name, incarnation, _ in
      model.retired(list, name, incarnation)
    }
    if !isOwn { throw Failure(.machine, code: "ledger.lost", reason: "it is another node's") }
  }
}
