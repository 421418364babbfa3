// SPDX-License-Identifier: Apache-2.0
// The folders that `FileFolders=` names: the only places that `file:` URLs reach. From the held
// folder a path is walked one component at a time; a link, wherever it stands, ends the walk.
// Raises `file.refused`, `file.missing`, `file.unreadable`, and the machine's
// trouble where it has no descriptor left.

package import Vocabulary

package struct FileFolders: Sendable {
  private struct Root: Sendable {
    let path: [FileName]
    let folder: any Folder
  }

  private let roots: [Root]

  /// Folders opened by their configured, absolute paths.
  package init(_ folders: [any Folder] = []) {
    let roots = folders.map { folder in
      Root(
        path: folder.path.utf8.split(separator: UInt8(ascii: "/")).compactMap {
          FileName(bytes: $0)
        },
        folder: folder)
    }
    // The deepest first: a folder named inside another is entered by its own descriptor.
    self.roots = roots.sorted { $0.path.count > $1.path.count }
  }

  func open(_ path: [FileName]) throws(Failure) -> any OpenFile {
    let root = roots.first { path.count > $0.path.count && path.starts(with: $0.path) }
    guard let root, let name = path.last else {
      throw Failure(
        .final, code: "file.refused",
        reason: "the file lies outside the folders that FileFolders= names",
        advice: "FileFolders= under [Download] names them")
    }
    do throws(SystemError) {
      var folder = root.folder
      for step in path[root.path.count..<(path.count - 1)] {
        folder = try folder.folder(step, creating: false)
      }
      let file = try folder.open(name, .read)
      guard try file.status().kind == .file else { throw Self.irregular }
      return file
    } catch {
      throw Self.failure(error)
    }
  }

  /// What is no regular file is answered as the kernel answers a link.
  private static var irregular: SystemError { SystemError(code: 40, call: "open", thing: "") }

  private static func failure(_ error: SystemError) -> Failure {
    switch error.code {
    case 2:
      return Failure(
        .final, code: "file.missing", reason: "there is no such file",
        advice: "Check the path in the list")
    case 1, 13:
      return Failure(
        .final, code: "file.refused", reason: "the file may not be read by this service",
        advice: "Let the user that darkroom runs as read it")
    case 6, 20, 21, 40:
      return Failure(
        .final, code: "file.refused",
        reason: "the path leads over a link or to something that is no regular file",
        advice: "Write the path of the file itself")
    case 23, 24: return error.machineFailure
    default: return unreadable(error)
    }
  }

  /// Their disks are not ours: what fails on one stops this photo alone.
  static func unreadable(_ error: SystemError) -> Failure {
    Failure(
      .passing, code: "file.unreadable", reason: "the file cannot be read: \(error.words)",
      advice: "Look after the disk that it is on")
  }
}
