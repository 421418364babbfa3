// SPDX-License-Identifier: Apache-2.0
// Writes the results of a list and a retry list of its failed photos in one pass: photo by photo, so that a
// long list is never in memory. The files are hidden until they get their names. Returns a `final` failure;
// raises `cancelled`, `machine`, and the other failures of ListOutcome.

internal import Files
internal import Vocabulary

struct ListResults {
  let list: ListID
  private let done: any Folder
  private let failed: any Folder
  private let readers: FileReaders

  init(of list: ListID, done: any Folder, failed: any Folder, for readers: FileReaders) {
    self.list = list
    self.readers = readers
    self.done = done
    self.failed = failed
  }

  /// Adds both files. If the list's own files are damaged, adds none and returns the failure: the list goes
  /// back without results.
  func write(
    _ source: OutcomeSource?, into files: inout [FreshFile]
  ) throws(Failure) -> Failure? {
    guard let source else { return nil }
    do throws(Failure) {
      files += try write(source())
      return nil
    } catch {
      guard error.kind == .final else { throw error }
      try asMachine(removeDrafts)
      return error
    }
  }

  func removeDrafts() throws(SystemError) {
    try done.removeIfThere(ReturnPart.result.temporary(list))
    try failed.removeIfThere(ReturnPart.retry.temporary(list))
  }

  private func write(_ outcome: ListOutcome) throws(Failure) -> [FreshFile] {
    let result = try begin(.result, in: done)
    result.writer.openResults(outcome)
    var retry: Draft?
    var filtered: UInt32 = 0
    var failures: UInt32 = 0
    for place in 0..<outcome.total {
      if place % 1024 == 0, Task.isCancelled { throw .cancelled }
      let photo = try outcome.photo(place + 1)
      try asMachine { () throws(SystemError) in try result.writer.addResult(photo) }
      if case .filtered = photo.ending { filtered += 1 }
      guard case .failed(_, _, let isListed) = photo.ending else { continue }
      failures += 1
      if !isListed { try add(photo, of: outcome, to: &retry) }
    }
    try asMachine { () throws(SystemError) in
      try result.writer.closeResults(total: outcome.total, filtered: filtered, failed: failures)
      try retry?.writer.closeRetry()
    }
    return try [result, retry].compactMap { $0 }.map { draft throws(Failure) in try end(draft) }
  }

  private func add(
    _ photo: PhotoOutcome, of outcome: ListOutcome, to retry: inout Draft?
  ) throws(Failure) {
    let draft: Draft
    if let retry {
      draft = retry
    } else {
      draft = try begin(.retry, in: failed)
      draft.writer.openRetry(outcome)
      retry = draft
    }
    try asMachine { () throws(SystemError) in try draft.writer.addRetry(photo) }
  }

  // MARK: Files

  private struct Draft {
    let part: ReturnPart
    let folder: any Folder
    let file: any OpenFile
    let writer: PropertyListWriter
  }

  private func begin(_ part: ReturnPart, in folder: any Folder) throws(Failure) -> Draft {
    try asMachine { () throws(SystemError) in
      let file = try folder.openAnew(part.temporary(list))
      return Draft(part: part, folder: folder, file: file, writer: PropertyListWriter(file))
    }
  }

  private func end(_ draft: Draft) throws(Failure) -> FreshFile {
    try asMachine { () throws(SystemError) in
      let (sum, part) = (try draft.writer.end(), draft.part)
      return try FreshFile(
        draft.file, part.temporary(list), in: draft.folder, sum, for: readers
      ) { part.name(beside: $0) }
    }
  }
}
