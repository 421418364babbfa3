// SPDX-License-Identifier: Apache-2.0
// The connection of a node to the ledger, on a thread of its own. Calls that wait together go in one round trip. The
// first call connects; a call that fails has perhaps been done: all of them may be repeated. Raises a `Failure`:
// `machine` if the ledger does not answer, `final` if it cannot be used, `cancelled` after `close` and when another
// daemon has entered under the name of this node.
// Concurrency model: the thread holds the session; letters and replies go between it and the callers.

internal import Linux
internal import Postgres
package import Vocabulary

package struct LedgerPlace: Sendable {
  /// A connection string or URI, without a password.
  package let server: String
  package let password: String?
  /// The name of this node.
  package let node: String
  /// Drawn at the start of the daemon.
  package let run: UInt64
  /// A node that was silent for longer is taken for dead.
  package let silence: Duration
  /// The longest time of a round trip.
  package let patience: Duration

  package init(
    server: String, password: String? = nil, node: String, run: UInt64,
    silence: Duration = .seconds(30), patience: Duration = .seconds(10)
  ) {
    self.server = server
    self.password = password
    self.node = node
    self.run = run
    self.silence = silence
    self.patience = patience
  }

  var settings: [(String, String)] {
    [
      ("client_encoding", "UTF8"), ("application_name", "darkroomd"),
      ("target_session_attrs", "read-write"), ("connect_timeout", "10"),
      ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "20000"),
      // A plan that the optimiser thinks dear is compiled: hundreds of times slower for these statements.
      (
        "options",
        "-c jit=off -c statement_timeout=10s -c idle_in_transaction_session_timeout=10s -c search_path=darkroom"
      ),
    ] + (password.map { [("password", $0)] } ?? [])
  }
}

/// A hint, which may be lost.
package enum LedgerBell: Equatable, Sendable {
  case work(ServiceClass)
  case list(LedgerList)
  case over(LedgerList)
  /// This node can have more seats at a server, or has more than its part.
  case seats
}

final class LedgerLink: Sendable {
  typealias Rows = [[[PostgresRow]]]

  struct Call: Sendable {
    /// Transactions; made when this node's seat is known.
    let statements: @Sendable (LedgerSeat) -> [[PostgresStatement]]
    let reply: Reply<Result<Rows, Failure>>
  }

  private enum Letter: Sendable {
    case call(Call)
    case close
  }

  /// The state of the thread.
  private struct State: ~Copyable {
    var session: PostgresSession?
    var seat: LedgerSeat?
    var failure: Failure?
  }

  private let place: LedgerPlace
  private let clock: any TimeSource
  private let letters: Mailbox<Letter>
  private let ring: @Sendable (LedgerBell) -> Void

  static func start(
    _ place: LedgerPlace, clock: any TimeSource, ring: @escaping @Sendable (LedgerBell) -> Void
  ) throws(SystemError) -> LedgerLink {
    let link = LedgerLink(
      place, clock,
      letters: try Mailbox { letter in
        if case .call(let call) = letter { call.reply.give(.failure(.cancelled)) }
      }, ring)
    try OwnThread.start("ledger") { link.work() }
    return link
  }

  private init(
    _ place: LedgerPlace, _ clock: any TimeSource, letters: Mailbox<Letter>,
    _ ring: @escaping @Sendable (LedgerBell) -> Void
  ) {
    self.place = place
    self.clock = clock
    self.letters = letters
    self.ring = ring
  }

  /// The rows of each statement of each transaction.
  func ask(
    _ statements: @escaping @Sendable (LedgerSeat) -> [[PostgresStatement]]
  ) async throws(Failure) -> Rows {
    try await Reply.wait { reply in
      letters.put(.call(Call(statements: statements, reply: reply)))
    }.get()
  }

  func close() { letters.put(.close) }

  // MARK: the thread

  private func work() {
    var state = State()
    while true {
      let taken = letters.takeAll()
      var calls: [Call] = []
      var isClosing = false
      for letter in taken {
        switch letter {
        case .call(let call): calls.append(call)
        case .close: isClosing = true
        }
      }
      if !calls.isEmpty { serve(calls, &state) }
      if isClosing { break }
      if taken.isEmpty { rest(&state) }
    }
    state.session = nil
    letters.close()
  }

  /// Waits for letters and for bells.
  private func rest(_ state: inout State) {
    var watches = [Poll.Watch(letters.descriptor)]
    if let descriptor = state.session?.descriptor, descriptor >= 0 {
      watches.append(Poll.Watch(descriptor))
    }
    guard let ready = try? Poll.wait(watches, for: nil), ready.count > 1, ready[1].isReady else {
      return
    }
    do throws(PostgresError) {
      for notice in try state.session?.notices() ?? [] {
        LedgerBell(notice.payload, node: state.seat?.node).map(ring)
      }
    } catch { state.session = nil }
  }

