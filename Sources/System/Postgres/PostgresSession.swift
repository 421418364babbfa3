// SPDX-License-Identifier: Apache-2.0
// A connection to a PostgreSQL server. `run` sends several transactions in one round trip. Raises `PostgresError`;
// after an error that ends the session, only a new session can be used. Concurrency: for one thread, which waits for
// the server, never longer than it says.

internal import CPostgres
internal import Linux
package import Vocabulary

/// A statement is prepared once in a session, under its name; without a name at each use.
package struct PostgresStatement: Sendable {
  package let name: StaticString
  package let text: String
  package let values: [PostgresValue]

  package init(_ name: StaticString, _ text: String, _ values: [PostgresValue] = []) {
    self.name = name
    self.text = text
    self.values = values
  }
}

package struct PostgresNotice: Equatable, Sendable {
  package let channel: String
  package let payload: String
}

@safe package struct PostgresSession: ~Copyable {
  /// The rows of each statement of a transaction.
  package typealias Answer = Result<[[PostgresRow]], PostgresError>

  private let connection: UnsafeMutableRawPointer
  private let clock: any TimeSource
  private let interrupt: Int32
  private var prepared: Set<String> = []

  /// Connects, at the latest at the uptime `deadline`.
  /// - Parameter text: a connection string or URI.
  /// - Parameter settings: override the settings of the string.
  /// - Parameter interrupt: a descriptor; once it is readable, the session waits for nothing more.
  package static func open(
    _ text: String, _ settings: [(String, String)], clock: any TimeSource, until deadline: Duration,
    interrupt: Int32 = -1
  ) throws(PostgresError) -> PostgresSession {
    guard dr_pg_load() == 0 else { throw .noLibrary }
    let session = try PostgresSession(text, settings, clock, interrupt)
    while true {
      switch unsafe dr_pg_connect(session.connection) {
      case 0:
        guard unsafe dr_pg_pipeline(session.connection) == 1 else { throw session.lost() }
        return session
      case 1: try session.wait(until: deadline)
      case 2: try session.wait(until: deadline, toWrite: true)
      default: throw session.lost()
      }
    }
  }

  private init(
    _ text: String, _ settings: [(String, String)], _ clock: any TimeSource, _ interrupt: Int32
  ) throws(PostgresError) {
    (self.clock, self.interrupt) = (clock, interrupt)
    let texts = settings.map(\.0) + settings.map(\.1)
    let started = unsafe Self.withPointers(texts.map { Array($0.utf8) + [0] }) { pointers in
      let names = unsafe Array(pointers.prefix(settings.count)) + [nil]
      let values = unsafe Array(pointers.suffix(settings.count)) + [nil]
      return unsafe dr_pg_start(text, names, values)
    }
    guard let started = unsafe started else { throw .lost("there is no memory") }
    unsafe connection = started
  }

  deinit { unsafe dr_pg_finish(connection) }

  /// To wait for notices.
  package var descriptor: Int32 { unsafe dr_pg_socket(connection) }

  // MARK: statements

  /// A result that the server owes.
  private enum Expected { case preparation(String), rows, end }

  /// Sends all transactions in one round trip. The answers are in their order, with the rows of each statement. A
  /// statement that fails fails its transaction.
  package mutating func run(
    _ transactions: [[PostgresStatement]], until deadline: Duration
  ) throws(PostgresError) -> [Answer] {
    var expected: [Expected] = []
    for transaction in transactions {
      for statement in transaction { expected += try send(statement) }
      guard unsafe dr_pg_sync(connection) == 1 else { throw lost() }
      expected.append(.end)
    }
    var answers: [Answer] = []
    var rows: [[PostgresRow]] = []
    var failure: PostgresError?
    for next in expected {
      switch next {
      case .preparation(let name):
        if case .failure(let error) = try take(until: deadline) {
          failure = failure ?? error
          prepared.remove(name)
        }
      case .rows:
        switch try take(until: deadline) {
        case .success(let found): rows.append(found)
        case .failure(let error): failure = failure ?? error
        }
      case .end:
        try takeEnd(until: deadline)
        answers.append(failure.map { .failure($0) } ?? .success(rows))
        (rows, failure) = ([], nil)
      }
    }
    return answers
  }

  /// Takes the results of one command, up to their end.
  private func take(
    until deadline: Duration
  ) throws(PostgresError) -> Result<[PostgresRow], PostgresError> {
    var taken: Result<[PostgresRow], PostgresError> = .success([])
    while true {
      try arrive(until: deadline)
      guard let result = unsafe dr_pg_result(connection) else { return taken }
      defer { unsafe dr_pg_free(result) }
      switch unsafe Int(dr_pg_kind(result)) {
      case DR_PG_ROWS: taken = unsafe .success(Self.rows(result))
      case DR_PG_DONE: break
      case DR_PG_SKIPPED: taken = .failure(Self.skipped)
      default:
        if unsafe dr_pg_is_lost(connection) == 1 { throw lost() }
        taken = unsafe .failure(
          .statement(state: Self.text(dr_pg_state(result)), Self.text(dr_pg_error(result))))
      }
    }
  }

  private static let skipped = PostgresError.statement(state: "25P02", "an earlier one failed")

  private func takeEnd(until deadline: Duration) throws(PostgresError) {
    try arrive(until: deadline)
    guard let result = unsafe dr_pg_result(connection) else { throw lost() }
    defer { unsafe dr_pg_free(result) }
    guard unsafe Int(dr_pg_kind(result)) == DR_PG_SYNC else { throw lost() }
  }

  private mutating func send(_ statement: PostgresStatement) throws(PostgresError) -> [Expected] {
    var expected: [Expected] = []
    let name = "\(statement.name)"
    if !prepared.contains(name) {
      guard unsafe dr_pg_prepare(connection, name, statement.text) == 1 else { throw lost() }
      if !name.isEmpty { prepared.insert(name) }
      expected.append(.preparation(name))
    }
    let values = statement.values.map(\.encoded)
    let lengths = values.map { Int32($0?.count ?? 0) }
    // libpq wants a pointer even to no bytes.
    let isSent = unsafe Self.withPointers(values.map { ($0 ?? []) + [0] }) { pointers in
      let places = unsafe zip(values, pointers).map { unsafe $0 == nil ? nil : $1 }
      return unsafe dr_pg_send(connection, name, Int32(values.count), places, lengths)
    }
    guard isSent == 1 else { throw lost() }
    return expected + [.rows]
  }

  /// Waits until a result, or the end of one, can be taken without waiting.
  private func arrive(until deadline: Duration) throws(PostgresError) {
    while true {
      let left = unsafe dr_pg_flush(connection)
      guard left >= 0 else { throw lost() }
      if unsafe dr_pg_is_busy(connection) == 0 { return }
      try wait(until: deadline, toWrite: left == 1)
      guard unsafe dr_pg_consume(connection) == 1 else { throw lost() }
    }
  }

  /// The notices that have arrived.
  package func notices() throws(PostgresError) -> [PostgresNotice] {
    guard unsafe dr_pg_consume(connection) == 1 else { throw lost() }
    var notices: [PostgresNotice] = []
    var (channel, payload) = ([CChar](repeating: 0, count: 256), [CChar](repeating: 0, count: 256))
    while unsafe dr_pg_notice(connection, &channel, &payload, 256) == 1 {
      notices.append(PostgresNotice(channel: Self.text(channel), payload: Self.text(payload)))
    }
    return notices
  }

  // MARK: waiting

  private func wait(
    until deadline: Duration, toWrite: Bool = false
  ) throws(PostgresError) {
    let left = deadline - clock.uptime()
    guard left > .zero else { throw .timeIsOver }
    let socket = unsafe dr_pg_socket(connection)
    guard socket >= 0 else { throw lost() }
    let watches = [Poll.Watch(socket, wantsWrite: toWrite), Poll.Watch(interrupt)]
    let ready: [Poll.Watch]
    do throws(SystemError) { ready = try Poll.wait(watches, for: left) } catch {
      throw .lost(error.description)
    }
    if ready[1].isReady { throw .interrupted }
  }

  // MARK: texts and pointers

  private func lost() -> PostgresError {
    let words = unsafe Self.text(dr_pg_message(connection))
    return .lost(words.isEmpty ? "the connection is lost" : words)
  }

  /// Of a text of the server, in bytes.
  private static let longest = 4096

  /// libpq ends its texts with a line break, and continues on separate lines.
  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    var bytes: [UInt8] = []
    while bytes.count < longest, unsafe pointer[bytes.count] != 0 {
      bytes.append(unsafe UInt8(bitPattern: pointer[bytes.count]))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).map { line in
      String(line.drop { $0 == "\t" || $0 == " " })
    }.joined(separator: "; ")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func rows(_ result: UnsafeMutableRawPointer) -> [PostgresRow] {
    let columns = unsafe dr_pg_columns(result)
    return unsafe (0..<dr_pg_rows(result)).map { row in
      PostgresRow(
        (0..<columns).map { column in
          var length: Int32 = 0
          guard let value = unsafe dr_pg_value(result, row, column, &length) else { return nil }
          return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: Int(length)))
        })
    }
  }

  /// Pointers to the arrays, in one piece of memory.
  private static func withPointers<Value>(
    _ arrays: [[UInt8]], _ use: ([UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    var offsets: [Int] = []
    var all: [UInt8] = []
    for array in arrays {
      offsets.append(all.count)
      all += array
    }
    return unsafe all.withUnsafeBytes { bytes in
      let characters = unsafe bytes.bindMemory(to: CChar.self)
      let start = characters.baseAddress
      return unsafe use(offsets.map { offset in unsafe start.map { unsafe $0 + offset } })
    }
  }
}
