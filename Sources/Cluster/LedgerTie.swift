// SPDX-License-Identifier: Apache-2.0
// A node belongs to one ledger, and shares one place with the other nodes: both have an identity. A list has its number
// in one ledger; in another ledger, that number is a different list.
//
// A ledger has its identity from the start. A node keeps the identity, and works with no other ledger, nor with one that
// lacks what the node has seen of it (`LedgerHistory`). The first node
// of a ledger marks the folder or store of Blobs= with that identity and a number, and the ledger keeps the number: a
// node whose Blobs= lacks the mark has another folder. Raises `PostgresError`.
// Concurrency: for one thread. Waits for disks, and for the store.

internal import Linux
internal import Postgres
package import Vocabulary

struct LedgerTie {
  private struct Ledger {
    let identity: String
    var history: LedgerHistory
    /// Empty until the first node has told it.
    let folder: String
  }

  let memory: LedgerMemory
  /// The ledger that was found to be right in this run, with the number in the mark.
  private var found: Ledger?
  /// In the answers of this run; its home may not have it yet.
  private var latest: LedgerHistory?

  init(_ memory: LedgerMemory) { self.memory = memory }

  /// Why this node must not make a ledger, which would have another identity.
  func objection() -> Failure? {
    do throws(Failure) { return try memory.home.ledger() == nil ? nil : Self.noLedger } catch {
      return Self.homeTrouble(error)
    }
  }

  /// Why this node must not enter the ledger; nil if it may.
  mutating func problem(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> Failure? {
    let ledger = try Self.ask(&session, folder: "", until: deadline)
    do throws(Failure) {
      let problem = try Self.ofHome { () throws(Failure) in
        try memory.objection(to: ledger.identity, ledger.history, latest: latest)
      }
      if let problem { return problem }
      // Read once: a slow store must not take the time of each attempt.
      if found?.identity != ledger.identity {
        found = nil
        let folder = try folder(of: ledger)
        found = Ledger(identity: ledger.identity, history: ledger.history, folder: folder)
      }
      found?.history = ledger.history
    } catch { return error }
    guard let found, found.folder != ledger.folder else { return nil }
    // If two nodes enter a new ledger with different folders, the ledger keeps the folder of the first call, and the
    // other node is refused.
    let kept = try Self.ask(&session, folder: found.folder, until: deadline)
    if kept.folder == found.folder { return nil }
    self.found = nil
    return .otherBlobs
  }

  /// Call when the node has entered: a standby has the number of the mark now. Returns what stands against it.
  mutating func remember() -> Failure? {
    guard let found else { return nil }
    do throws(Failure) { try memory.entered(found.identity, found.history) } catch {
      return Self.homeTrouble(error)
    }
    latest = found.history
    return nil
  }

  /// Call with the history in each answer that has one, in their order. Returns what stands against the ledger: it can
  /// be restored under a session.
  mutating func saw(_ history: LedgerHistory) -> Failure? {
    if let latest, history.lacks(latest) { return .olderLedger }
    latest = history
    return nil
  }

  private static func ask(
    _ session: inout PostgresSession, folder: String, until deadline: Duration
  ) throws(PostgresError) -> Ledger {
    let rows = try session.run(
      [[LedgerCall.tie(folder), LedgerCall.history]], until: deadline)[0].get()
    guard let row = rows[0].first, let history = rows[1].first else {
      throw .refused("it has no identity")
    }
    return Ledger(
      identity: row.text(0), history: LedgerHistory(history), folder: row.text(1, most: 4096))
  }

  /// The number in the mark.
  private func folder(of ledger: Ledger) throws(Failure) -> String {
    let home = memory.home
    let mark = try Self.ofHome { () throws(Failure) in
      if ledger.folder.isEmpty {
        let number = try asMachine { () throws(SystemError) in try ThisProcess.randomBytes(16) }
        // Of one that is there, the name may not be durable yet.
        try home.mark(with: "\(ledger.identity) \(String(hex: number))")
      }
      return try home.mark()
    }
    return try PlaceVerdict(mark, for: ledger.identity).number()
  }

  fileprivate static func ofHome<Answer>(
    _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    do throws(Failure) { return try ask() } catch { throw homeTrouble(error) }
  }

  private static func homeTrouble(_ failure: Failure) -> Failure {
    Failure(.machine, code: "ledger.home", reason: failure.reason, advice: failure.advice)
  }

  static let otherLedger = Failure(
    .machine, code: "ledger.other",
    reason: "this is not the ledger that this node has worked with",
    advice: "Correct Ledger=; a new ledger needs empty folders: see BACKUP in darkroom-cluster(7)")
  private static let noLedger = Failure(
    .machine, code: "ledger.other",
    reason: "the database has no ledger that this node may use, and this node has worked with one",
    advice: "Correct Ledger=, or restore the ledger with its owner: see BACKUP in "
      + "darkroom-cluster(7)")
}

extension LedgerHome {
  /// Why the place that is shared is not the one of the ledger that this node has worked with, or why that is not known.
  /// Asks no server, which alone knows the number in the mark.
  package func foreignPlace() -> Failure? {
    do throws(Failure) {
      return try LedgerTie.ofHome { () throws(Failure) -> Failure? in
        guard let known = try ledger() else { return nil }
        return PlaceVerdict(try mark(), for: known.identity).objection
      }
    } catch { return error }
  }
}
