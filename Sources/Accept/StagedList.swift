// SPDX-License-Identifier: Apache-2.0
// The hidden folder of a list in preparation, with its files open. Made when a file is read ahead or tried.
// Raises SystemError.

internal import Files
internal import Vocabulary

struct StagedList {
  let list: ListID
  let folder: any Folder
  /// `in` is for us to write, `out` for the worker to read.
  let copy: (in: any OpenFile, out: any OpenFile)
  let catalog: any OpenFile
  let about: any OpenFile
  /// The sum of `copy`, once the catalog was made from it.
  var catalogued: FileCopy.Sum?

  /// The staging folder must not exist yet.
  init(_ list: ListID, in lists: any Folder) throws(SystemError) {
    self.list = list
    folder = try lists.folder(ListFolder.staged(list), creating: true)
    let file = try folder.open(ListFolder.list, .create)
    copy = (file, try folder.open(ListFolder.list, .read))
    catalog = try folder.open(ListFolder.catalog, .create)
    about = try folder.open(ListFolder.about, .create)
    // Empty, so that their names are durable with the other names.
    try ListMarks.prepare(in: folder)
    _ = try folder.open(ListFolder.results, .create)
  }

  /// Begins to write the list and its catalog to the disk; returns the steps that make them durable.
  func syncRead() -> [SyncStep] { begin([copy.in, catalog]) }

  /// The same with all files.
  func syncAll() -> [SyncStep] { begin([copy.in, catalog, about]) }

  private func begin(_ files: [any OpenFile]) -> [SyncStep] {
    for file in files { file.beginSync() }
    return files.map { .file($0) } + [.folder(folder)]
  }
}
