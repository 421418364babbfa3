// SPDX-License-Identifier: Apache-2.0
// STATE/ledger, in which a node keeps the name of its ledger.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct LedgerNoteTests {
  @Test(arguments: ["", "\n"])
  func `a damaged note is trouble with this file, not another ledger`(_ text: String) throws {
    let state = try FreshFolder()
    let home = NodeHome(state: state.folder, shelf: StoreShelf(store: MemoryStore()))
    #expect(try home.ledger() == nil)
    try state.write(Array(text.utf8), to: "ledger")
    let failure = #expect(throws: Failure.self) { try home.ledger() }
    #expect(failure?.code == "ledger.home" && failure?.reason.contains("damaged") == true)
  }
}
