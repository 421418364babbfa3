// SPDX-License-Identifier: Apache-2.0
// The folder of a list that is none yet, out of sight, with its files open: made when a file comes or
// when it is tried. Everything here can raise what the kernel says.

internal import Vocabulary

struct StagedList {
  let list: ListID
  let folder: any Folder
  /// For us to write, and for the worker to read.
  let copy: (in: any OpenFile, out: any OpenFile)
  let catalog: any OpenFile
  let about: any OpenFile
  /// What `copy` holds, where the catalog was made of it.
  var catalogued: FileCopy.Sum?

  /// Nothing may stand there.
  init(_ list: ListID, in lists: any Folder) throws(SystemError) {
    self.list = list
    folder = try lists.folder(ListFolder.staged(list), creating: true)
    let file = try folder.open(ListFolder.list, .create)
    copy = (file, try folder.open(ListFolder.list, .read))
    catalog = try folder.open(ListFolder.catalog, .create)
    about = try folder.open(ListFolder.about, .create)
  }

  func sync(_ files: [any OpenFile]) throws(SystemError) {
    for file in files { file.beginSync() }
    for file in files { try file.sync() }
    try folder.sync()
  }
}
