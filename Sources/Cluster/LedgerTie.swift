// SPDX-License-Identifier: Apache-2.0
// A node belongs to one ledger, and shares one place with the other nodes: both have an identity. A list has its number
// in one ledger; in another one, that number is a list of someone else.
//
// A ledger has its identity from the start. A node keeps the identity, and works with no other ledger. It also keeps how
// many changes of the ledger it has seen: one with fewer is an older copy, or its primary was lost before a standby had
// its last changes. Lists that such a ledger has forgotten are known to nodes, and it would give their numbers again. The
// ledger alone can be told that it is to be used (`go_on` in `LedgerSchema`): it then has more changes. The first node
// of a ledger marks the folder or store of Blobs= with that identity and a number, and the ledger keeps the number: a
// node whose Blobs= lacks the mark has another folder. Raises `PostgresError`.
// Concurrency: for one thread. Waits for disks, and for the store.

internal import Linux
internal import Postgres
package import Vocabulary

/// The ledger as a node has seen it.
package struct KnownLedger: Equatable, Sendable {
  package let identity: String
  /// The highest number in an answer of the ledger.
  package var changes: Int64

  package init(_ identity: String, changes: Int64 = 0) {
    (self.identity, self.changes) = (identity, changes)
  }

  /// Why a node that knows this ledger must not enter `ledger`; nil if it may.
  package func objection(to ledger: KnownLedger) -> Failure? {
    if identity != ledger.identity { return LedgerTie.otherLedger }
    return changes > ledger.changes ? LedgerTie.olderLedger : nil
  }
}

/// The memory of a node, and the mark of the place that all nodes share. Raises a `Failure` of kind `machine`.
package protocol LedgerHome: Sendable {
  /// The ledger that this node has worked with; nil before the first.
  func ledger() throws(Failure) -> KnownLedger?
  /// Durable on return.
  func remember(_ ledger: KnownLedger) throws(Failure)
  /// Of the shared place; nil if there is none.
  func mark() throws(Failure) -> String?
  /// Durable on return. Does nothing if there is one.
  func mark(with text: String) throws(Failure)
}

struct LedgerTie {
  private struct Ledger {
    let known: KnownLedger
    /// Empty until the first node has told it.
    let folder: String
  }

  let home: any LedgerHome
  /// The ledger that was found to be right in this run, with the number in the mark.
  private var found: Ledger?
  /// As the home has it; nil before it was read, and before the first entry.
  private var known: KnownLedger?

  init(_ home: any LedgerHome) { self.home = home }

  /// Why this node must not make a ledger, which would have another identity.
  func objection() -> Failure? {
    do throws(Failure) { return try home.ledger() == nil ? nil : Self.otherLedger } catch {
      return Self.homeTrouble(error)
    }
  }

  /// Why this node must not enter the ledger; nil if it may.
  mutating func problem(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> Failure? {
    let ledger = try Self.ask(&session, folder: "", until: deadline)
    do throws(Failure) {
      if known == nil { known = try Self.ofHome { () throws(Failure) in try home.ledger() } }
      if let problem = known?.objection(to: ledger.known) { return problem }
      // Read once: a slow store must not take the time of each attempt.
      if found?.known.identity != ledger.known.identity {
        found = nil
        found = Ledger(known: ledger.known, folder: try folder(of: ledger))
      }
    } catch { return error }
    guard let found, found.folder != ledger.folder else { return nil }
    // Of two nodes that are first, with two folders, one is right.
    let kept = try Self.ask(&session, folder: found.folder, until: deadline)
    if kept.folder == found.folder { return nil }
    self.found = nil
    return Self.otherFolder
  }

  /// Call when the node has entered: a standby has the number of the mark now. Returns what stands against it.
  mutating func remember() -> Failure? {
    guard let found, known == nil else { return nil }
    do throws(Failure) { try home.remember(found.known) } catch {
      return Self.homeTrouble(error)
    }
    known = found.known
    return nil
  }

  /// Call with the number of changes in an answer. If it cannot be remembered, the number in the next answer is.
  mutating func saw(_ changes: Int64) {
    guard var next = known, changes > next.changes else { return }
    next.changes = changes
    do throws(Failure) { try home.remember(next) } catch { return }
    known = next
  }

  private static func ask(
    _ session: inout PostgresSession, folder: String, until deadline: Duration
  ) throws(PostgresError) -> Ledger {
    let rows = try session.run([[LedgerCall.tie(folder)]], until: deadline)[0].get()[0]
    guard let row = rows.first else { throw .refused("it has no identity") }
    return Ledger(
      known: KnownLedger(row.text(0), changes: row.int(2)), folder: row.text(1, most: 4096))
  }

  /// The number in the mark.
  private func folder(of ledger: Ledger) throws(Failure) -> String {
    let identity = ledger.known.identity
    let mark = try Self.ofHome { () throws(Failure) in
      if ledger.folder.isEmpty {
        let number = try asMachine { () throws(SystemError) in try ThisProcess.randomBytes(16) }
        // Of one that is there, the name may not be durable yet.
        try home.mark(with: "\(identity) \(String(hex: number))")
      }
      return try home.mark()?.split(separator: " ") ?? []
    }
    guard mark.count == 2 else { throw Self.otherFolder }
    guard mark[0] == identity else { throw Self.foreignFolder }
    return String(mark[1])
  }

  private static func ofHome<Answer>(
    _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    do throws(Failure) { return try ask() } catch { throw homeTrouble(error) }
  }

  private static func homeTrouble(_ failure: Failure) -> Failure {
    Failure(.machine, code: "ledger.home", reason: failure.reason, advice: failure.advice)
  }

  fileprivate static let olderLedger = Failure(
    .machine, code: Failure.ledgerAge,
    reason: "the ledger is older than this node and lacks changes that this node has seen",
    advice: "Connect the nodes to the newest ledger, or tell this one that it is to be used: see "
      + "AN OLDER LEDGER in darkroom-cluster(7)")
  fileprivate static let otherLedger = Failure(
    .machine, code: "ledger.other",
    reason: "this is not the ledger that this node has worked with",
    advice: "Correct Ledger=; a new ledger needs empty folders: see BACKUP in darkroom-cluster(7)")
  private static let otherFolder = Failure(
    .machine, code: "blobs.other",
    reason: "the folder or store of Blobs= is not the one that the other nodes share",
    advice:
      "Mount the shared folder, or correct Blobs=; see darkroom-cluster(7) if it has lost its mark")
  private static let foreignFolder = Failure(
    .machine, code: "blobs.ledger",
    reason: "the folder or store of Blobs= belongs to another ledger",
    advice: "Correct Blobs= or Ledger=; a new ledger needs empty folders: see BACKUP in "
      + "darkroom-cluster(7)")
}