  private func serve(_ calls: [Call], _ state: inout State) {
    let deadline = clock.uptime() + place.patience
    do throws(Failure) {
      let seat = try connect(&state, until: deadline)
      let transactions = calls.map { $0.statements(seat) }
      var answers: ArraySlice<PostgresSession.Answer>
      do throws(PostgresError) {
        answers = try state.session?.run(transactions.flatMap { $0 }, until: deadline)[...] ?? []
      } catch {
        state.session = nil
        throw error.failure
      }
      for (call, transactions) in zip(calls, transactions) {
        call.reply.give(Self.rows(answers.prefix(transactions.count)))
        answers = answers.dropFirst(transactions.count)
      }
    } catch {
      for call in calls { call.reply.give(.failure(error)) }
    }
  }

  private static func rows(
    _ answers: some Collection<PostgresSession.Answer>
  ) -> Result<Rows, Failure> {
    Result { () throws(Failure) in
      var rows: Rows = []
      for answer in answers {
        do throws(PostgresError) { rows.append(try answer.get()) } catch { throw error.failure }
      }
      return rows
    }
  }

  private func connect(
    _ state: inout State, until deadline: Duration
  ) throws(Failure) -> LedgerSeat {
    if let failure = state.failure { throw failure }
    if let seat = state.seat, state.session != nil { return seat }
    do throws(PostgresError) {
      if let seat = try enter(&state, until: deadline) { return seat }
    } catch {
      guard error.meansNoSchema else { throw state.failure ?? error.failure }
    }
    // The first node makes it, and the first one of a new release adds to it.
    do throws(PostgresError) {
      try LedgerSchema.install(at: place.server, place.settings, clock: clock, until: deadline)
      if let seat = try enter(&state, until: deadline) { return seat }
      throw .refused("its release does not change")
    } catch { throw state.failure ?? error.failure }
  }

  /// Nil if the schema lacks what this release needs.
  private func enter(
    _ state: inout State, until deadline: Duration
  ) throws(PostgresError) -> LedgerSeat? {
    var session = try PostgresSession.open(
      place.server, place.settings, clock: clock, until: deadline)
    let rows = try session.run(
      [
        [LedgerCall.release],
        [
          LedgerCall.enter(
            place.node, run: Int64(bitPattern: place.run), known: state.seat?.incarnation ?? 0)
        ], [LedgerCall.listen],
      ], until: deadline)
    let release = try rows[0].get()[0].first
    let seat = try rows[1].get()[0].first
    _ = try rows[2].get()
    try Self.check(release, &state)
    if let release, release.int(0) < Int64(LedgerSchema.release) { return nil }
    guard let seat, !seat.isNull(0) else {
      let failure = Self.replaced(place.node)
      state.failure = failure
      throw PostgresError.refused(failure.reason)
    }
    let taken = LedgerSeat(node: Int32(clamping: seat.int(0)), incarnation: seat.int(1))
    state.seat = taken
    state.session = consume session
    return taken
  }

  private static func check(_ row: PostgresRow?, _ state: inout State) throws(PostgresError) {
    guard let row, row.int(1) > Int64(LedgerSchema.release) else { return }
    state.failure = Failure(
      .final, code: "ledger.release",
      reason: "the ledger is used by releases that this one does not understand",
      advice: "Install the release of the other nodes")
    throw .refused("release \(row.int(0))")
  }

  private static func replaced(_ node: String) -> Failure {
    Failure(
      .cancelled, code: "ledger.replaced",
      reason: "another daemon has entered the ledger as node '\(node)'",
      advice: "Give each node a name of its own with Node= in darkroomd.conf")
  }
}

extension LedgerBell {
  /// Nil for a bell that is not for this node.
  init?(_ payload: String, node: Int32?) {
    let parts = payload.split(separator: " ")
    guard parts.count == 2, let number = UInt64(parts[1]) else { return nil }
    switch parts[0] {
    case "work": self = .work(ServiceClass(rawValue: UInt8(clamping: number)) ?? .default)
    case "list": self = .list(LedgerList(number))
    case "over": self = .over(LedgerList(number))
    case "seats" where UInt64(exactly: node ?? -1) == number: self = .seats
    default: return nil
    }
  }
}

extension PostgresError {
  /// No photo is to blame, whatever the error.
  var failure: Failure {
    let (code, advice) =
      switch self {
      case .noLibrary: ("ledger.library", "Install it: apt install libpq5")
      case .statement where meansNoSchema:
        ("ledger.schema", "Let the role make it, or make it as an administrator")
      case .statement(let state, _) where state.hasPrefix("42501"):
        ("ledger.rights", "Grant the role the rights on the schema darkroom")
      case .refused, .lost, .timeIsOver, .statement: ("ledger.lost", "")
      }
    return Failure(
      .machine, code: code, reason: "the ledger does not answer: \(words)", advice: advice)
  }

  var meansNoSchema: Bool {
    if case .statement(let state, _) = self { Self.noSchema.contains(state) } else { false }
  }

  /// Undefined table, schema, function.
  private static let noSchema: Set<String> = ["42P01", "3F000", "42883"]
}
