// SPDX-License-Identifier: Apache-2.0
// This node's session with the server that has the ledger: at the first call, and after every loss, it looks for that
// server among those of `Ledger=`, and enters. Raises a `Failure`, as `LedgerLink` does.
//
// The server may change: a standby is promoted when the primary is lost. So each server has a part of the time only,
// and one that was silent is asked last. A server that became read-only is left. If a server is on an earlier
// timeline of the same system than a server that was used before, it is an old primary that came back. It lacks later
// changes, so this node reads nothing from it. The timelines of a fresh server begin again; there, the tie judges the
// ledger.
// Concurrency: for one thread, which waits for servers, never longer than it says. Only the lookup of their names has
// no limit, because libpq does it. An entry may also wait for a disk, and the first one of a run for the store
// (`LedgerTie`).

internal import Postgres
package import Vocabulary

struct LedgerEntry: ~Copyable {
  private let place: LedgerPlace
  private let clock: any TimeSource
  private let interrupt: Int32
  private var session: PostgresSession?
  private var seat: LedgerSeat?
  /// No server can be used any more.
  private var failure: Failure?
  /// Why this attempt fails, if servers did answer, and until when there is no other attempt.
  private var obstacle: Failure?
  private var obstacleTime = Duration.zero
  /// The place of the server that is asked first.
  private var server = 0
  /// The latest that was seen, of each system.
  private var timelines: [Int64: Int64] = [:]
  private var tie: LedgerTie?

  init(_ place: LedgerPlace, clock: any TimeSource, interrupt: Int32) {
    (self.place, self.clock, self.interrupt) = (place, clock, interrupt)
    tie = place.memory.map { LedgerTie($0) }
  }

  /// To wait for notices; nil without a session.
  var descriptor: Int32? {
    mutating get {
      guard let descriptor = session?.descriptor, descriptor >= 0 else { return nil }
      return descriptor
    }
  }

  /// The number of this node in the ledger.
  var node: Int32? { seat?.node }

  mutating func notices() -> [PostgresNotice] {
    do throws(PostgresError) { return try session?.notices() ?? [] } catch {
      session = nil
      return []
    }
  }

  mutating func leave() { session = nil }

  /// Call with the history in each answer that has one. Returns what stands against the ledger, which is left then.
  mutating func saw(_ history: LedgerHistory) -> Failure? {
    guard let problem = tie?.saw(history) else { return nil }
    session = nil
    return problem
  }

  // MARK: calls

  mutating func run(
    _ transactions: [[PostgresStatement]], until deadline: Duration
  ) throws(Failure) -> [PostgresSession.Answer] {
    do throws(PostgresError) {
      let answers = try session?.run(transactions, until: deadline) ?? []
      for case .failure(let error) in answers where error.meansStandby { session = nil }
      return answers
    } catch {
      session = nil
      if error == .timeIsOver { server += 1 }
      throw error.failure
    }
  }

  /// The seat of this node at the server of the session.
  mutating func seat(until deadline: Duration) throws(Failure) -> LedgerSeat {
    if let failure { throw failure }
    if let seat, session != nil { return seat }
    if let obstacle, clock.uptime() < obstacleTime { throw obstacle }
    obstacle = nil
    do throws(PostgresError) {
      let servers = try PostgresServers(
        in: place.server, hasPassword: place.password.current != nil
      ).all
      var errors: [(String, PostgresError)] = []
      for _ in servers {
        let candidate = servers[server % servers.count]
        let limit = min(deadline, clock.uptime() + place.patience / servers.count)
        do throws(PostgresError) { return try enter(candidate, until: limit) } catch {
          if failure != nil || error == .interrupted { throw error }
          errors.append((candidate.name, error))
          server += 1
        }
      }
      throw .all(errors)
    } catch {
      obstacleTime = clock.uptime() + Self.rest
      throw failure ?? obstacle ?? error.failure
    }
  }

  /// The pause after an obstacle, because many callers ask one after the other.
  private static let rest = Duration.milliseconds(500)

