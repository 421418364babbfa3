// SPDX-License-Identifier: Apache-2.0
// The statements of the ledger, and the values in their answers.

internal import Postgres
internal import Vocabulary

/// This node's number, and the number of its start.
struct LedgerSeat: Equatable, Sendable {
  let node: Int32
  let incarnation: Int64

  var values: [PostgresValue] { [.int4(node), .int8(incarnation)] }
}

enum LedgerCall {
  private typealias Statement = PostgresStatement

  static let listen = PostgresStatement("listen", "LISTEN darkroom")

  static func enter(_ name: String, run: Int64, known: Int64) -> PostgresStatement {
    PostgresStatement(
      "enter", "SELECT id, incarnation FROM enter($1::text, $2::int8, $3::int8, $4::text)",
      [.text(name), .int8(run), .int8(known), .text(Release.version)])
  }

  static func tie(_ folder: String) -> PostgresStatement {
    PostgresStatement("tie", "SELECT identity, folder FROM tie($1::text)", [.text(folder)])
  }

  /// A standby that is promoted begins a timeline, whose number is the start of the names of its files.
  static let release = PostgresStatement(
    "release",
    """
    SELECT version, oldest,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint, system_identifier
    FROM release, pg_control_system()
    """)

  static let history = PostgresStatement("history", "SELECT life, counts FROM history()")

  // MARK: lists come

  static func submit(_ seat: LedgerSeat, _ list: Submission) -> PostgresStatement {
    PostgresStatement(
      "submit",
      """
      SELECT id, is_twin, earlier, folder FROM submit($1::int4, $2::text, $3::text, $4::bytea,
        $5::text, $6::int2, $7::int4, $8::bytea, $9::bool, $10::bool, $11::text)
      """,
      [
        .int4(seat.node), .text(list.origin), .text(list.owner), .bytes(list.name),
        .text(list.sha256), .int2(Int16(list.serviceClass.rawValue)),
        .int4(Int32(clamping: list.photos)),
        .bytes(list.folder), .bool(list.isFolderFree), .bool(list.isRoll), .text(list.terms),
      ])
  }

  static func submission(_ list: LedgerList) -> PostgresStatement {
    PostgresStatement(
      "submission",
      """
      SELECT origin, owner, name, sha256, class, photos, folder, is_roll, terms
      FROM submission($1::int8)
      """, [list.value])
  }

  static func lacks(_ list: LedgerList) -> PostgresStatement {
    PostgresStatement("lacks", "SELECT pg_notify('darkroom', 'files ' || $1::int8)", [list.value])
  }

  // MARK: photos go

  static func report(_ seat: LedgerSeat, _ reports: [ShareReport]) -> PostgresStatement {
    PostgresStatement(
      "report",
      """
      SELECT verdict FROM report($1::int4, $2::int8, $3::int8[], $4::int4[], $5::int4[], $6::int4[],
        $7::varbit[], $8::int4[], $9::int4[], $10::bytea[], $11::bool[])
      """,
      seat.values + [
        .int8s(reports.map { Int64(clamping: $0.share.list.number) }),
        .int4s(reports.map { Int32(clamping: $0.share.first) }),
        .int4s(reports.map { Int32(clamping: $0.share.epoch) }),
        .int4s(reports.map { Int32(clamping: $0.sequence) }),
        .bitArrays(reports.map { PostgresBits($0.mask.bytes, count: $0.mask.count) }),
        .int4s(reports.map { Int32($0.outcomes.count(where: \.isFiltered)) }),
        .int4s(reports.map { Int32($0.outcomes.count(where: { !$0.isFiltered })) }),
        .byteArrays(reports.map { OutcomePack.encode($0.outcomes) }),
        .bools(reports.map(\.isLast)),
      ])
  }

  /// In a separate transaction.
  static func end(_ list: LedgerList) -> PostgresStatement {
    PostgresStatement("end", "SELECT end_lists(ARRAY[$1::int8])", [list.value])
  }

