// SPDX-License-Identifier: Apache-2.0
// The home of a node in memory, whose writes can fail.

import Cluster
import Synchronization
import Vocabulary

final class MemoryHome: LedgerHome {
  /// The folder that nodes share.
  final class Shared: Sendable {
    let mark = Mutex<String?>(nil)
  }

  /// The fate of a call that writes.
  enum Fault { case before, after, never }

  let shared: Shared
  let known = Mutex<KnownLedger?>(nil)
  /// Of the next calls.
  let faults = Mutex<[Fault]>([])

  init(_ shared: Shared = Shared(), known ledger: String? = nil) {
    self.shared = shared
    known.withLock { $0 = ledger.map { KnownLedger($0) } }
  }

  /// That of another node.
  func other() -> MemoryHome { MemoryHome(shared) }

  var counts: [OutsideText: Int64] { known.withLock { $0?.history.counts } ?? [:] }
  var isOlder: Bool { known.withLock { $0?.isOlder } ?? false }

  private func write(_ deed: () -> Void) throws(Failure) {
    let fault = faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if fault != .before { deed() }
    if let fault, fault != .never {
      throw Failure(.machine, code: "test", reason: "the disk is full")
    }
  }

  func ledger() throws(Failure) -> KnownLedger? { known.withLock { $0 } }

  func remember(_ ledger: KnownLedger) throws(Failure) {
    try write { known.withLock { $0 = ledger } }
  }

  func mark() throws(Failure) -> String? { shared.mark.withLock { $0 } }

  func mark(with text: String) throws(Failure) {
    try write { shared.mark.withLock { $0 = $0 ?? text } }
  }
}