  private mutating func enter(
    _ server: PostgresServers.Server, until deadline: Duration
  ) throws(PostgresError) -> LedgerSeat {
    var session = try PostgresSession.open(
      place.server, place.settings + server.settings + server.trust, clock: clock, until: deadline,
      interrupt: interrupt)
    try stop(
      SessionSettings.set(in: &session, until: deadline).map { Failure.pooled(reason: $0) })
    try prepare(&session, at: server, until: deadline)
    try stop(tie?.problem(&session, until: deadline))
    let call = LedgerCall.enter(
      place.node, run: Int64(bitPattern: place.run), known: seat?.incarnation ?? 0)
    let rows = try session.run([[call], [LedgerCall.listen]], until: deadline)
    let row = try rows[0].get()[0].first
    _ = try rows[1].get()
    guard let row, !row.isNull(0) else {
      failure = Self.replaced(place.node)
      throw PostgresError.refused("another daemon has the name")
    }
    try stop(tie?.remember())
    let taken = LedgerSeat(node: Int32(clamping: row.int(0)), incarnation: row.int(1))
    seat = taken
    self.session = consume session
    return taken
  }

  /// The first node makes the ledger, and the first one of a release upgrades it.
  private mutating func prepare(
    _ session: inout PostgresSession, at server: PostgresServers.Server, until deadline: Duration
  ) throws(PostgresError) {
    var release: Int64
    do throws(PostgresError) { release = try self.release(&session, until: deadline) } catch {
      guard error.meansNoSchema else { throw error }
      guard seat == nil else {
        throw .refused("\(server.name) has another database, without the ledger")
      }
      try stop(tie?.objection())
      try install(&session, until: deadline)
      release = try self.release(&session, until: deadline)
    }
    while release < place.upgrade.release {
      try upgrade(&session, until: deadline)
      release = try self.release(&session, until: deadline)
    }
  }

  private mutating func stop(_ problem: Failure?) throws(PostgresError) {
    guard let problem else { return }
    obstacle = problem
    throw .refused(problem.reason)
  }

  /// The release of the ledger.
  private mutating func release(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> Int64 {
    let facts = try session.run([[LedgerCall.release]], until: deadline)
    let own = Int64(place.upgrade.release)
    guard let row = try facts[0].get()[0].first else { return own }
    if row.int(1) > own { throw refused(Self.tooNew) }
    let (timeline, system) = (row.int(2), row.int(3))
    guard timeline >= timelines[system, default: 0] else {
      throw .refused("it was the primary earlier, and lacks later changes")
    }
    timelines[system] = timeline
    return row.int(0)
  }

  private mutating func install(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) {
    do throws(PostgresError) { try LedgerSchema.install(&session, until: deadline) } catch {
      if error.lacksRights { obstacle = Self.unmade(error.words) }
      throw error
    }
  }

  private mutating func upgrade(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) {
    do throws(PostgresError) {
      if try place.upgrade.run(&session, until: deadline) { return }
    } catch {
      guard case .statement(_, let words) = error else { throw error }
      obstacle = Self.unchanged(words, lacksRights: error.lacksRights)
      throw .refused(words)
    }
    throw refused(Self.tooOld)
  }

  private mutating func refused(_ failure: Failure) -> PostgresError {
    self.failure = failure
    return .refused(failure.reason)
  }

  private static func unmade(_ words: String) -> Failure {
    Failure(
      .machine, code: "ledger.schema", reason: "the ledger could not be made: \(words)",
      advice: "Grant the role CREATE on the database, until one node has made the schema darkroom")
  }

  private static func unchanged(_ words: String, lacksRights: Bool) -> Failure {
    Failure(
      .machine, code: "ledger.upgrade",
      reason: "the ledger of an earlier release could not be upgraded: \(words)",
      advice: lacksRights
        ? "Start one node of this release with the role that owns the schema darkroom" : "")
  }

  private static let tooOld = Failure(
    .final, code: "ledger.release",
    reason: "the ledger was made by an earlier release, which this one does not understand",
    advice:
      "Install the earlier release; or end all lists, and begin with a new database in Ledger= "
      + "and empty folders: see UPGRADE in darkroom-cluster(7)")

  private static let tooNew = Failure(
    .final, code: "ledger.release",
    reason: "the ledger is used by releases that this one does not understand",
    advice: "Install the release of the other nodes")

  private static func replaced(_ node: String) -> Failure {
    Failure(
      .cancelled, code: "ledger.replaced",
      reason: "another daemon has entered the ledger as node '\(node)'",
      advice: "Give each node a name of its own with Node= in darkroomd.conf, and restart this one")
  }
}

extension Failure {
  fileprivate static let ledgerSilence = "ledger.lost"
  private static let ledgerTroubles: Set<String> = [
    ledgerSilence, "ledger.home", "ledger.other", ledgerAge, "ledger.release", "ledger.schema",
    "ledger.upgrade", ledgerDistrust, ledgerPooler, "blobs.ledger", "blobs.other",
  ]
  fileprivate static let ledgerDistrust = "ledger.tls"
  fileprivate static let ledgerPooler = "ledger.pooler"
  fileprivate static let ownSession =
    "Let the pooler give each client a session (pool_mode = session in PgBouncer), or connect to PostgreSQL itself"

