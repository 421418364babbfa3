// SPDX-License-Identifier: Apache-2.0
// The ledger as a node has seen it. The ledger counts the lists, reports and orders that came through each node, and one
// that lacks some of them is an older copy: it was restored from a backup, or its primary was lost before a standby had
// its last changes. Lists that such a ledger has forgotten are known to nodes, and it would give their numbers again.
//
// Each node has a count of its own: nodes that work with the older copy never make up for what another one has lost. The
// ledger alone can be told that it is to be used (`go_on` in `LedgerSchema`): a life of it begins. Values.

internal import Postgres
package import Vocabulary

package struct LedgerHistory: Equatable, Sendable {
  /// A higher one has begun later, whatever the counts are.
  package private(set) var life: Int64
  /// The changes of each node, by its name.
  package private(set) var counts: [OutsideText: Int64]

  package init(life: Int64 = 0, _ counts: [OutsideText: Int64] = [:]) {
    (self.life, self.counts) = (life, counts)
  }

  init(_ row: PostgresRow) {
    self.init(life: row.int(0), Self.counts(row.bytes(1).split(separator: Self.newline)))
  }

  /// The ledger has forgotten some of what was seen.
  package func lacks(_ seen: LedgerHistory) -> Bool {
    if life != seen.life { return life < seen.life }
    return seen.counts.contains { node, count in counts[node] ?? 0 < count }
  }

  /// Adds the changes that were seen in the other.
  package mutating func take(_ other: LedgerHistory) {
    if other.life > life { self = other }
    if other.life == life { counts.merge(other.counts) { max($0, $1) } }
  }

  fileprivate var lines: [String] {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.text)" }
  }

  fileprivate static let newline = UInt8(ascii: "\n")

  /// Of lines `COUNT NODE`.
  fileprivate static func counts(_ lines: some Sequence<ArraySlice<UInt8>>) -> [OutsideText: Int64]
  {
    var counts: [OutsideText: Int64] = [:]
    for line in lines {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        .compactMap { OutsideText(Array($0), most: .max) }
      if words.count == 2, let count = Int64(words[0].text) { counts[words[1]] = count }
    }
    return counts
  }
}

package struct KnownLedger: Equatable, Sendable {
  package let identity: String
  package var history: LedgerHistory
  /// The ledger that was reached last is older than this one; stands until one was entered.
  package var isOlder: Bool

  package init(
    _ identity: String, _ history: LedgerHistory = LedgerHistory(), isOlder: Bool = false
  ) {
    (self.identity, self.history, self.isOlder) = (identity, history, isOlder)
  }

  /// Why nothing is accepted or removed, until an administrator has decided.
  package var trouble: Failure? { isOlder ? .olderLedger : nil }

  // MARK: the file

  private static let olderWord = "older"

  package var bytes: [UInt8] {
    let head = "\(identity) \(history.life)\(isOlder ? " \(Self.olderWord)" : "")"
    return ([head] + history.lines).flatMap { Array("\($0)\n".utf8) }
  }

  package init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: LedgerHistory.newline)
    let words = lines.first.flatMap { OutsideText(Array($0)) }?.text.split(separator: " ") ?? []
    self.init(
      words.first.map { String($0) } ?? "",
      LedgerHistory(
        life: words.dropFirst().first.flatMap { Int64($0) } ?? 0,
        LedgerHistory.counts(lines.dropFirst())),
      isOlder: words.last.map { $0 == Self.olderWord } ?? false)
  }
}

extension Failure {
  static let ledgerAge = "ledger.older"

  static let olderLedger = Failure(
    .machine, code: ledgerAge,
    reason: "the ledger is older than this node and lacks changes that this node has seen",
    advice: "Connect the nodes to the newest ledger, or tell this one that it is to be used: see "
      + "AN OLDER LEDGER in darkroom-cluster(7)")

  /// An administrator has to decide whether this node works with the ledger.
  package var isOlderLedger: Bool { code == Self.ledgerAge }
}
