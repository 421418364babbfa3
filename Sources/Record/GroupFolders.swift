// SPDX-License-Identifier: Apache-2.0
// The folders that one group makes durable, each once: many lists have the same folder, opened by each. A value.

internal import Vocabulary

struct GroupFolders {
  struct Home {
    let folder: any Folder
    /// Nil if the disk does not tell.
    let device: UInt64?
    /// Its names change after the files are synced.
    fileprivate(set) var isRenamedIn: Bool
  }

  private(set) var homes: [Home] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var identities: [FolderIdentity: Int] = [:]

  subscript(place: Int) -> Home { homes[place] }

  var indices: Range<Int> { homes.indices }

  func place(of folder: any Folder) -> Int? { places[ObjectIdentifier(folder)] }

  /// Returns the folder's place. On the distrusted disks each descriptor may have an error to tell, and is synced.
  mutating func add(
    _ folder: any Folder, isRenamedIn: Bool, _ distrusted: Set<UInt64>
  ) -> Int {
    let place = place(of: folder) ?? newPlace(of: folder, distrusted)
    if isRenamedIn { homes[place].isRenamedIn = true }
    return place
  }

  private mutating func newPlace(of folder: any Folder, _ distrusted: Set<UInt64>) -> Int {
    let identity = try? folder.identity()
    let known = identity.flatMap { distrusted.contains($0.device) ? nil : identities[$0] }
    let place = known ?? homes.count
    if known == nil {
      homes.append(Home(folder: folder, device: identity?.device, isRenamedIn: false))
      if let identity { identities[identity] = place }
    }
    places[ObjectIdentifier(folder)] = place
    return place
  }

  /// Keeps the memory for the next group.
  mutating func removeAll() {
    homes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
  }
}
