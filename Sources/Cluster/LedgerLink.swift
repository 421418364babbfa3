// SPDX-License-Identifier: Apache-2.0
// The connection of a node to the ledger, on a separate thread. Calls that wait together go in one round trip. The
// first call connects; a call that fails has perhaps been done: all calls may be repeated. Raises a `Failure`:
// `machine` if the ledger does not answer, `final` if it cannot be used, `cancelled` after `close` and when another
// daemon has entered under the name of this node.
// Concurrency model: the thread holds the session; letters and replies go between it and the callers.

internal import Linux
internal import Postgres
internal import Synchronization
package import Vocabulary

package struct LedgerPlace: Sendable {
  /// A connection string or URI, without a password.
  package let server: String
  package let password: LedgerPassword
  /// The name of this node.
  package let node: String
  /// Drawn at the start of the daemon.
  package let run: UInt64
  /// A node that was silent for longer is taken for dead.
  package let silence: Duration
  /// The longest time of a round trip.
  package let patience: Duration
  /// Nil for a link that works with any ledger.
  let memory: LedgerMemory?
  package let upgrade: LedgerUpgrade

  package init(
    server: String, password: String? = nil, node: String, run: UInt64,
    silence: Duration = .seconds(30), patience: Duration = .seconds(10),
    home: (any LedgerHome)? = nil, upgrade: LedgerUpgrade = .own
  ) {
    self.server = server
    self.password = LedgerPassword(password)
    self.node = node
    self.run = run
    self.silence = silence
    self.patience = patience
    memory = home.map { LedgerMemory($0) }
    self.upgrade = upgrade
  }

  /// The fault in the string of the server, found before any connection. Nil if this machine cannot tell.
  package static func problem(in server: String) -> String? { PostgresServers.problem(in: server) }

  /// The settings with which every session begins; `SessionSettings` sets the others.
  package var settings: [(String, String)] {
    [
      ("client_encoding", "UTF8"), ("application_name", "darkroomd"),
      ("target_session_attrs", "read-write"),
      // A name may have several addresses; one of a machine that is gone must leave time for the others.
      ("tcp_user_timeout", "\(patience.milliseconds / 4)"),
    ] + (password.current.map { [("password", $0)] } ?? [])
  }
}

/// The password of sessions that begin from now on. Concurrency: one Mutex around it.
package final class LedgerPassword: Sendable {
  private let text: Mutex<String?>

  package init(_ text: String?) { self.text = Mutex(text) }

  package var current: String? { text.withLock { $0 } }
  /// True if it differs from the earlier one.
  package func change(to new: String?) -> Bool {
    text.withLock { text in
      defer { text = new }
      return text != new
    }
  }
}

/// A hint, which may be lost.
package enum LedgerBell: Equatable, Sendable {
  case work(ServiceClass)
  case list(LedgerList)
  case over(LedgerList)
  /// A node cannot have the files of the list.
  case files(LedgerList)
  /// A viewer has a focus on the list, or has none any more.
  case focus(LedgerList)
  /// Photos that a viewer looks at wait for a node.
  case ahead
  /// This node can have more seats at a server, or has more than its part.
  case seats
}

final class LedgerLink: Sendable {
  typealias Rows = [[[PostgresRow]]]

  struct Call: Sendable {
    /// Transactions; made when this node's seat is known.
    let statements: @Sendable (LedgerSeat) -> [[PostgresStatement]]
    /// The history of the ledger in the answer.
    let history: @Sendable (Rows) -> LedgerHistory?
    let reply: Reply<Result<Rows, Failure>>
  }

  private enum Letter: Sendable {
    case call(Call)
    case close
  }

  private let place: LedgerPlace
  private let clock: any TimeSource
  private let letters: Mailbox<Letter>
  /// Ends every wait for a server.
  private let closing: WakeEvent
  private let ring: @Sendable (LedgerBell) -> Void

  static func start(
    _ place: LedgerPlace, clock: any TimeSource, ring: @escaping @Sendable (LedgerBell) -> Void
  ) throws(SystemError) -> LedgerLink {
    let link = LedgerLink(
      place, clock, closing: try WakeEvent(),
      letters: try Mailbox { letter in
        if case .call(let call) = letter { call.reply.give(.failure(.cancelled)) }
      }, ring)
    try OwnThread.start("ledger") { link.work() }
    return link
  }

  private init(
    _ place: LedgerPlace, _ clock: any TimeSource, closing: WakeEvent, letters: Mailbox<Letter>,
    _ ring: @escaping @Sendable (LedgerBell) -> Void
  ) {
    self.place = place
    self.clock = clock
    self.closing = closing
    self.letters = letters
    self.ring = ring
  }

  /// The rows of each statement of each transaction.
  func ask(
    history: @escaping @Sendable (Rows) -> LedgerHistory? = { _ in nil },
    _ statements: @escaping @Sendable (LedgerSeat) -> [[PostgresStatement]]
  ) async throws(Failure) -> Rows {
    try await Reply.wait { reply in
      letters.put(.call(Call(statements: statements, history: history, reply: reply)))
    }.get()
  }

  /// No call waits for a server any more.
  func close() {
    letters.put(.close)
    closing.ring()
  }

  // MARK: the thread

  private func work() {
    var entry = LedgerEntry(place, clock: clock, interrupt: closing.descriptor)
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
      if !calls.isEmpty { serve(calls, &entry) }
      if isClosing { break }
      if taken.isEmpty { rest(&entry) }
    }
    entry.leave()
    letters.close()
  }

  /// Waits for letters and for bells.
  private func rest(_ entry: inout LedgerEntry) {
    var watches = [Poll.Watch(letters.descriptor)]
    if let descriptor = entry.descriptor { watches.append(Poll.Watch(descriptor)) }
    guard let ready = try? Poll.wait(watches, for: nil), ready.count > 1, ready[1].isReady else {
      return
    }
    hear(&entry)
  }

  private func hear(_ entry: inout LedgerEntry) {
    for notice in entry.notices() { LedgerBell(notice.payload, node: entry.node).map(ring) }
  }

  private func serve(_ calls: [Call], _ entry: inout LedgerEntry) {
    let deadline = clock.uptime() + place.patience
    do throws(Failure) {
      let seat = try entry.seat(until: deadline)
      let transactions = calls.map { $0.statements(seat) }
      var answers = try entry.run(transactions.flatMap { $0 }, until: deadline)[...]
      for (call, transactions) in zip(calls, transactions) {
        var rows = Self.rows(answers.prefix(transactions.count))
        if let history = (try? rows.get()).flatMap(call.history), let problem = entry.saw(history) {
          rows = .failure(problem)
        }
        call.reply.give(rows)
        answers = answers.dropFirst(transactions.count)
      }
      // Bells that came with the answers do not wake the next `rest`.
      hear(&entry)
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
    case "files": self = .files(LedgerList(number))
    case "focus": self = .focus(LedgerList(number))
    case "ahead": self = .ahead
    case "seats" where UInt64(exactly: node ?? -1) == number: self = .seats
    default: return nil
    }
  }
}
