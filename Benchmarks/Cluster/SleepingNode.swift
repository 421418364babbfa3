// SPDX-License-Identifier: Apache-2.0
// A node that asks the ledger as `ShareDesk` does, with the same book and over a connection of its own, and whose
// photos cost nothing but time. Raises nothing: a failed call is counted and repeated.

import Cluster
import Linux
import Synchronization
import Vocabulary

struct SleepingNode: Sendable {
  private struct Work {
    /// The photos that have not ended.
    var left: ArraySlice<UInt32>
    /// The photos that the ledger had before.
    let before: Int
    var ended: [Outcome] = []
    var isHeld = false
  }

  /// Rings of the ledger, on the thread of the connection.
  private final class Bells: Sendable {
    let rung = Mutex<[ServiceClass: Duration]>([:])
  }

  /// Of a photo in the ledger: as many bytes as a row of the record.
  private static let row = [UInt8](repeating: 0xD7, count: 256)
  /// Between two looks at what has ended, as in the daemon.
  private static let rest = Duration.milliseconds(200)
  private static let again = Duration.seconds(1)

  static func name(_ number: Int) -> String { "node \(number)" }

  private let number: Int
  private let scenario: Scenario
  private let tally: Tally
  private let clock: SystemClock
  private let office: PostgresOffice
  private let bells = Bells()
  private var book: LeaseBook
  private var works: [ListID: Work] = [:]
  private var returns: [(ShareID, Duration)] = []
  private var lastList: UInt64 = 0
  private var lastPulse: Duration?
  private var lastLook: Duration
  private var worked: Duration
  private var isPresent = false

  init(
    _ number: Int, at server: String, _ scenario: Scenario, _ tally: Tally, _ clock: SystemClock
  ) throws(SystemError) {
    (self.number, self.scenario, self.tally, self.clock) = (number, scenario, tally, clock)
    let leaseTime = Duration.seconds(scenario.lease)
    book = LeaseBook(leaseTime: leaseTime, chunk: scenario.chunk)
    (worked, lastLook) = (clock.uptime(), clock.uptime())
    office = try PostgresOffice(
      LedgerPlace(
        server: server, node: Self.name(number), run: UInt64(scenario.seed), silence: leaseTime),
      clock: clock
    ) { [bells] bell in
      if case .work(let serviceClass) = bell {
        bells.rung.withLock { $0[serviceClass] = clock.uptime() }
      }
    }
  }

  /// Ends without a word to the ledger.
  mutating func run() async {
    while tally.goesOn(number) {
      var pause = Self.rest
      do throws(Failure) {
        hear()
        if book.mustAsk || clock.uptime() >= (lastPulse ?? .zero) + book.interval {
          try await pulse()
        }
        try await look()
        work()
        let isBusy = try await turn()
        if isBusy, scenario.rate == 0 { pause = .zero }
        try await giveBack()
      } catch {
        tally.add { $0.failures += 1 }
        book.lost()
        pause = Self.again
      }
      perform(book.look(at: clock.uptime()))
      if pause > .zero { await clock.rest(pause) }
    }
    office.close()
  }

  private mutating func hear() {
    let rung = bells.rung.withLock { rung in
      defer { rung = [:] }
      return rung
    }
    for (serviceClass, time) in rung { book.rung(serviceClass, at: time) }
  }

  // MARK: calls

  private mutating func pulse() async throws(Failure) {
    let asked = clock.uptime()
    lastPulse = asked
    let answer = try await office.pulse()
    hear()
    perform(book.answered(answer, asked: asked, now: clock.uptime()))
    let isFirst = !isPresent
    isPresent = true
    tally.add {
      $0.pulses += 1
      if isFirst { $0.present += 1 }
    }
  }

  /// For lists of dead nodes, as `EntryDesk` does.
  private mutating func look() async throws(Failure) {
    guard clock.uptime() >= lastLook + .seconds(scenario.lease) / 2 else { return }
    lastLook = clock.uptime()
    for list in try await office.closed() { try await office.returned(list, from: nil) }
  }

  /// False if there was nothing to report, and nothing to lease.
  private mutating func turn() async throws(Failure) -> Bool {
    let wish = book.wish()
    let reportTime = book.reportTime { holding in
      guard let work = holding.list.flatMap({ works[$0] }) else { return 0 }
      return work.ended.count - (holding.recorded.photos - work.before)
    }
    if wish == nil, (reportTime ?? .zero) > clock.uptime() { return true }
    let reports = works.sorted { $0.key < $1.key }.compactMap {
      book.report($0.key, $0.value.ended)
    }
    if reports.isEmpty, wish == nil { return false }
    let asked = clock.uptime()
    let turn = try await office.turn(reports, lease: wish)
    let now = clock.uptime()
    var (photos, refused) = (0, 0)
    for (report, verdict) in zip(reports, turn.verdicts) {
      if verdict == .fenced { refused += 1 } else { photos += report.outcomes.count }
      perform(book.reported(report, verdict, now: now))
    }
    hear()
    if let wish { perform(book.leased(turn.shares, for: wish, asked: asked)) }
    works = works.filter { book[$0.key] != nil }
    tally.add {
      $0.turns += 1
      $0.photos += photos
      $0.refused += refused
      $0.reports += reports.count
      $0.leases += turn.shares.count
    }
    return !reports.isEmpty || !turn.shares.isEmpty
  }

  private mutating func giveBack() async throws(Failure) {
    while let (share, delay) = returns.first {
      _ = try await office.giveBack(share, after: delay, waits: [])
      returns.removeFirst()
    }
  }

  // MARK: work

  /// As many photos as a node of this rate ends in the time.
  private mutating func work() {
    var photos = Int.max
    if scenario.rate > 0 {
      let step = Duration.seconds(1) / scenario.rate
      photos = Int((clock.uptime() - worked) / step)
      worked += step * photos
    }
    for list in works.keys.sorted() {
      guard photos > 0, let work = works[list], !work.isHeld else { continue }
      let done = work.left.prefix(photos)
      photos -= done.count
      works[list]?.left = work.left.dropFirst(done.count)
      works[list]?.ended += done.map { Outcome(photo: $0, isFiltered: true, row: Self.row) }
    }
  }

  private mutating func perform(_ deeds: [LeaseBook.Deed]) {
    for deed in deeds {
      switch deed {
      case .make(let share): make(share)
      case .drop(let list):
        works[list] = nil
        perform(book.ended(list))
      case .hold(let list): works[list]?.isHeld = true
      case .goOn(let list): works[list]?.isHeld = false
      case .reclass: break
      case .giveBack(let share, let delay): returns.append((share, delay))
      }
    }
  }

  private mutating func make(_ share: Share) {
    lastList += 1
    let list = ListID(lastList)
    let left = (0..<share.photos).filter { !share.done.contains($0) }
      .map { share.id.first + UInt32($0) }
    works[list] = Work(left: left[...], before: share.photos - left.count)
    perform(book.made(list, for: share.id, at: clock.uptime()))
  }
}
