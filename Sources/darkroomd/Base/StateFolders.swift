// SPDX-License-Identifier: Apache-2.0
// The folders that the daemon writes to. `init` makes those inside the state folder. If a person removes a folder
// whose loss costs nothing but its contents, the daemon makes it again; `HeldFolders` watches the other folders.
// Raises `SystemError`. Concurrency: immutable; every function waits for a disk.

import Files
import Linux
import Output
import Return
import Vocabulary

struct StateFolders: Sendable {
  let state: any Folder
  let lists: any Folder
  let originals: any Folder
  /// Incomplete downloads, by their URL.
  let incoming: any Folder
  let cache: any Folder
  let prints: any Folder
  let quarantine: any Folder
  /// Orders for hooks and for webhooks; see `Outbox`.
  let hooks: any Folder
  let webhooks: any Folder
  /// Notes of `PrintClaims`.
  let claims: any Folder
  let done: any Folder
  let failed: any Folder
  /// Begins the names of drafts among the prints; see `Places`.
  let mark: String
  let ways: PrintWays
  private let cluster: Cluster

  private enum Cluster: Sendable {
    case none
    /// `prints` is the folder of the cluster.
    case folder(alone: (any Folder)?)
    case store(Store)
  }

  var isShared: Bool { if case .folder = cluster { true } else { false } }
  /// The prints of lists that this machine had alone, while `prints` is the folder of a cluster. Nil if it is missing.
  var alone: (any Folder)? { if case .folder(let alone) = cluster { alone } else { nil } }
  /// Where the nodes of a cluster have their prints, unless in a folder.
  var store: Store? { if case .store(let store) = cluster { store } else { nil } }

  struct Store: Sendable {
    let objects: any ObjectStore
    /// Of prints that go.
    let notes: UnwantedPrints
  }

  /// Where the prints of a list are.
  enum PrintsPlace {
    /// In a folder of this folder.
    case folder(any Folder)
    case stored(StoredPrints)
    /// Not in reach: the list is one of a cluster, and this machine works alone; or the ledger has not told its folder,
    /// and another list may have the one that it names; or the list is one of this machine alone, whose folder of
    /// prints is missing.
    case elsewhere
  }

  init(
    state: any Folder, prints: any Folder, done: any Folder, failed: any Folder, mark: String = "",
    ways: PrintWays = PrintWays(.replace), isShared: Bool = false, alone: (any Folder)? = nil,
    store: (any ObjectStore)? = nil, cache own: (any Folder)? = nil,
    lost tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SystemError) {
    func lasting(_ name: StaticString) throws(SystemError) -> LastingFolder {
      try LastingFolder(FileName(literal: name), in: state, tell: tell)
    }
    (self.mark, self.ways) = (mark, ways)
    if let store {
      cluster = .store(Store(objects: store, notes: UnwantedPrints(try lasting("unwanted"))))
    } else {
      cluster = isShared ? .folder(alone: alone) : .none
    }
    (self.state, self.prints, self.done, self.failed) = (state, prints, done, failed)
    lists = try state.folder(FileName(literal: "lists"), creating: true)
    originals = try lasting("originals")
    incoming = try lasting("incoming")
    cache = if let own { own } else { try lasting("cache") }
    quarantine = try lasting("quarantine")
    hooks = try lasting("hooks")
    webhooks = try lasting("webhooks")
    claims = try state.folder(FileName(literal: "claims"), creating: true)
    if store != nil { try sweepDrafts() }
  }

  // MARK: prints in a store

  /// Files on their way to the store, and from there.
  func drafts() throws(SystemError) -> any Folder {
    try state.folder(FileName(literal: "drafts"), creating: true)
  }

  /// An empty file without a name.
  func namelessDraft() throws(Failure) -> LinuxFile {
    try asMachine { () throws(SystemError) in
      let folder = try LinuxFolder.open(path: drafts().path)
      let name = FileName(made: String(hex: try ThisProcess.randomBytes(16)))
      let file = try folder.openFile(name, .create)
      try folder.remove(name)
      return file
    }
  }

  /// An earlier run has left them.
  private func sweepDrafts() throws(SystemError) {
    let drafts = try drafts()
    for name in try drafts.names() { try drafts.removeIfThere(name) }
  }

  /// Nil if the prints are in a folder.
  func stored(_ prints: FileName) -> StoredPrints? {
    store.map { StoredPrints($0.objects, of: prints) }
  }

  /// Nil without a store.
  var unwanted: UnwantedPrints? { store?.notes }

  func place(of terms: FrozenSettings) -> PrintsPlace {
    switch terms.kind {
    case .own: return (isShared ? alone : prints).map { .folder($0) } ?? .elsewhere
    case .entry(_, nil): return .elsewhere
    case .entry, .share:
      if let stored = stored(terms.prints) { return .stored(stored) }
      return isShared ? .folder(prints) : .elsewhere
    }
  }

  /// The list's folder of prints; nil if it is missing, if another list has its prints there, or if the prints are not in
  /// a folder that is in reach.
  /// - Parameter orLater: a later list that has taken over from it may have its prints there.
  func printFolder(
    of list: ListID, _ terms: FrozenSettings, orLater: Bool = false
  ) throws(Failure) -> (any Folder)? {
    guard case .folder(let home) = place(of: terms) else { return nil }
    do throws(SystemError) {
      guard let folder = try home.folder(ifThere: terms.prints) else { return nil }
      let claim = try terms.mark(of: list)?.claim(on: folder) ?? .own
      return claim.mayPrint || orLater && claim == .later ? folder : nil
    } catch {
      throw PrintsStanding.failure(of: error, at: terms.prints, in: home)
    }
  }

  /// True if a folder of prints has that name. Waits for the store.
  func hasPrints(_ prints: FileName) throws(Failure) -> Bool {
    if let stored = stored(prints) { return try stored.hasAny() }
    return try asMachine { () throws(SystemError) in try self.prints.has(prints) }
  }

  // MARK: the state folder

  /// Makes the folders again that a person has moved away. One that was removed is made by the next call that needs it.
  func look() {
    for folder in [originals, incoming, cache, quarantine, hooks, webhooks] {
      _ = try? folder.standing()
    }
  }

  /// Copies of the files of lists that all nodes develop, by their origins.
  func copies() throws(SystemError) -> any Folder {
    try state.folder(FileName(literal: "cluster"), creating: true)
  }

  /// Removes the originals of a list that is over.
  func removeOriginals(of list: ListID) throws(SystemError) {
    let name = FileName(number: list.number)
    // Most are empty: each original goes with its photo.
    do throws(SystemError) { try originals.removeFolder(name) } catch {
      if error.isMissing { return }
      guard error.name == .notEmpty || error.exists else { throw error }
      try originals.removeFlat(name)
    }
  }

  /// Removes the originals of all other lists, which a crash may have left.
  func removeOriginals(except open: Set<ListID>) throws(SystemError) {
    for name in try originals.names() {
      guard let list = ListFolder.number(name), !open.contains(list) else { continue }
      try removeOriginals(of: list)
    }
  }
}
