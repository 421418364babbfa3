// SPDX-License-Identifier: Apache-2.0
// Makes the effects of many requests durable together: writes rows, syncs contents, renames, syncs folders,
// in this order. A failed effect fails only the requests that need it, with a `Failure` of kind `machine`:
// all these files are the daemon's own.
// A value, used only by the syncer's thread.

package import Vocabulary

package struct DurableEffects: Sendable {
  /// At most this many files, and then folders, of a file system are synced one by one. For more, one syncfs is
  /// cheaper.
  package static let singleSyncs = 4
  /// In place of an inode, which is never 0: of the file that a list had when it was accepted, if there is one.
  private static let anyInode: UInt64 = 0
  /// The names of this many results files are remembered as durable.
  private static let durableNames = 4096

  private struct NewName {
    let request: Int
    let folder: any Folder
    let temporary: FileName
    let name: FileName
  }

  private struct File {
    let file: any OpenFile
    /// The place of its folder in `folders`.
    let home: Int?
  }

  /// A request, and the place of a file or folder that it needs durable.
  private struct Need {
    let request: Int
    let place: Int
  }

  /// The open results file of a list. `place` is its place in `files`, once this group uses it.
  private struct Results {
    let list: ListID
    let file: any OpenFile
    let inode: UInt64
    /// Folders to be synced before its name counts; none once it does.
    var homes: [any Folder]
    var place: Int?
  }

  private let state: any Folder
  private let rows: ResultRows
  private let isSynced: Bool
  private let mostResults: Int
  private var results: [Results] = []
  /// File systems that a sync as a whole has failed on. An error is reported once for each open file: the next sync of
  /// the whole would not tell it to those that it concerns.
  private var distrusted: Set<UInt64> = []
  /// Files whose names are durable, by their inodes: a list that is opened again needs no folder synced.
  private var durable: [ListID: UInt64] = [:]

  // The state of one group; the memory is reused.
  private var failures: [Int: Failure] = [:]
  private var files: [File] = []
  private var fileNeeds: [Need] = []
  private var folders = GroupFolders()
  private var folderNeeds: [Need] = []
  private var names: [NewName] = []
  /// File systems synced as a whole, which includes all names created before.
  private var wholeSystems: Set<UInt64> = []
  /// Files synced one by one, with their failures.
  private var tried: [ObjectIdentifier: Failure?] = [:]

  /// - Parameter mostResults: the results files that stay open.
  package init(
    _ state: any Folder, rows: ResultRows, isSynced: Bool = true, mostResults: Int = 16
  ) {
    self.state = state
    self.rows = rows
    self.isSynced = isSynced
    self.mostResults = max(1, mostResults)
  }

  /// Returns the failures by the index of the request; all other requests are durable.
  package mutating func perform(_ requests: some Collection<[Effect]>) -> [Int: Failure] {
    for (request, effects) in requests.enumerated() { collect(effects, for: request) }
    if isSynced { syncFiles() }
    rename()
    if isSynced { syncFolders() }
    defer { forget() }
    return failures
  }

  /// Rows of the lists, which are accepted now, may follow.
  package mutating func expect(_ lists: [ListID]) {
    for list in lists { note(durable: list, Self.anyInode) }
  }

  /// No row of the lists follows. An open file would hold a descriptor, and the space of a removed file.
  package mutating func close(_ lists: [ListID]) {
    guard !lists.isEmpty else { return }
    let ended = Set(lists)
    results.removeAll { ended.contains($0.list) }
    for list in ended { durable[list] = nil }
  }

  private mutating func forget() {
    failures.removeAll()
    files.removeAll(keepingCapacity: true)
    fileNeeds.removeAll(keepingCapacity: true)
    folders.removeAll()
    folderNeeds.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    wholeSystems.removeAll(keepingCapacity: true)
    tried.removeAll(keepingCapacity: true)
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

  /// Returns the folder's place in `folders`.
  private mutating func add(
    _ folder: any Folder, _ request: Int, isRenamedIn: Bool = false
  ) -> Int {
    let place = folders.add(folder, isRenamedIn: isRenamedIn, distrusted)
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
      for home in results[last].homes { _ = add(home, request) }
      if let place = results[last].place {
        fileNeeds.append(Need(request: request, place: place))
      } else {
        results[last].place = files.count
        add(file, request)
      }
    } catch { failures[request] = error.machineFailure }
  }

  /// Moves the list's file to the end of `results`. The least recently used file is closed for a new one.
  private mutating func openResults(_ list: ListID) throws(SystemError) {
    if let place = results.lastIndex(where: { $0.list == list }) {
      if place < results.count - 1 { results.append(results.remove(at: place)) }
      return
    }
    let isMade = durable[list] == Self.anyInode
    // Once only: a file that an attempt makes instead is not durable.
    if isMade { durable[list] = nil }
    let (file, homes) = try rows.open(list, isMade: isMade)
    let inode = try file.status().inode
    if homes.isEmpty { note(durable: list, inode) }
    if results.count >= mostResults { results.removeFirst() }
    results.append(
      Results(
        list: list, file: file, inode: inode, homes: durable[list] == inode ? [] : homes))
  }

  // MARK: Syncing

  private mutating func syncFiles() {
    guard files.count > Self.singleSyncs else { return sync(Array(files.indices)) }
    let systems = fileSystems()
    let devices = files.map { file in
      file.home.flatMap { folders[$0].device } ?? (try? file.file.status().device) ?? .max
    }
    var seen: [UInt64] = []
    for device in devices where !seen.contains(device) {
      seen.append(device)
      let group = devices.indices.filter { devices[$0] == device }
      guard group.count > Self.singleSyncs, !distrusted.contains(device),
        let folder = systems[device]
      else {
        sync(group)
        continue
      }
      do throws(SystemError) {
        try folder.syncFileSystem()
        wholeSystems.insert(device)
        checkWritten(group)
      } catch {
        // The error may concern another program's file; each file's own descriptor tells whether it is hit.
        distrusted.insert(device)
        sync(group)
      }
    }
  }

  /// One folder on each file system of this group, and on the file system of STATE.
  private func fileSystems() -> [UInt64: any Folder] {
    var systems: [UInt64: any Folder] = [:]
    for home in folders.homes {
      if let device = home.device { systems[device] = systems[device] ?? home.folder }
    }
    if let device = try? state.device() { systems[device] = systems[device] ?? state }
    return systems
  }

  /// Syncs files one by one, each once: after a failed sync a second one would succeed. After an error the
  /// descriptor of a results file is not used again; the retried request reopens it and rewrites the row.
  private mutating func sync(_ places: [Int]) {
    tryEach(places) { file throws(SystemError) in try file.sync() }
  }

  /// The file system was synced as a whole, by a descriptor that does not report the errors of its files.
  private mutating func checkWritten(_ places: [Int]) {
    tryEach(places) { file throws(SystemError) in try file.checkWritten() }
  }

  private mutating func tryEach(
    _ places: [Int], _ act: (any OpenFile) throws(SystemError) -> Void
  ) {
    for place in places {
      let file = files[place].file
      if tried[ObjectIdentifier(file)] == nil {
        var failure: Failure?
        do throws(SystemError) { try act(file) } catch {
          failure = error.machineFailure
          results.removeAll { $0.file === file }
        }
        tried.updateValue(failure, forKey: ObjectIdentifier(file))
      }
      guard let failure = tried[ObjectIdentifier(file)] ?? nil else { continue }
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
    let needed = folders.indices.filter { place in
      folderNeeds.contains { $0.place == place && failures[$0.request] == nil }
    }
    let single = singles(among: needed.filter { !isSyncedAlready(folders[$0]) })
    var synced: Set<Int> = []
    for place in needed {
      let home = folders[place]
      do throws(SystemError) {
        if single.contains(place) { try home.folder.sync() }
        synced.insert(place)
      } catch {
        let failure = error.machineFailure
        if let device = home.device, error.name == .inputOutput { distrusted.insert(device) }
        for need in folderNeeds where need.place == place { fail(need.request, failure) }
        results.removeAll { [folders] in $0.homes.contains { folders.place(of: $0) == place } }
      }
    }
    noteDurable(synced)
  }

  /// Syncs each file system that has many folders as a whole; returns the folders that are left.
  private mutating func singles(among places: [Int]) -> Set<Int> {
    var left = Set(places)
    guard places.count > Self.singleSyncs else { return left }
    let systems = Dictionary(grouping: places) { folders[$0].device }
    for (device, group) in systems where group.count > Self.singleSyncs {
      guard let device, !distrusted.contains(device) else { continue }
      do throws(SystemError) {
        try folders[group[0]].folder.syncFileSystem()
        left.subtract(group)
      } catch {
        // Each folder's own sync tells whether it is hit.
        distrusted.insert(device)
      }
    }
    return left
  }

  /// `synced` are places of folders.
  private mutating func noteDurable(_ synced: Set<Int>) {
    for place in results.indices where !results[place].homes.isEmpty {
      let isSynced = results[place].homes.allSatisfy { home in
        folders.place(of: home).map(synced.contains) ?? false
      }
      guard isSynced else { continue }
      results[place].homes = []
      note(durable: results[place].list, results[place].inode)
    }
  }

  private mutating func note(durable list: ListID, _ inode: UInt64) {
    if durable.count >= Self.durableNames { durable.removeAll() }
    durable[list] = inode
  }

  private func isSyncedAlready(_ home: GroupFolders.Home) -> Bool {
    guard !home.isRenamedIn, !wholeSystems.isEmpty, let device = home.device else { return false }
    return wholeSystems.contains(device)
  }

  /// Keeps the first failure.
  private mutating func fail(_ request: Int, _ failure: Failure) {
    if failures[request] == nil { failures[request] = failure }
  }
}
