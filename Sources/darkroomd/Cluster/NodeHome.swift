// SPDX-License-Identifier: Apache-2.0
// The place where a node keeps the identity of its ledger: STATE/ledger. Its part of what the nodes share has the mark.
// Concurrency: immutable; every function waits for a disk, or for the store.

import Cluster
import Files
import Linux
import Vocabulary

struct NodeHome: LedgerHome {
  private static let name = FileName(literal: "ledger")
  private static let longest = 64

  let state: any Folder
  let shelf: any ListShelf

  func ledger() throws(Failure) -> String? {
    try asMachine { () throws(SystemError) in try Self.ledger(in: state) }
  }

  /// The identity of the ledger that this machine has worked with; nil without one.
  static func ledger(in state: any Folder) throws(SystemError) -> String? {
    try state.contents(of: name, upTo: longest).map { String(decoding: $0, as: UTF8.self) }
  }

  func remember(_ ledger: String) throws(Failure) {
    if try self.ledger() == ledger { return }
    try asMachine { () throws(SystemError) in
      try state.write(whole: Array(ledger.utf8), as: Self.name)
    }
  }

  func mark() throws(Failure) -> String? { try shelf.mark(through: state) }

  func mark(with text: String) throws(Failure) { try shelf.mark(with: text, through: state) }
}
