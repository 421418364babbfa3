// SPDX-License-Identifier: Apache-2.0
// The folder of one list's prints. A print is made under a hidden name and appears by one rename,
// once it is durable: whole or not at all. Raises SystemError.
// Concurrency: immutable; the folder's files belong to whoever made them.

package import Vocabulary

package final class PrintFolder: Sendable {
  /// A finished picture out of sight, and where it will appear.
  package struct Draft: Sendable {
    package let file: any OpenFile
    package let temporary: FileName
  }

  package let folder: any Folder

  package init(_ folder: any Folder) { self.folder = folder }

  /// At start, before anything is made here: what an earlier run left half-made goes. Only names of
  /// ours begin with a dot.
  package func sweep() throws(SystemError) {
    for name in try folder.names() where name.bytes.first == 0x2E {
      try folder.removeIfThere(name)
    }
  }

  /// A fresh file for one photo's print, readable by the group when it appears.
  package func draft(_ photo: PhotoID) throws(SystemError) -> Draft {
    let name = Self.temporary(photo)
    try folder.removeIfThere(name)
    let file = try folder.open(name, .create)
    try folder.setMode(0o640, of: name)
    return Draft(file: file, temporary: name)
  }

  /// It will not appear. Says nothing: what is left is swept at the next start.
  package func discard(_ draft: Draft) { try? folder.remove(draft.temporary) }

  /// With the list's number: one that is given up may still be at its last step when the next one takes
  /// its folder over.
  private static func temporary(_ photo: PhotoID) -> FileName {
    guard let name = FileName(".\(photo.list)-\(photo.number).print") else {
      preconditionFailure("digits are a name")
    }
    return name
  }
}
