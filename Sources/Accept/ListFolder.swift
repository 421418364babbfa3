// SPDX-License-Identifier: Apache-2.0
// A list's folder STATE/lists/N: the names in it, and the file `state`, which doubles the records
// whose loss could not be made good. Everything here can raise what the kernel says.

package import Vocabulary

package enum ListFolder {
  package static let list = FileName(literal: "list.plist")
  package static let catalog = FileName(literal: "catalog")
  package static let about = FileName(literal: "about")
  package static let state = FileName(literal: "state")
  private static let nextState = FileName(literal: ".state")

  /// How far the drop is, not how far the list's photos are.
  package enum State: String, Sendable {
    /// Recorded; the dropped file may still be in the inbox. → claimed
    case accepted
    /// The dropped file is out of the inbox. → archived
    case claimed
    /// The list is over and `done` has its copy. Never left
    case archived
  }

  package static func name(_ list: ListID) -> FileName { FileName(number: list.number) }

  package static func staged(_ list: ListID) -> FileName {
    FileName(".staged-\(list)") ?? FileName(number: list.number)
  }

  package static func damaged(_ list: ListID) -> FileName {
    FileName(".damaged-\(list)") ?? FileName(number: list.number)
  }

  /// On its way out: nothing of it counts any more.
  package static func old(_ list: ListID) -> FileName {
    FileName(".old-\(list)") ?? FileName(number: list.number)
  }

  /// The number a folder's name stands for; nil for every other name.
  package static func number(_ name: FileName) -> ListID? {
    guard let number = UInt64(String(decoding: name.bytes, as: UTF8.self)),
      FileName(number: number) == name
    else { return nil }
    return ListID(number)
  }

  /// nil where the file is missing. Whole or absent, since it comes by rename; what cannot be read is
  /// taken for `accepted`, which costs one more look and loses nothing.
  package static func state(of folder: any Folder) throws(SystemError) -> State? {
    guard let bytes = try contents(state, in: folder, upTo: 64) else { return nil }
    let word = bytes.prefix { $0 != 0x0A }
    return State(rawValue: String(decoding: word, as: UTF8.self)) ?? .accepted
  }

  package static func setState(_ value: State, of folder: any Folder) throws(SystemError) {
    let file = try folder.open(nextState, .ensure)
    try file.truncate(to: 0)
    try file.write(Array("\(value.rawValue)\n".utf8), at: 0)
    try file.sync()
    try folder.rename(nextState, to: folder, as: state, replacing: true)
    try folder.sync()
  }

  /// A small file's bytes; nil where it is missing.
  package static func contents(
    _ name: FileName, in folder: any Folder, upTo limit: Int
  ) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try folder.open(name, .read).read(at: 0, upTo: limit)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}

extension Folder {
  /// A folder and the files in it. What is missing already is no error.
  func removeFlat(_ name: FileName) throws(SystemError) {
    do throws(SystemError) {
      let folder = try folder(name, creating: false)
      for file in try folder.names() { try folder.removeIfThere(file) }
      try removeFolder(name)
    } catch {
      if !error.isMissing { throw error }
    }
  }
}
