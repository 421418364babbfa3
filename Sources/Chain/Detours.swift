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

  /// By list, since a photo may end in another line than the one in which it was tried.
  private var lists: [ListID: [UInt32: Detour]] = [:]
  /// The number of photos that are led to each server.
  private var servers: [String: Int] = [:]

  subscript(_ photo: PhotoID) -> Detour? { lists[photo.list]?[photo.number] }
  subscript(_ list: ListID) -> [UInt32: Detour] { lists[list] ?? [:] }

  var isEmpty: Bool { lists.isEmpty && servers.isEmpty }

  /// The lists with photos that are led.
  var known: [ListID] { lists.keys.sorted() }

  func lead(to server: String) -> Bool { servers[server] != nil }

  mutating func note(_ photo: PhotoID, _ detour: Detour) {
    forget(photo)
    lists[photo.list, default: [:]][photo.number] = detour
    servers[detour.server, default: 0] += 1
  }

  mutating func forget(_ photo: PhotoID) {
    guard let server = lists[photo.list]?.removeValue(forKey: photo.number)?.server else { return }
    if lists[photo.list]?.isEmpty == true { lists[photo.list] = nil }
    let left = (servers[server] ?? 1) - 1
    servers[server] = left > 0 ? left : nil
  }
}
