// SPDX-License-Identifier: Apache-2.0
// Operations of a few calls each on folders, for several modules. Raises SystemError.

package import Vocabulary

extension Folder {
  /// A small file's bytes; nil if it is missing.
  package func contents(
    of name: FileName, upTo limit: Int
  ) throws(SystemError) -> [UInt8]? {
    try open(ifThere: name)?.read(at: 0, upTo: limit)
  }

  /// nil if the name is missing.
  package func open(ifThere name: FileName) throws(SystemError) -> (any OpenFile)? {
    try ifThere { () throws(SystemError) in try open(name, .read) }
  }

  /// nil if the name is missing.
  package func status(ifThere name: FileName) throws(SystemError) -> FileStatus? {
    try ifThere { () throws(SystemError) in try status(of: name) }
  }

  /// nil if the folder is missing.
  package func folder(ifThere name: FileName) throws(SystemError) -> (any Folder)? {
    try ifThere { () throws(SystemError) in try folder(name, creating: false) }
  }

  @discardableResult
  private func ifThere<Value>(
    _ act: () throws(SystemError) -> Value
  ) throws(SystemError) -> Value? {
    do throws(SystemError) { return try act() } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// A new, empty file. An existing one is removed, not truncated: it may have other names.
  package func openAnew(_ name: FileName) throws(SystemError) -> any OpenFile {
    do throws(SystemError) { return try open(name, .create) } catch {
      guard error.exists else { throw error }
      try removeIfThere(name)
      return try open(name, .create)
    }
  }

  /// Another name for the file; replaces an existing file of that name.
  package func link(
    _ name: FileName, toEmpty target: any Folder, as newName: FileName
  ) throws(SystemError) {
    do throws(SystemError) { try link(name, to: target, as: newName) } catch {
      guard error.exists else { throw error }
      try target.removeIfThere(newName)
      try link(name, to: target, as: newName)
    }
  }

  /// Another name for the file, or a copy of it if its file system has no links or is another one.
  package func linkOrCopy(
    _ name: FileName, toEmpty target: any Folder, as newName: FileName
  ) throws(SystemError) {
    do throws(SystemError) { return try link(name, toEmpty: target, as: newName) } catch {
      guard error.meansNoLink || error.name == .crossesDevices else { throw error }
    }
    let source = try open(name, .read)
    try FileCopy.copy(
      source, to: target.openAnew(newName), upTo: source.status().size)
  }

  /// Removes a folder with everything in it. A missing folder is not an error. The place of a mount is, and nothing
  /// below it is removed.
  package func removeTree(_ name: FileName) throws(SystemError) {
    try ifThere { () throws(SystemError) in
      let folder = try folder(name, creating: false)
      if folder.isMountPoint {
        throw SystemError(
          .busy, call: "remove", thing: "\(folder.path), where something is mounted")
      }
      for inner in try folder.names() {
        if try folder.status(ifThere: inner)?.kind == .folder {
          try folder.removeTree(inner)
        } else {
          try folder.removeIfThere(inner)
        }
      }
      try removeFolder(name)
    }
  }

  /// Removes a folder and the files in it. A missing folder is not an error.
  package func removeFlat(_ name: FileName) throws(SystemError) {
    try ifThere { () throws(SystemError) in
      let folder = try folder(name, creating: false)
      for file in try folder.names() { try folder.removeIfThere(file) }
      try removeFolder(name)
    }
  }
}
