// SPDX-License-Identifier: Apache-2.0
// Where hosts lead photos, as the failures of servers behind redirects have shown. The daemon knows the detour of a
// photo only after it has tried the photo. A plain value.

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
    private(set) var photos = 0

    mutating func add(_ server: String) {
      servers[server, default: 0] += 1
      photos += 1
    }

    mutating func remove(_ server: String) {
      let left = (servers[server] ?? 1) - 1
      servers[server] = left > 0 ? left : nil
      photos -= 1
    }
  }

  private struct OfList: Sendable {
    var photos: [UInt32: Detour] = [:]
    /// By the host that leads them.
    var hosts: [String: Counts] = [:]
    /// For each server, the hosts that lead photos to it: a list may have photos at very many hosts.
    var leaders: [String: Set<String>] = [:]

    mutating func add(_ number: UInt32, _ detour: Detour) {
      photos[number] = detour
      hosts[detour.host, default: Counts()].add(detour.server)
      leaders[detour.server, default: []].insert(detour.host)
    }

    mutating func remove(_ number: UInt32) -> Detour? {
      guard let detour = photos.removeValue(forKey: number) else { return nil }
      hosts[detour.host]?.remove(detour.server)
      if hosts[detour.host]?.servers[detour.server] == nil {
        leaders[detour.server]?.remove(detour.host)
        if leaders[detour.server]?.isEmpty == true { leaders[detour.server] = nil }
      }
      if hosts[detour.host]?.photos == 0 { hosts[detour.host] = nil }
      return detour
    }
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

  /// How many photos of the list the host leads elsewhere.
  func count(of list: ListID, from host: String) -> Int { lists[list]?.hosts[host]?.photos ?? 0 }

  /// How many photos of the list the host leads to each server.
  func servers(of list: ListID, from host: String) -> [String: Int] {
    lists[list]?.hosts[host]?.servers ?? [:]
  }

  /// The hosts that lead photos of the list to the server.
  func leaders(of list: ListID, to server: String) -> Set<String> {
    lists[list]?.leaders[server] ?? []
  }

  func lead(to server: String) -> Bool { all.servers[server] != nil }

  mutating func note(_ photo: PhotoID, _ detour: Detour) {
    forget(photo)
    lists[photo.list, default: OfList()].add(photo.number, detour)
    all.add(detour.server)
  }

  mutating func forget(_ photo: PhotoID) {
    guard let detour = lists[photo.list]?.remove(photo.number) else { return }
    if lists[photo.list]?.photos.isEmpty == true { lists[photo.list] = nil }
    all.remove(detour.server)
  }
}
