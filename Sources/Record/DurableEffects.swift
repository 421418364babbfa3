// SPDX-License-Identifier: Apache-2.0
// Makes the effects of many requests durable together: rows written, contents synced, names given,
// folders synced, in this order. What fails, fails its own requests only.
// A plain value, used by the syncer's thread alone. Whatever fails here is a file of our
// own: a `Failure` of kind `machine`.

package import Vocabulary

package struct DurableEffects: Sendable {
  /// Up to so many files are synced one by one; beyond, one call for their whole file system is less.
  package static let singleSyncs = 4
  /// So many lists' results stay open.
  private static let openResults = 16

  private struct NewName {
    let request: Int
    let folder: any Folder
    let temporary: FileName
    let name: FileName
  }

  /// One file or folder, and the requests that need it.
  private struct Item<Thing: Sendable>: Sendable {
    let thing: Thing
    var requests: [Int]
    /// A folder's names change after the files were synced.
    var isRenamedIn = false
    /// A file's folder, by its place among those of this group.
    var home: Int?
  }

  private let state: any Folder
  private let rows: ResultRows
  private let isSynced: Bool
  private var results: [(list: ListID, file: any OpenFile)] = []

  private var failures: [Failure?] = []
  private var files: [Item<any OpenFile>] = []
  private var filePlaces: [ObjectIdentifier: Int] = [:]
  private var folders: [Item<any Folder>] = []
  private var names: [NewName] = []
  /// File systems that one call has synced, with all that was made in them before.
  private var wholeSystems: Set<UInt64> = []

  package init(_ state: any Folder, rows: ResultRows, isSynced: Bool = true) {
    self.state = state
    self.rows = rows
    self.isSynced = isSynced
  }

  /// Answers for each request why it is not durable, or nil.
  package mutating func perform(_ requests: [[Effect]]) -> [Failure?] {
    failures = [Failure?](repeating: nil, count: requests.count)
    for (request, effects) in requests.enumerated() { collect(effects, for: request) }
    if isSynced { syncFiles() }
    for new in names where failures[new.request] == nil {
      attempt([new.request]) { () throws(SystemError) in
        try new.folder.rename(new.temporary, to: new.folder, as: new.name, replacing: true)
      }
    }
    if isSynced {
      for folder in folders where folder.requests.contains(where: { failures[$0] == nil }) {
        if isSyncedAlready(folder) { continue }
        attempt(folder.requests) { () throws(SystemError) in try folder.thing.sync() }
      }
    }
    files = []
    filePlaces = [:]
    folders = []
    names = []
    wholeSystems = []
    return failures
  }

  private func isSyncedAlready(_ folder: Item<any Folder>) -> Bool {
    guard !folder.isRenamedIn, !wholeSystems.isEmpty,
      let device = try? folder.thing.device()
    else { return false }
    return wholeSystems.contains(device)
  }

  // MARK: Collecting

  private mutating func collect(_ effects: [Effect], for request: Int) {
    for effect in effects {
      switch effect {
      case .sync(let file): add(file, request)
      case .syncFolder(let folder): _ = add(folder, request)
      case .stand(let file, let folder):
        add(file, request, home: add(folder, request))
      case .appear(let file, let folder, let temporary, let name):
        names.append(
          NewName(request: request, folder: folder, temporary: temporary, name: name))
        add(file, request, home: add(folder, request, isRenamedIn: true))
      case .row(let list, let row): write(row, of: list, request)
      }
    }
  }

  private mutating func add(_ file: any OpenFile, _ request: Int, home: Int? = nil) {
    if let known = filePlaces[ObjectIdentifier(file)] {
      files[known].requests.append(request)
    } else {
      filePlaces[ObjectIdentifier(file)] = files.count
      files.append(Item(thing: file, requests: [request], home: home))
    }
  }

  /// The folder's place among those of this group.
  private mutating func add(
    _ folder: any Folder, _ request: Int, isRenamedIn: Bool = false
  ) -> Int {
    guard let known = folders.firstIndex(where: { $0.thing === folder }) else {
      folders.append(Item(thing: folder, requests: [request], isRenamedIn: isRenamedIn))
      return folders.count - 1
    }
    folders[known].requests.append(request)
    if isRenamedIn { folders[known].isRenamedIn = true }
    return known
  }

  private mutating func write(_ row: ResultRow, of list: ListID, _ request: Int) {
    guard row.photo > 0 else { return }
    do throws(SystemError) {
      let file = try resultsFile(list)
      try file.write(row.encoded(for: list), at: ResultRows.offset(row.photo))
      add(file, request)
    } catch { failures[request] = error.machineFailure }
  }

  private mutating func resultsFile(_ list: ListID) throws(SystemError) -> any OpenFile {
    if let place = results.firstIndex(where: { $0.list == list }) {
      let known = results.remove(at: place)
      results.append(known)
      return known.file
    }
    let file = try rows.open(list)
    if results.count >= Self.openResults { results.removeFirst() }
    results.append((list, file))
    return file
  }

  // MARK: Syncing

  private mutating func syncFiles() {
    guard files.count > Self.singleSyncs else {
      for file in files { sync(file) }
      return
    }
    let homes = folders.map { try? $0.thing.device() }
    let systems = fileSystems(homes)
    var groups: [UInt64: [Item<any OpenFile>]] = [:]
    for file in files {
      let device = file.home.flatMap { homes[$0] } ?? (try? file.thing.status().device) ?? .max
      groups[device, default: []].append(file)
    }
    for (device, group) in groups {
      guard group.count > Self.singleSyncs, let folder = systems[device] else {
        for file in group { sync(file) }
        continue
      }
      do throws(SystemError) {
        try folder.syncFileSystem()
        wholeSystems.insert(device)
      } catch {
        // The error may be a stranger's: each file's own descriptor knows whether it is the file's.
        for file in group { sync(file) }
      }
    }
  }

  /// One folder on each file system that is touched.
  private func fileSystems(_ homes: [UInt64?]) -> [UInt64: any Folder] {
    var systems: [UInt64: any Folder] = [:]
    for (folder, device) in zip(folders, homes) {
      if let device { systems[device] = systems[device] ?? folder.thing }
    }
    if let device = try? state.device() { systems[device] = systems[device] ?? state }
    return systems
  }

  /// After an error the descriptor of a results file is not used again, and the row is written anew.
  private mutating func sync(_ file: Item<any OpenFile>) {
    let isDone = attempt(file.requests) { () throws(SystemError) in try file.thing.sync() }
    if !isDone { results.removeAll { $0.file === file.thing } }
  }

  @discardableResult
  private mutating func attempt(
    _ requests: [Int], _ act: () throws(SystemError) -> Void
  ) -> Bool {
    do throws(SystemError) {
      try act()
      return true
    } catch {
      for request in requests where failures[request] == nil {
        failures[request] = error.machineFailure
      }
      return false
    }
  }
}
