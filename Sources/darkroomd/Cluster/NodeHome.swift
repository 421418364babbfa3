// SPDX-License-Identifier: Apache-2.0
// The place where a node keeps what it knows of its ledger: STATE/ledger. The shelf, which all nodes share, has the
// mark of the ledger.
// Concurrency: immutable; every function waits for a disk, or for the store.

import Cluster
import Files
import Linux
import Vocabulary

struct NodeHome: LedgerHome {
  let state: any Folder
  let shelf: any ListShelf

  func ledger() throws(Failure) -> KnownLedger? {
    let known = try asMachine { () throws(SystemError) in try KnownLedger.read(in: state) }
    guard let known, known.identity.isEmpty else { return known }
    throw Failure(
      .machine, code: "ledger.home",
      reason: "\(state.path)/\(KnownLedger.file), which names the ledger of this node, is damaged",
      advice: "If Ledger= is right, remove this file")
  }

  func remember(_ ledger: KnownLedger) throws(Failure) {
    try asMachine { () throws(SystemError) in
      try state.write(whole: ledger.bytes, as: KnownLedger.file)
    }
  }

  func mark() throws(Failure) -> String? { try shelf.mark(through: state) }

  func mark(with text: String) throws(Failure) { try shelf.mark(with: text, through: state) }
}
