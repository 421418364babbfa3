// SPDX-License-Identifier: Apache-2.0
// Where hosts lead photos, as the failures of servers behind redirects have shown. It is known only of photos that were
// tried. A plain value.

import Vocabulary

struct Detours: Sendable {
  struct Detour: Equatable, Sendable {
    /// The server of the photo's URL.
    let host: String
    /// The last server of the photo's last transfer.
    let server: String

    /// The one of the two that is not this one; nil if this is neither.
    func other(than name: String) -> String? {
      if name == host { return server }
      return name == server ? host : nil
    }
  }

  /// How many photos are led to each server.
  private struct Counts: Sendable {
    private(set) var servers: [String: Int] = [:]

    mutating func add(_ server: String) { servers[server, default: 0] += 1 }

    mutating func remove(_ server: String) {
      let left = (servers[server] ?? 1) - 1
      servers[server] = left > 0 ? left : nil
    }
  }

  private struct OfList: Sendable {
    var photos: [UInt32: Detour] = [:]
    var counts = Counts()
  }

  /// By list, since a photo may end in another line than the one in which it was tried.
  private var lists: [ListID: OfList] = [:]
  private var all = Counts()

  subscript(_ photo: PhotoID) -> Detour? { lists[photo.list]?.photos[photo.number] }

  var isEmpty: Bool { lists.isEmpty && all.servers.isEmpty }

  /// The lists with photos that are led.
  var known: [ListID] { lists.keys.sorted() }

  /// Sorted, so that a simulation replays.
  func photos(of list: ListID) -> [UInt32] { lists[list]?.photos.keys.sorted() ?? [] }

  func count(of list: ListID) -> Int { lists[list]?.photos.count ?? 0 }

  /// How many photos of the list are led to each server.
  func servers(of list: ListID) -> [String: Int] { lists[list]?.counts.servers ?? [:] }

  func lead(to server: String) -> Bool { all.servers[server] != nil }

  mutating func note(_ photo: PhotoID, _ detour: Detour) {
    forget(photo)
    lists[photo.list, default: OfList()].photos[photo.number] = detour
    lists[photo.list]?.counts.add(detour.server)
    all.add(detour.server)
  }

  mutating func forget(_ photo: PhotoID) {
    guard let server = lists[photo.list]?.photos.removeValue(forKey: photo.number)?.server else {
      return
    }
    lists[photo.list]?.counts.remove(server)
    if lists[photo.list]?.photos.isEmpty == true { lists[photo.list] = nil }
    all.remove(server)
  }
}
