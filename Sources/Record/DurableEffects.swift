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

  private struct File {
    let file: any OpenFile
    /// Its folder, by its place among those of this group.
    let home: Int?
  }

  private struct Home {
    let folder: any Folder
    /// Its names change after the files were synced.
    var isRenamedIn: Bool
  }

  /// A request that is not durable without a file or folder, which is given by its place.
  private struct Need {
    let request: Int
    let place: Int
  }

  /// Where a list's rows go. `place` is that of the file in this group, once it is there.
  private struct Results {
    let list: ListID
    let file: any OpenFile
    var place: Int?
  }

  private let state: any Folder
  private let rows: ResultRows
  private let isSynced: Bool
  private var results: [Results] = []

  // Of one group; their room is used again.
  private var failures: [Int: Failure] = [:]
  private var files: [File] = []
  private var fileNeeds: [Need] = []
  private var folders: [Home] = []
  private var folderNeeds: [Need] = []
  private var names: [NewName] = []
  /// File systems that one call has synced, with all that was made in them before.
  private var wholeSystems: Set<UInt64> = []
  /// Files synced by themselves, and why one could not be.
  private var tried: Set<ObjectIdentifier> = []
  private var failed: [ObjectIdentifier: Failure] = [:]

  package init(_ state: any Folder, rows: ResultRows, isSynced: Bool = true) {
    self.state = state
    self.rows = rows
    self.isSynced = isSynced
  }

  /// Answers why requests are not durable, by their place; those that it does not name are.
  package mutating func perform(_ requests: some Collection<[Effect]>) -> [Int: Failure] {
    for (request, effects) in requests.enumerated() { collect(effects, for: request) }
    if isSynced { syncFiles() }
    rename()
    if isSynced { syncFolders() }
    defer { forget() }
    return failures
  }

  private mutating func forget() {
    failures.removeAll()
    files.removeAll(keepingCapacity: true)
    fileNeeds.removeAll(keepingCapacity: true)
    folders.removeAll(keepingCapacity: true)
    folderNeeds.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    wholeSystems.removeAll(keepingCapacity: true)
    tried.removeAll(keepingCapacity: true)
    failed.removeAll()
    for place in results.indices { results[place].place = nil }
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
    fileNeeds.append(Need(request: request, place: files.count))
    files.append(File(file: file, home: home))
  }

  /// The folder's place among those of this group.
  private mutating func add(
    _ folder: any Folder, _ request: Int, isRenamedIn: Bool = false
  ) -> Int {
    // Neighbours are mostly in one folder, and a group has few.
    let place = folders.lastIndex { $0.folder === folder } ?? folders.count
    if place == folders.count { folders.append(Home(folder: folder, isRenamedIn: false)) }
    if isRenamedIn { folders[place].isRenamedIn = true }
    folderNeeds.append(Need(request: request, place: place))
    return place
  }

  private mutating func write(_ row: ResultRow, of list: ListID, _ request: Int) {
    guard row.photo > 0 else { return }
    do throws(SystemError) {
      try openResults(list)
      let last = results.count - 1
      let file = results[last].file
      try file.write(row.encoded(for: list), at: ResultRows.offset(row.photo))
      if let place = results[last].place {
        fileNeeds.append(Need(request: request, place: place))
      } else {
        results[last].place = files.count
        add(file, request)
      }
    } catch { failures[request] = error.machineFailure }
  }

  /// The list's file is the last then: the one that was used longest ago is closed for another.
  private mutating func openResults(_ list: ListID) throws(SystemError) {
    if let place = results.lastIndex(where: { $0.list == list }) {
      if place < results.count - 1 { results.append(results.remove(at: place)) }
      return
    }
    let file = try rows.open(list)
    if results.count >= Self.openResults { results.removeFirst() }
    results.append(Results(list: list, file: file))
  }

  // MARK: Syncing

  private mutating func syncFiles() {
    guard files.count > Self.singleSyncs else { return sync(Array(files.indices)) }
    let homes = folders.map { try? $0.folder.device() }
    let systems = fileSystems(homes)
    let devices = files.map { file in
      file.home.flatMap { homes[$0] } ?? (try? file.file.status().device) ?? .max
    }
    var seen: [UInt64] = []
    for device in devices where !seen.contains(device) {
      seen.append(device)
      let group = devices.indices.filter { devices[$0] == device }
      guard group.count > Self.singleSyncs, let folder = systems[device] else {
        sync(group)
        continue
      }
      do throws(SystemError) {
        try folder.syncFileSystem()
        wholeSystems.insert(device)
      } catch {
        // The error may be a stranger's: each file's own descriptor knows whether it is the file's.
        sync(group)
      }
    }
  }

  /// One folder on each file system that is touched.
  private func fileSystems(_ homes: [UInt64?]) -> [UInt64: any Folder] {
    var systems: [UInt64: any Folder] = [:]
    for (home, device) in zip(folders, homes) {
      if let device { systems[device] = systems[device] ?? home.folder }
    }
    if let device = try? state.device() { systems[device] = systems[device] ?? state }
    return systems
  }

  /// One by one, each once: a second sync would say that all is well where the first has failed. After
  /// an error the descriptor of a results file is not used again, and the row is written anew.
  private mutating func sync(_ places: [Int]) {
    for place in places {
      let file = files[place].file
      if tried.insert(ObjectIdentifier(file)).inserted {
        do throws(SystemError) { try file.sync() } catch {
          failed[ObjectIdentifier(file)] = error.machineFailure
          results.removeAll { $0.file === file }
        }
      }
      guard let failure = failed[ObjectIdentifier(file)] else { continue }
      for need in fileNeeds where need.place == place { fail(need.request, failure) }
    }
  }

  // MARK: Names

  private mutating func rename() {
    for new in names where failures[new.request] == nil {
      do throws(SystemError) {
        try new.folder.rename(new.temporary, to: new.folder, as: new.name, replacing: true)
      } catch { fail(new.request, error.machineFailure) }
    }
  }

  private mutating func syncFolders() {
    for (place, home) in folders.enumerated() {
      let isNeeded = folderNeeds.contains { $0.place == place && failures[$0.request] == nil }
      guard isNeeded, !isSyncedAlready(home) else { continue }
      do throws(SystemError) { try home.folder.sync() } catch {
        let failure = error.machineFailure
        for need in folderNeeds where need.place == place { fail(need.request, failure) }
      }
    }
  }

  private func isSyncedAlready(_ home: Home) -> Bool {
    guard !home.isRenamedIn, !wholeSystems.isEmpty, let device = try? home.folder.device()
    else { return false }
    return wholeSystems.contains(device)
  }

  /// The first reason stays.
  private mutating func fail(_ request: Int, _ failure: Failure) {
    if failures[request] == nil { failures[request] = failure }
  }
}
