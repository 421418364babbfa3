// SPDX-License-Identifier: Apache-2.0
// Publishes several files beside each other under the first free name. All are durable under temporary names first,
// then renamed one by one, the first file last; no rename replaces a file. After a crash, a repetition compares
// contents to recognise files that have their names already. The files are synced in groups with the files of other
// lists. Raises SystemError; `appear` raises a `Failure`.

package import Vocabulary

/// A complete file under a temporary name.
package struct FreshFile: Sendable {
  /// A longer file is synced alone, because the other files of a group would wait for it.
  package static let longest: UInt64 = 1 << 20

  fileprivate let folder: any Folder
  fileprivate let temporary: FileName
  /// Nil if the contents are durable.
  fileprivate let unsynced: (any OpenFile)?
  package let sum: FileCopy.Sum
  private let readers: FileReaders
  private let name: @Sendable (FileName) -> FileName?

  /// `name` derives the file's name from the name of the first file. The file is new, and gets its readers. A long
  /// file is durable on return.
  package init(
    _ file: any OpenFile, _ temporary: FileName, in folder: any Folder, _ sum: FileCopy.Sum,
    for readers: FileReaders, name: @escaping @Sendable (FileName) -> FileName? = { $0 }
  ) throws(SystemError) {
    self.temporary = temporary
    self.folder = folder
    self.sum = sum
    self.readers = readers
    self.name = name
    try file.setReaders(readers)
    let isLong = sum.size > Self.longest
    if isLong { try file.sync() }
    unsynced = isLong ? nil : file
  }

  /// A copy of a file. If the source is longer than the limit, so is the copy.
  package init(
    copying source: any OpenFile, upTo limit: UInt64, as temporary: FileName,
    in folder: any Folder, for readers: FileReaders
  ) throws(SystemError) {
    let file = try folder.openAnew(temporary)
    let sum = try FileCopy.hashingCopy(source, to: file, upTo: limit)
    try self.init(file, temporary, in: folder, sum, for: readers)
  }

  /// Removes the temporary file.
  package func discard() throws(SystemError) { try folder.removeIfThere(temporary) }

  fileprivate enum Outcome { case named, wasThere, taken }

  /// Gives the file its name, which is not durable yet.
  fileprivate func appear(beside first: FileName) throws(SystemError) -> Outcome {
    guard let own = name(first) else { return .taken }
    do throws(SystemError) {
      try folder.rename(temporary, to: folder, as: own, replacing: false)
      return .named
    } catch {
      guard error.exists else { throw error }
      // Another list may have taken the name since `fits`.
      return try fits(beside: first) ? .wasThere : .taken
    }
  }

  fileprivate func disappear(beside first: FileName) throws(SystemError) {
    guard let own = name(first) else { return }
    try folder.rename(own, to: folder, as: temporary, replacing: true)
  }

  /// Its name is free, or names a file with the same bytes and readers.
  fileprivate func fits(beside first: FileName) throws(SystemError) -> Bool {
    guard let own = name(first) else { return false }
    guard let status = try folder.status(ifThere: own) else { return true }
    guard status.kind == .file, status.size == sum.size, try folder.isFor(readers, own, status)
    else { return false }
    let file = try folder.open(own, .read)
    return try FileCopy.sum(file, upTo: sum.size) == sum
  }
}

extension [FreshFile] {
  /// Gives the files their names, durably; returns the first file's.
  @discardableResult
  package func appear(
    under choices: [FileName], _ groups: any SyncGroups
  ) async throws(Failure) -> FileName {
    let steps = compactMap { $0.unsynced.map { SyncStep.file($0) } }
    if !steps.isEmpty { try await groups.sync(steps) }
    for choice in choices {
      if try asMachine({ () throws(SystemError) in try fit(beside: choice) }),
        try await takeNames(beside: choice, groups)
      {
        return choice
      }
    }
    let thing = first.map { "\($0.folder.path)/\($0.temporary)" } ?? ""
    throw SystemError(.exists, call: "rename", thing: thing).machineFailure
  }

  /// False if another file took one of the names meanwhile; then none of the files has a name.
  private func takeNames(
    beside choice: FileName, _ groups: any SyncGroups
  ) async throws(Failure) -> Bool {
    var named: [FreshFile] = []
    var found: [FreshFile] = []
    // The first file is the last. Two lists may share a later file, but never the second: it names its list.
    for file in dropFirst() + prefix(1) {
      switch try asMachine({ () throws(SystemError) in try file.appear(beside: choice) }) {
      case .named: named.append(file)
      case .wasThere: found.append(file)
      case .taken:
        try asMachine { () throws(SystemError) in
          for other in named { try other.disappear(beside: choice) }
        }
        return false
      }
      try await groups.sync([.folder(file.folder)])
    }
    try asMachine { () throws(SystemError) in for file in found { try file.discard() } }
    return true
  }

  private func fit(beside choice: FileName) throws(SystemError) -> Bool {
    for file in self { if try !file.fits(beside: choice) { return false } }
    return true
  }
}
