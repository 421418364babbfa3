// SPDX-License-Identifier: Apache-2.0
// The folders named in `FileFolders=`: the only places that `file:` URLs reach. A folder is opened only when
// a photo is copied from it, so a hung mount delays its own photos alone. A path is walked from the folder
// one component at a time; a symbolic link anywhere ends the walk.
// Raises `file.refused`, `file.missing`, `file.unreadable`, and failures of kind `machine`: `file.folder` if the folder
// cannot be opened or is empty, and when descriptors run out.

package import Vocabulary

package struct FileFolders: Sendable {
  private struct Root: Sendable {
    let text: String
    let path: [FileName]
  }

  private let roots: [Root]
  private let open: @Sendable (String) throws(SystemError) -> any Folder

  /// No folders: every file is refused.
  package init() {
    self.init(paths: []) { path throws(SystemError) in
      throw SystemError(.missing, call: "open", thing: path)
    }
  }

  /// `paths` are absolute; `open` opens one path and may wait for its disk.
  package init(
    paths: [String], open: @escaping @Sendable (String) throws(SystemError) -> any Folder
  ) {
    let roots = paths.map { path in
      let names = path.utf8.split(separator: UInt8(ascii: "/")).compactMap { FileName(bytes: $0) }
      return Root(text: path, path: names)
    }
    // Deepest first: a folder named inside another one is entered by its own path.
    self.roots = roots.sorted { $0.path.count > $1.path.count }
    self.open = open
  }

  /// May wait for the file's disk.
  func open(_ path: [FileName]) throws(Failure) -> any OpenFile {
    let root = roots.first { path.count > $0.path.count && path.starts(with: $0.path) }
    guard let root, let name = path.last else {
      throw Failure(
        .final, code: "file.refused",
        reason: "the file is outside the folders named in FileFolders=",
        advice: "Add its folder to FileFolders= under [Download]")
    }
    let top = try folder(of: root)
    do throws(SystemError) {
      var folder = top
      for step in path[root.path.count..<(path.count - 1)] {
        folder = try folder.folder(step, creating: false)
      }
      let file = try folder.open(name, .read)
      guard try file.status().kind == .file else { throw Self.irregular }
      return file
    } catch {
      // The mount may be away: the empty folder below it says nothing about its files.
      if error.name == .missing, (try? top.isEmpty()) == true {
        throw Self.away("the folder \(Printable.text(root.text)) is empty")
      }
      throw Self.failure(error)
    }
  }

  /// A folder that cannot be opened may be mounted later, however late: its photos wait, and no attempt counts.
  private func folder(of root: Root) throws(Failure) -> any Folder {
    do throws(SystemError) { return try open(root.text) } catch {
      if Self.lacksDescriptors(error) { throw error.machineFailure }
      throw Self.away("the folder \(Printable.text(root.text)) cannot be opened: \(error.words)")
    }
  }

  private static func away(_ reason: String) -> Failure {
    Failure(
      .machine, scope: .one, code: "file.folder", reason: reason,
      advice:
        "Check that this folder of FileFolders= exists, is mounted, and can be entered by darkroomd"
    )
  }

  /// Anything but a regular file fails like a symbolic link.
  private static var irregular: SystemError { SystemError(.isLink, call: "open", thing: "") }

  private static func lacksDescriptors(_ error: SystemError) -> Bool {
    error.name == .machineFilesOpen || error.name == .filesOpen
  }

  private static func failure(_ error: SystemError) -> Failure {
    switch error.name {
    case .missing:
      return Failure(
        .final, code: "file.missing", reason: "there is no such file",
        advice: "Check the path in the list")
    case .notPermitted, .denied:
      return Failure(
        .final, code: "file.refused", reason: "this service may not read the file",
        advice: "Give the user that darkroom runs as read access to it")
    case .noDevice, .notFolder, .isFolder, .isLink:
      return Failure(
        .final, code: "file.refused",
        reason: "the path contains a symbolic link or does not name a regular file",
        advice: "Use the path of the file itself")
    case _ where lacksDescriptors(error): return error.machineFailure
    default: return unreadable(error)
    }
  }

  /// These disks are not the daemon's own: a read error fails this photo alone.
  static func unreadable(_ error: SystemError) -> Failure {
    Failure(
      .passing, code: "file.unreadable", reason: "the file cannot be read: \(error.words)",
      advice: "Check the disk that holds it")
  }
}