  private static func text(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

  private static func numbers(_ lists: [LedgerList]) -> PostgresValue {
    .int8s(lists.map { Int64(clamping: $0.number) })
  }

  static func lease(
    _ seat: LedgerSeat, _ wish: LeaseWish, silence: Duration
  ) -> PostgresStatement {
    PostgresStatement(
      "lease",
      """
      SELECT list, first, last, epoch, class, done, deaths, waits
      FROM lease($1::int4, $2::int8, $3::int4, $4::int4, $5::int2, $6::bool, $7::int8[],
        $8::int8[], $9::int4[], $10::int8)
      """,
      seat.values + [
        .int4(Int32(clamping: wish.photos)), .int4(Int32(clamping: wish.largest)),
        .int2(Int16(wish.leastClass.rawValue)), .bool(wish.isReversed), numbers(wish.full),
        numbers(wish.standing.map(\.list)),
        .int4s(wish.standing.map { Int32(clamping: $0.photos) }), silence.value,
      ])
  }

  static func leaseAhead(_ seat: LedgerSeat, _ wish: AheadWish) -> PostgresStatement {
    PostgresStatement(
      "lease_ahead",
      """
      SELECT list, first, last, epoch, class, done, deaths, waits
      FROM lease_ahead($1::int4, $2::int8, $3::int4, $4::int8[])
      """, seat.values + [.int4(Int32(clamping: wish.photos)), numbers(wish.besides)])
  }

  static func giveBack(
    _ seat: LedgerSeat, _ share: ShareID, after delay: Duration, _ waits: [UInt8]
  ) -> PostgresStatement {
    PostgresStatement(
      "give_back",
      "SELECT give_back($1::int4, $2::int8, $3::int8, $4::int4, $5::int4, $6::int8, $7::bytea)",
      seat.values + [
        share.list.value, .int4(Int32(clamping: share.first)),
        .int4(Int32(clamping: share.epoch)), delay.value, .bytes(waits),
      ])
  }

  /// One transaction: a node that is idle asks for little else.
  static func pulse(_ seat: LedgerSeat, silence: Duration) -> [PostgresStatement] {
    [
      PostgresStatement(
        "pulse", "SELECT is_me, draining, is_open FROM pulse($1::int4, $2::int8, $3::int8)",
        seat.values + [silence.value]),
      PostgresStatement(
        "leases",
        """
        SELECT list, first, last, epoch, class, done, deaths, waits, sequence, state
        FROM leases($1::int4, $2::int8)
        """, seat.values),
    ]
  }

  static func seats(
    _ seat: LedgerSeat, _ request: SeatRequest, silence: Duration
  ) -> PostgresStatement {
    PostgresStatement(
      "seats",
      """
      SELECT host, seats, word, wait_ms, age_ms FROM seats($1::int4, $2::int8, $3::int8, $4::int4,
        $5::int4, $6::text[], $7::int4[], $8::int4[], $9::int4[], $10::int8[], $11::int8)
      """,
      seat.values + [
        .int8(Int64(clamping: request.number)), .int4(Int32(clamping: request.most)),
        .int4(Int32(clamping: request.useful)),
        .texts(request.claims.map(\.host)), .int4s(request.claims.map { Int32(clamping: $0.held) }),
        .int4s(request.claims.map { Int32(clamping: $0.need) }),
        .int4s(request.claims.map(\.word.number)), .int8s(request.claims.map(\.word.wait)),
        silence.value,
      ])
  }

  // MARK: people

  static func order(
    _ seat: LedgerSeat, _ order: ListOrder, _ list: LedgerList, from origin: String?
  ) -> PostgresStatement {
    let (what, serviceClass): (Int16, ServiceClass) =
      switch order {
      case .resume: (0, .default)
      case .pause: (1, .default)
      case .cancel: (2, .default)
      case .quality(let serviceClass): (3, serviceClass)
      }
    return PostgresStatement(
      "order_list", "SELECT order_list($1::int4, $2::int8, $3::text, $4::int2, $5::int2)",
      [
        .int4(seat.node), list.value, text(origin), .int2(what),
        .int2(Int16(serviceClass.rawValue)),
      ])
  }

  static func focus(_ focus: LedgerFocus) -> PostgresStatement {
    PostgresStatement(
      "focus", "SELECT answer, open FROM focus($1::int8, $2::text, $3::int4[], $4::int8)",
      [
        focus.list.value, .text(focus.viewer.text),
        .int4s(focus.photos.map { Int32(clamping: $0) }),
        focus.time.value,
      ])
  }

  static func focuses(on lists: [LedgerList]) -> PostgresStatement {
    PostgresStatement(
      "focuses", "SELECT list, viewer, photos, time_ms FROM focuses($1::int8[])", [numbers(lists)])
  }

  static func lists(after list: LedgerList?, most: Int, isOpen: Bool) -> PostgresStatement {
    PostgresStatement(
      "lists",
      """
      SELECT list, owner, name, folder, class, state, photos, filtered, failed, leased, nodes
      FROM lists($1::int8, $2::int4, $3::bool)
      """,
      [(list ?? LedgerList(0)).value, .int4(Int32(clamping: most)), .bool(isOpen)])
  }

  static func entry(_ origin: String) -> PostgresStatement {
    PostgresStatement(
      "entry",
      """
      SELECT list, owner, name, folder, class, state, photos, filtered, failed, leased, nodes
      FROM entry($1::text)
      """, [.text(origin)])
  }

  static func home(of name: [UInt8], owner: String?) -> PostgresStatement {
    PostgresStatement("home", "SELECT home($1::bytea, $2::text)", [.bytes(name), text(owner)])
  }

  static func outcomes(
    _ list: LedgerList, from origin: String?, _ photos: ClosedRange<UInt32>
  ) -> PostgresStatement {
    PostgresStatement(
      "outcomes", "SELECT rows FROM outcomes($1::int8, $2::text, $3::int4, $4::int4)",
      [
        list.value, text(origin), .int4(Int32(clamping: photos.lowerBound)),
        .int4(Int32(clamping: photos.upperBound)),
      ])
  }

  static let nodes = PostgresStatement(
    "nodes", "SELECT name, silence, draining, leased, version FROM nodes()")

  static func drain(_ node: String, _ isOn: Bool) -> PostgresStatement {
    PostgresStatement(
      "drain", "SELECT drain($1::text, $2::bool)", [.text(node), .bool(isOn)])
  }

  // MARK: lists go

  static func closed(_ seat: LedgerSeat) -> PostgresStatement {
    PostgresStatement("closed", "SELECT list FROM closed($1::int4, $2::int8)", seat.values)
  }

  static func returned(
    _ seat: LedgerSeat, _ list: LedgerList, from origin: String?
  ) -> PostgresStatement {
    PostgresStatement(
      "returned", "SELECT returned($1::int4, $2::int8, $3::int8, $4::text)",
      seat.values + [list.value, text(origin)])
  }

  static func retire(_ seat: LedgerSeat, olderThan age: Duration) -> PostgresStatement {
    PostgresStatement(
      "retire", "SELECT list FROM retire($1::int4, $2::int8, $3::int8)", seat.values + [age.value])
  }

  static func retired(_ seat: LedgerSeat, _ list: LedgerList) -> PostgresStatement {
    PostgresStatement(
      "retired", "SELECT retired($1::int4, $2::int8, $3::int8)", seat.values + [list.value])
  }
}

extension LedgerList {
  fileprivate var value: PostgresValue { .int8(Int64(clamping: number)) }

