// SPDX-License-Identifier: Apache-2.0
// A print that is made once: its durable draft gets the name unless that is taken. Of several makers one has made the
// print, and all others find it: a node that was frozen and comes back changes nothing. The answer of a server may be
// lost, and a name may be known as missing for a while; both are looked into here. Raises SystemError.

package import Vocabulary

extension PrintFolder {
  /// Call when the draft is durable. The draft is gone afterwards, and the folder is to be synced. Returns nil if the
  /// print is the draft's; otherwise the one that stands, which its maker made durable before it had the name.
  package func place(
    _ draft: Draft, as name: FileName
  ) throws(SystemError) -> (any OpenFile)? {
    var standing: (any OpenFile)?
    do throws(SystemError) { try give(draft, name) } catch {
      if !isPlaced(draft, name) {
        guard error.exists else { throw error }
        standing = try stands(name)
        // It was removed in this moment, or this machine does not see it yet: the photo is tried again.
        if standing == nil { throw error }
      }
    }
    discard(draft)
    return standing
  }

  private func give(_ draft: Draft, _ name: FileName) throws(SystemError) {
    switch way {
    case .replace: try folder.rename(draft.temporary, to: folder, as: name, replacing: true)
    case .link: try folder.link(draft.temporary, to: folder, as: name)
    case .rename: try folder.renameOnce(draft.temporary, to: folder, as: name)
    }
  }

  /// A server has done it, and its answer was lost: the repeated call found the name taken, or the draft gone.
  private func isPlaced(_ draft: Draft, _ name: FileName) -> Bool {
    guard let own = try? draft.file.status(), let placed = try? folder.status(of: name) else {
      return false
    }
    return own.inode == placed.inode && own.device == placed.device
      && (way != .link || placed.links > 1)
  }

  /// Opened, not only looked at: the client of a file server then asks the server.
  private func stands(_ name: FileName) throws(SystemError) -> (any OpenFile)? {
    do throws(SystemError) {
      let file = try folder.open(name, .read)
      guard try file.status().kind == .file else {
        throw SystemError(.isFolder, call: "open", thing: "\(folder.path)/\(name)")
      }
      return file
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
