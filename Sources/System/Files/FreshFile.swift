// SPDX-License-Identifier: Apache-2.0
// Publishes several files beside each other under the first free name. All are durable under temporary
// names first, then renamed one by one, the first file last; no rename replaces a file. A repetition
// after a crash recognises files that have their names by their contents. Raises SystemError.

package import Vocabulary

/// A durable file under a temporary name.
package struct FreshFile {
  fileprivate let folder: any Folder
  fileprivate let temporary: FileName
  package let sum: FileCopy.Sum
  private let readers: FileReaders
  private let name: (FileName) -> FileName?

  /// `name` derives the file's name from that of the first file.
  package init(
    _ temporary: FileName, in folder: any Folder, _ sum: FileCopy.Sum, for readers: FileReaders,
    name: @escaping (FileName) -> FileName? = { $0 }
  ) {
    self.temporary = temporary
    self.folder = folder
    self.sum = sum
    self.readers = readers
    self.name = name
  }

  /// A copy of a file; longer than the limit if the source is.
  package init(
    copying source: any OpenFile, upTo limit: UInt64, as temporary: FileName,
    in folder: any Folder, for readers: FileReaders
  ) throws(SystemError) {
    var sum = FileCopy.Sum(size: 0, sha256: "")
    try folder.draft(temporary, for: readers) { file throws(SystemError) in
      sum = try FileCopy.copy(source, to: file, upTo: limit)
    }
    self.init(temporary, in: folder, sum, for: readers)
  }

  /// Removes the temporary file.
  package func discard() throws(SystemError) { try folder.removeIfThere(temporary) }

  fileprivate enum Outcome { case named, wasThere, taken }

  fileprivate func appear(beside first: FileName) throws(SystemError) -> Outcome {
    guard let own = name(first) else { return .taken }
    do throws(SystemError) {
      try folder.rename(temporary, to: folder, as: own, replacing: false)
    } catch {
      guard error.exists else { throw error }
      // Another list may have taken the name since `fits`.
      guard try fits(beside: first) else { return .taken }
      try folder.sync()
      return .wasThere
    }
    try folder.sync()
    return .named
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
  /// Gives the files their names; returns the first file's.
  @discardableResult
  package func appear(under choices: [FileName]) throws(SystemError) -> FileName {
    for choice in choices {
      if try fit(beside: choice), try takeNames(beside: choice) { return choice }
    }
    let thing = first.map { "\($0.folder.path)/\($0.temporary)" } ?? ""
    throw SystemError(.exists, call: "rename", thing: thing)
  }

  /// False if another file has taken one of the names meanwhile; then none has a name.
  private func takeNames(beside choice: FileName) throws(SystemError) -> Bool {
    var named: [FreshFile] = []
    var found: [FreshFile] = []
    for file in reversed() {
      switch try file.appear(beside: choice) {
      case .named: named.append(file)
      case .wasThere: found.append(file)
      case .taken:
        for other in named { try other.disappear(beside: choice) }
        return false
      }
    }
    for file in found { try file.discard() }
    return true
  }

  private func fit(beside choice: FileName) throws(SystemError) -> Bool {
    for file in self { if try !file.fits(beside: choice) { return false } }
    return true
  }
}