  init(_ row: PostgresRow, _ column: Int) { self.init(UInt64(clamping: row.int(column))) }
}

extension Duration {
  /// In milliseconds.
  fileprivate var value: PostgresValue {
    .int8(
      Int64(
        clamping: Int64(components.seconds) * 1000 + components.attoseconds / 1_000_000_000_000_000)
    )
  }
}

extension Share {
  init(_ row: PostgresRow) {
    let bits = row.bits(5)
    self.init(
      ShareID(
        list: LedgerList(row, 0), first: UInt32(clamping: row.int(1)),
        epoch: UInt32(clamping: row.int(3))),
      last: UInt32(clamping: row.int(2)), serviceClass: ServiceClass(row, 4),
      done: PhotoMask(bits.bytes, count: bits.count), deaths: UInt32(clamping: row.int(6)),
      waits: row.bytes(7))
  }
}

extension LedgerFocus {
  init(_ row: PostgresRow) {
    self.init(
      LedgerList(row, 0), viewer: OutsideText(row.bytes(1)) ?? "",
      photos: row.ints(2).map { UInt32(clamping: $0) }, time: .milliseconds(row.int(3)))
  }
}

extension ServiceClass {
  init(_ row: PostgresRow, _ column: Int) {
    self = ServiceClass(rawValue: UInt8(clamping: row.int(column))) ?? .default
  }
}

extension ListProgress {
  init(_ row: PostgresRow) {
    func count(_ column: Int) -> UInt32 { UInt32(clamping: row.int(column)) }
    self.init(
      LedgerList(row, 0), owner: row.text(1), name: row.bytes(2), folder: row.bytes(3),
      serviceClass: ServiceClass(row, 4),
      state: LedgerState(rawValue: UInt8(clamping: row.int(5))) ?? .running, photos: count(6),
      filtered: count(7), failed: count(8), leased: count(9), nodes: count(10))
  }
}

extension PulseAnswer.Lease {
  init(_ row: PostgresRow) {
    self.init(
      Share(row), sequence: UInt32(clamping: row.int(8)),
      LedgerState(rawValue: UInt8(clamping: row.int(9))) ?? .running)
  }
}

extension HostWord {
  fileprivate var number: Int32 {
    switch self {
    case .none: 0
    case .failed: 1
    case .answered: 2
    }
  }

  /// In milliseconds.
  fileprivate var wait: Int64 {
    if case .failed(let wait) = self { max(0, wait.milliseconds) } else { 0 }
  }
}

extension SeatGrant {
  /// Times are limited to a day.
  init(_ row: PostgresRow) {
    func time(_ column: Int) -> Duration {
      .milliseconds(max(0, min(row.int(column), 86_400_000)))
    }
    let word: HostWord? =
      switch row.int(2) {
      case 1: .failed(wait: time(3))
      case 2: .answered
      default: nil
      }
    self.init(
      // A name and a port.
      row.text(0, most: 512), seats: Int(row.int(1)),
      report: word.map { HostReport(age: time(4), word: $0) })
  }
}
