// SPDX-License-Identifier: Apache-2.0
// The place where a node keeps what it knows of its ledger: STATE/ledger. Its part of what the nodes share has the mark.
// Concurrency: immutable; every function waits for a disk, or for the store.

import Cluster
import Files
import Linux
import Vocabulary

struct NodeHome: LedgerHome {
  private static let name = FileName(literal: "ledger")
  /// A line for each node that there ever was.
  private static let longest = 1 << 22

  let state: any Folder
  let shelf: any ListShelf

  func ledger() throws(Failure) -> KnownLedger? {
    try asMachine { () throws(SystemError) in try Self.ledger(in: state) }
  }

  /// The ledger that this machine has worked with; nil without one.
  static func ledger(in state: any Folder) throws(SystemError) -> KnownLedger? {
    try state.contents(of: name, upTo: longest).map { KnownLedger($0) }
  }

  func remember(_ ledger: KnownLedger) throws(Failure) {
    try asMachine { () throws(SystemError) in
      try state.write(whole: ledger.bytes, as: Self.name)
    }
  }

  func mark() throws(Failure) -> String? { try shelf.mark(through: state) }

  func mark(with text: String) throws(Failure) { try shelf.mark(with: text, through: state) }
}
