// SPDX-License-Identifier: Apache-2.0
// The files of submitted lists in a store, and the test of a store at the start.

import Linux
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct StoreShelfTests {
  private let origin = FileName(literal: "0f")
  private let names = ["catalog", "collisions", "list.plist"]

  private func list(_ names: [String]) throws -> FreshFolder {
    let fresh = try FreshFolder()
    for name in names { try fresh.write(Array("the \(name)".utf8), to: name) }
    return fresh
  }

  @Test func `a list is there with its last file, and comes back as it was`() throws {
    let (store, list, copy) = (MemoryStore(), try list(names), try FreshFolder())
    let shelf = StoreShelf(store: store)
    try shelf.put(list.folder, as: origin)
    try shelf.put(list.folder, as: origin)
    #expect(store.made.last == "lists/0f/list.plist" && store.made.count == names.count)
    #expect(try shelf.size(of: origin) == 14)
    try shelf.fetch(origin, into: copy.folder)
    #expect(try copy.folder.names().map(\.description).sorted() == names)
    for name in names { #expect(copy.bytes(of: name) == list.bytes(of: name)) }
    try shelf.remove(origin)
    try shelf.remove(origin)
    #expect(store.keys.isEmpty)
  }

  @Test(arguments: ["catalog", "collisions", "list.plist"])
  func `a list whose submission was interrupted is whole after the next one`(end: String) throws {
    let (store, list) = (MemoryStore(), try list(names))
    let shelf = StoreShelf(store: store)
    // The first call with the key of the list is the look whether it is there.
    if end == "list.plist" {
      store.put("lists/0f/catalog", "the catalog")
    } else {
      store.fail(at: end)
      #expect(throws: MemoryStore.trouble) { try shelf.put(list.folder, as: origin) }
    }
    #expect(!store.keys.contains("lists/0f/list.plist"))
    #expect(throws: Failure.self) { try shelf.size(of: origin) }
    try shelf.put(list.folder, as: origin)
    #expect(store.keys.count == 3)
  }

  @Test func `a list that is half removed is put whole again`() throws {
    let (store, list) = (MemoryStore(), try list(names))
    let shelf = StoreShelf(store: store)
    try shelf.put(list.folder, as: origin)
    store.fail(at: "catalog")
    #expect(throws: MemoryStore.trouble) { try shelf.remove(origin) }
    #expect(throws: Failure.self) { try shelf.size(of: origin) }
    try shelf.put(list.folder, as: origin)
    #expect(store.keys.count == 3)
  }

  @Test func `a list that is gone is this machine's trouble, and not an empty list`() throws {
    let (shelf, copy) = (StoreShelf(store: MemoryStore()), try FreshFolder())
    let failure = #expect(throws: Failure.self) { try shelf.fetch(origin, into: copy.folder) }
    #expect(failure?.kind == .machine && failure?.isOfMissingList == true)
  }

  @Test(arguments: ["store.damaged", "store.answer", "store.busy"])
  func `only bytes that the store has may differ, and not the answer of a proxy`(code: String)
    throws
  {
    let (store, list, state) = (MemoryStore(), try list(names), try FreshFolder())
    let shelf = StoreShelf(store: store)
    try shelf.put(list.folder, as: origin)
    func differs() throws -> Bool {
      try shelf.differs(from: list.folder, as: origin, reading: true, through: state.folder)
    }
    #expect(try !differs())
    let failure = Failure(.machine, scope: .one, code: code, reason: "it answers 412")
    store.failFetch(failure)
    if code == "store.damaged" {
      #expect(try differs())
    } else {
      #expect(throws: failure) { try differs() }
    }
    #expect(try !differs())
  }

  // MARK: the test at the start

  @Test func `a store that is fit is taken, and nothing is left in it`() throws {
    let (store, state) = (MemoryStore(), try FreshFolder())
    #expect(try StoreProbe(store: store, state: state.folder).run() == nil)
    #expect(store.keys.isEmpty && store.made.count == 1)
    #expect(try state.folder.names().isEmpty)
  }

  @Test(arguments: MemoryStore.Vice.allCases)
  func `a store with a vice is refused, with the reason`(vice: MemoryStore.Vice) throws {
    let state = try FreshFolder()
    let reason = try StoreProbe(store: MemoryStore(vice), state: state.folder).run()
    #expect(reason?.contains(vice.words) == true, "\(reason ?? "")")
  }

  @Test(arguments: [false, true])
  func `a shelf has the first of two marks`(inStore: Bool) throws {
    let (state, root) = (try FreshFolder(), try FreshFolder())
    let shelves: [any ListShelf] =
      inStore
      ? [StoreShelf(store: MemoryStore())]
      : ["aa.", "bb."].map {
        FolderShelf(SharedMark(path: root.path, in: state.folder), mark: $0)
      }
    if !inStore { try FolderShelf.make(in: root.folder) }
    let (one, other) = (shelves[0], shelves[shelves.count - 1])
    // An attempt that was interrupted has left it.
    if !inStore { try root.write([1, 2, 3], to: ".aa.cluster") }
    #expect(try one.mark(through: state.folder) == nil)
    try one.mark(with: "first 01", through: state.folder)
    try other.mark(with: "second 02", through: state.folder)
    for shelf in shelves { #expect(try shelf.mark(through: state.folder) == "first 01") }
    #expect(try state.folder.names().isEmpty)
    if !inStore {
      let names = try root.folder.names().map(\.description).sorted()
      #expect(names == ["cluster", "lists", "prints"])
    }
  }
}