  fileprivate static func pooled(reason: String) -> Failure {
    Failure(.machine, code: ledgerPooler, reason: reason, advice: ownSession)
  }

  /// This node has no session with the ledger: one of its tasks tells that, for all that ask.
  package var isLedgerSilence: Bool { Self.ledgerTroubles.contains(code) }
}

extension PostgresError {
  /// No photo is to blame, whatever the error.
  var failure: Failure {
    if self == .interrupted { return .cancelled }
    let (code, advice) =
      switch self {
      case .noLibrary: ("ledger.library", "Install it: apt install libpq5")
      case .statement where meansNoSchema:
        (
          "ledger.schema",
          "Grant the role the rights on the schema darkroom; if a part of it is missing, restore it"
        )
      case .statement where lacksRights:
        ("ledger.rights", "Grant the role the rights on the schema darkroom")
      case .statement(Self.preparedTwice, _), .statement(Self.notPrepared, _):
        (Failure.ledgerPooler, Failure.ownSession)
      case .lost where meansDistrust:
        (
          Failure.ledgerDistrust,
          "Give the server a certificate that this machine trusts, see TLS in darkroom-cluster(7)"
        )
      case .refused, .lost, .timeIsOver, .interrupted, .statement: (Failure.ledgerSilence, "")
      }
    return Failure(
      .machine, code: code, reason: "\(symptom): \(words)", advice: advice)
  }

  private var symptom: String {
    switch self {
    case .statement: "the ledger refuses a call"
    // A server says so while a session begins.
    case .lost where OutsideText(checked: words).contains("FATAL:"): "the ledger refuses this node"
    case .lost where meansDistrust: "the server of the ledger has not proved what it is"
    default: "the ledger does not answer"
    }
  }

  /// Each session prepares its statements once: the server has another session's.
  private static let (preparedTwice, notPrepared) = ("42P05", "26000")

  /// No password was sent; see `PostgresTrust`. libpq has no codes for it.
  private var meansDistrust: Bool {
    ["SSL was required", "ertificate", "hannel binding"].contains { words.contains($0) }
  }

  var meansNoSchema: Bool {
    if case .statement(let state, _) = self { Self.noSchema.contains(state) } else { false }
  }

  fileprivate var lacksRights: Bool {
    if case .statement(let state, _) = self { state == "42501" } else { false }
  }

  /// The server takes no changes: it is a standby, or is to become one.
  fileprivate var meansStandby: Bool {
    if case .statement(let state, _) = self { state == "25006" } else { false }
  }

  /// Why none of several servers can be used: the error of a server that was reached, or those of all.
  fileprivate static func all(_ errors: [(name: String, error: PostgresError)]) -> PostgresError {
    if errors.count == 1 { return errors[0].error }
    for case (_, .statement(let state, let words)) in errors {
      return .statement(state: state, words)
    }
    return .lost(errors.map { "\($0.name): \($0.error.words)" }.joined(separator: "; "))
  }

  /// Undefined table, schema, function.
  private static let noSchema: Set<String> = ["42P01", "3F000", "42883"]
}
