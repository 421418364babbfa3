// SPDX-License-Identifier: Apache-2.0
// The office that keeps its books in PostgreSQL, for one node.
// Concurrency: immutable; `LedgerLink` has a separate thread.

internal import Linux
internal import Postgres
package import Vocabulary

package struct PostgresOffice: ListOffice {
  private let link: LedgerLink
  private let silence: Duration
  private let password: LedgerPassword
  private let memory: LedgerMemory?

  /// - Parameter ring: called on the thread of the connection.
  package init(
    _ place: LedgerPlace, clock: any TimeSource,
    ring: @escaping @Sendable (LedgerBell) -> Void = { _ in }
  ) throws(SystemError) {
    link = try LedgerLink.start(place, clock: clock, ring: ring)
    silence = place.silence
    password = place.password
    memory = place.memory
  }

  /// For sessions that begin from now on. True if it differs from the earlier one.
  package func use(password new: String?) -> Bool { password.change(to: new) }

  /// Ends the thread; later calls raise `cancelled`.
  package func close() { link.close() }

  /// The rows of the last statement of the first transaction.
  private func rows(
    _ statement: @escaping @Sendable (LedgerSeat) -> PostgresStatement
  ) async throws(Failure) -> [PostgresRow] {
    try await link.ask { [[statement($0)]] }.first?.last ?? []
  }

  private func isTrue(
    _ statement: @escaping @Sendable (LedgerSeat) -> PostgresStatement
  ) async throws(Failure) -> Bool {
    try await rows(statement).first?.bool(0) ?? false
  }

  /// The rows of each statement of one transaction, which ends with the history of the ledger.
  private func askWithHistory(
    _ statements: @escaping @Sendable (LedgerSeat) -> [PostgresStatement]
  ) async throws(Failure) -> (rows: [[PostgresRow]], history: LedgerHistory) {
    let read: @Sendable (LedgerLink.Rows) -> LedgerHistory? = {
      $0.first?.last?.first.map { LedgerHistory($0) }
    }
    let answers = try await link.ask(history: read) { [statements($0) + [LedgerCall.history]] }
    guard let rows = answers.first, let history = read(answers) else { throw Self.nonsense }
    return (rows, history)
  }

  /// On the disk's threads: a disk that hangs must not keep other calls from the ledger.
  private func remember(_ history: LedgerHistory) async throws(Failure) {
    guard let memory else { return }
    try await onDisk { () throws(Failure) in try memory.saw(history) }
  }

  // MARK: lists come

  package func submit(_ submission: Submission) async throws(Failure) -> Submitted {
    let (rows, history) = try await askWithHistory { [LedgerCall.submit($0, submission)] }
    guard let row = rows[0].first else { throw Self.nonsense }
    // Before the node uses the number: a ledger that has forgotten the list is older for sure.
    try await remember(history)
    let list = LedgerList(row, 0)
    if row.bool(1) { return .twin(list, folder: row.bytes(3)) }
    return .list(
      list, earlier: row.isNull(2) ? nil : LedgerList(row, 2), folder: row.bytes(3))
  }

  // MARK: photos go

  package func turn(
    _ reports: [ShareReport], lease wish: LeaseWish?
  ) async throws(Failure) -> Turn {
    let ending = Set(reports.filter(\.isLast).map(\.share.list)).sorted()
    let answers = try await link.ask { [silence] seat in
      let first =
        (reports.isEmpty ? [] : [LedgerCall.report(seat, reports)])
        + (wish.map { [LedgerCall.lease(seat, $0, silence: silence)] } ?? [])
      let transactions = first.isEmpty ? [] : [first]
      return transactions + ending.map { [LedgerCall.end($0)] }
    }
    guard var results = answers.first?[...] else { return Turn(verdicts: [], shares: []) }
    var verdicts: [Verdict] = []
    if !reports.isEmpty {
      verdicts =
        results.popFirst()?.map { row in
          Verdict(rawValue: UInt8(clamping: row.int(0))) ?? .fenced
        } ?? []
      guard verdicts.count == reports.count else { throw Self.nonsense }
    }
    return Turn(verdicts: verdicts, shares: results.popFirst()?.map { Share($0) } ?? [])
  }

  package func leaseAhead(_ wish: AheadWish) async throws(Failure) -> [Share] {
    try await rows { LedgerCall.leaseAhead($0, wish) }.map { Share($0) }
  }

  package func giveBack(
    _ share: ShareID, after delay: Duration, waits: [UInt8]
  ) async throws(Failure) -> Bool {
    let answers = try await link.ask { seat in
      [
        [LedgerCall.giveBack(seat, share, after: delay, waits)],
        [LedgerCall.end(share.list)],
      ]
    }
    return answers.first?.first?.first?.bool(0) ?? false
  }

  package func pulse(_ seats: SeatRequest?) async throws(Failure) -> PulseAnswer {
    let (rows, history) = try await askWithHistory { [silence] in
      LedgerCall.pulse($0, silence: silence)
    }
    guard rows.count == 3, let row = rows[0].first else { throw Self.nonsense }
    // If this history cannot be remembered, the history of the next pulse will be.
    try? await remember(history)
    guard row.bool(0) else { throw Self.replaced }
    return PulseAnswer(
      leases: rows[1].map { PulseAnswer.Lease($0) }, isDraining: row.bool(1), isOpen: row.bool(2),
      seats: await grants(seats))
  }

  /// In a separate call, because it may wait for other nodes. Even if this call has no answer, the leases are known.
  private func grants(_ request: SeatRequest?) async -> Result<[SeatGrant], Failure>? {
    guard let request else { return nil }
    do throws(Failure) {
      let rows = try await rows { [silence] in LedgerCall.seats($0, request, silence: silence) }
      return .success(rows.map { SeatGrant($0) })
    } catch { return .failure(error) }
  }

  // MARK: people

  package func order(
    _ order: ListOrder, of list: LedgerList, from origin: String?
  ) async throws(Failure) -> Bool {
    try await isTrue { LedgerCall.order($0, order, list, from: origin) }
  }

  package func focus(_ focus: LedgerFocus) async throws(Failure) -> FocusAnswer {
    guard let row = try await rows({ _ in LedgerCall.focus(focus) }).first else {
      throw Self.nonsense
    }
    switch row.int(0) {
    case 0: return .set(left: UInt32(clamping: row.int(1)))
    case 1: return .notAtWork
    default: return .tooManyViewers
    }
  }

  package func focuses(on lists: [LedgerList]) async throws(Failure) -> [LedgerFocus] {
    try await rows { _ in LedgerCall.focuses(on: lists) }.map { LedgerFocus($0) }
  }

  package func lists(
    after list: LedgerList?, most: Int, isOpen: Bool
  ) async throws(Failure) -> [ListProgress] {
    try await rows { _ in LedgerCall.lists(after: list, most: most, isOpen: isOpen) }
      .map { ListProgress($0) }
  }

  package func entry(_ origin: String) async throws(Failure) -> ListProgress? {
    try await rows { _ in LedgerCall.entry(origin) }.first.map { ListProgress($0) }
  }

  package func home(of name: [UInt8], owner: String?) async throws(Failure) -> String? {
    try await rows { _ in LedgerCall.home(of: name, owner: owner) }.first
      .flatMap { $0.isNull(0) ? nil : $0.text(0) }
  }

  package func lacks(_ list: LedgerList) async throws(Failure) {
    _ = try await rows { _ in LedgerCall.lacks(list) }
  }

  package func submission(of list: LedgerList) async throws(Failure) -> Submission? {
    try await rows { _ in LedgerCall.submission(list) }.first.map { row in
      Submission(
        origin: row.text(0), owner: row.text(1), name: row.bytes(2), sha256: row.text(3),
        serviceClass: ServiceClass(row, 4), photos: UInt32(clamping: row.int(5)),
        folder: row.bytes(6), isRoll: row.bool(7), terms: row.text(8, most: .max))
    }
  }

  package func outcomes(
    of list: LedgerList, from origin: String?, in photos: ClosedRange<UInt32>
  ) async throws(Failure) -> [Outcome] {
    try await rows { _ in LedgerCall.outcomes(list, from: origin, photos) }
      .flatMap { OutcomePack.decode($0.bytes(0)) }
      .filter { photos.contains($0.photo) }.sorted { $0.photo < $1.photo }
  }

  package func nodes() async throws(Failure) -> [NodeFacts] {
    try await rows { _ in LedgerCall.nodes }.map { row in
      NodeFacts(
        row.text(0), silence: .seconds(row.int(1)), isDraining: row.bool(2),
        leased: UInt32(clamping: row.int(3)), version: row.text(4))
    }
  }

  package func drain(_ node: String, _ isOn: Bool) async throws(Failure) -> Bool {
    try await isTrue { _ in LedgerCall.drain(node, isOn) }
  }

  // MARK: lists go

  package func closed() async throws(Failure) -> [LedgerList] {
    try await rows { LedgerCall.closed($0) }.map { LedgerList($0, 0) }
  }

  package func returned(_ list: LedgerList, from origin: String?) async throws(Failure) {
    _ = try await rows { LedgerCall.returned($0, list, from: origin) }
  }

  package func retire(olderThan age: Duration) async throws(Failure) -> [LedgerList] {
    try await rows { LedgerCall.retire($0, olderThan: age) }.map { LedgerList($0, 0) }
  }

  package func retired(_ list: LedgerList) async throws(Failure) {
    _ = try await rows { LedgerCall.retired($0, list) }
  }

  // MARK: failures

  private static let nonsense = Failure(
    .machine, code: "ledger.answer", reason: "the ledger gave an answer of another kind")
  private static let replaced = Failure(
    .cancelled, code: "ledger.replaced",
    reason: "another daemon has entered the ledger under the name of this node",
    advice: "Give each node a name of its own with Node= in darkroomd.conf")
}
