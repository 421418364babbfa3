// SPDX-License-Identifier: Apache-2.0
// A file that a worker fills, and the draft into which the daemon copies it. A worker that a picture has taken over may
// write, truncate and map its file as long as it lives. It never holds a descriptor of the draft, so that a print never
// changes after its digest was recorded. Raises a `Failure`.

import Digests
import Files
import Output
import Vocabulary

struct WorkerFile: Sendable {
  /// Without a name: it is gone with the last descriptor, even after a crash.
  let written: any OpenFile
  let draft: PrintFolder.Draft

  /// - Parameter folder: on a local disk, even if the prints are on a server. The name is free in it.
  init(for draft: PrintFolder.Draft, in folder: any Folder, as name: FileName) throws(SystemError) {
    written = try folder.openUnnamed(name)
    self.draft = draft
  }

  init(for draft: PrintFolder.Draft, in folder: any Folder) throws(SystemError) {
    try self.init(for: draft, in: folder, as: draft.temporary)
  }

  /// The digest belongs to the copied bytes, whatever the worker does meanwhile.
  func copy(size: UInt64) throws(Failure) -> SHA256Digest {
    let (found, digest) = try asMachine { () throws(SystemError) in
      try FileCopy.each(of: written, upTo: size, unless: { false }, failing: { $0 }) {
        (bytes, offset) throws(SystemError) in
        try draft.file.write(bytes, at: offset)
      }
    }
    guard found == size else {
      throw Failure(
        .passing, code: "worker.answer", reason: "the print is not as long as the worker said")
    }
    return digest
  }

  /// Copies a thumbnail and gives it its name. Returns false, and removes the draft, if that fails.
  func show(in prints: PrintFolder, of number: UInt32) -> Bool {
    let size = try? FileCopy.copy(
      written, to: draft.file, upTo: Thumbnail.longest, unless: { false })
    guard let size, 1...Thumbnail.longest ~= size else {
      prints.discard(draft)
      return false
    }
    return prints.show(draft, of: number)
  }
}
