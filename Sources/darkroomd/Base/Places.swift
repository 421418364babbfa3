// SPDX-License-Identifier: Apache-2.0
// The paths of the daemon's folders and files: the system's, or all below one root. A value; only
// `make` touches the disk, and raises `SystemError`.

import Linux
import Output
import Vocabulary

struct Places: Equatable, Sendable {
  let inbox: String
  let done: String
  let failed: String
  var prints: String
  /// The same for lists that this machine had alone, while `prints` is the folder of a cluster.
  var alone: String?
  let state: String
  let control: String
  let configuration: String
  /// Tells the drafts of processes apart that share the folder of prints; empty for a daemon, which has it alone.
  var mark = ""
  /// Of originals; nil for `cache` in the state folder.
  var cache: String?
  /// Nil if the prints are in a folder.
  var store: StorePlace?

  /// Where people find the prints: a path, or a URL.
  var shownPrints: String {
    store.map { $0.text(of: ObjectKey(StoredPrints.root)) } ?? prints
  }

  /// The same for the prints of one list; nil if they are in a cluster, and this machine is not one of its nodes.
  func shownPrints(of terms: FrozenSettings) -> String? {
    if let store, terms.isOfCluster {
      return store.text(of: ObjectKey(StoredPrints.root, terms.prints))
    }
    return printsHome(of: terms).map { terms.prints.path(in: $0) }
  }

  /// The path of the folder that has the list's folder of prints; nil if there is none in reach.
  func printsHome(of terms: FrozenSettings) -> String? {
    if !terms.isOfCluster { return alone ?? prints }
    return alone == nil ? nil : prints
  }

  static let system = Places(
    inbox: "/var/spool/darkroom/inbox", done: "/var/spool/darkroom/done",
    failed: "/var/spool/darkroom/failed", prints: "/var/lib/darkroom/prints",
    state: "/var/lib/darkroom/state", control: "/run/darkroom/io.darkroom",
    configuration: "/etc/darkroom/darkroomd.conf")

  static func below(_ root: String) -> Places {
    let root = root == "/" ? "" : root
    return Places(
      inbox: "\(root)/inbox", done: "\(root)/done", failed: "\(root)/failed",
      prints: "\(root)/prints", state: "\(root)/state", control: "\(root)/control",
      configuration: "\(root)/darkroomd.conf")
  }

  /// Those of the command line. Makes nothing.
  static func named(by options: CommandLineOptions) -> Places {
    options.root.map { Places.below($0) } ?? .system
  }

  /// With the folder that the service manager has made for what may be lost; nil if it has none.
  func withCache(_ path: String?) -> Places {
    var places = self
    // Several folders are separated with colons.
    places.cache = path.flatMap { $0.split(separator: ":").first.map(String.init) }
    return places
  }

  /// The room of each folder that can be opened, by its path. Waits for the disks. A start needs no inbox, and does not
  /// wait for one on a server that is away.
  func rooms(withInbox: Bool) -> [String: DiskRoom] {
    let paths = (withInbox ? [inbox] : []) + [done, failed, prints, state]
    return paths.reduce(into: [:]) { rooms, path in
      rooms[path] = try? LinuxFolder.open(path: path).room()
    }
  }

  /// False on a machine that has neither the settings nor the inbox.
  static var isInstalled: Bool {
    ["/etc/darkroom", "/var/spool/darkroom"].contains { path in
      do throws(SystemError) {
        _ = try LinuxFolder.open(path: path)
        return true
      } catch { return !error.isMissing }
    }
  }

  /// Makes the folders below a root. Under systemd they exist already (tmpfiles, StateDirectory).
  static func make(
    root: String, _ names: [StaticString] = ["inbox", "done", "failed", "prints", "state"]
  ) throws(SystemError) {
    if let slash = root.lastIndex(of: "/"), let name = FileName(root[root.index(after: slash)...]) {
      let parent = slash == root.startIndex ? "/" : String(root[..<slash])
      _ = try LinuxFolder.open(path: parent).openFolder(name, creating: true)
    }
    let folder = try LinuxFolder.open(path: root)
    for name in names { try makeFolder(FileName(literal: name), in: folder) }
  }

  /// A link may be there instead, even one whose disk is not mounted yet.
  private static func makeFolder(_ name: FileName, in root: LinuxFolder) throws(SystemError) {
    do throws(SystemError) { _ = try root.openFolder(name, creating: true) } catch {
      guard error.name == .notFolder || error.name == .isLink,
        try root.status(of: name).kind == .link
      else { throw error }
    }
  }
}
