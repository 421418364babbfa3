// SPDX-License-Identifier: Apache-2.0
// What is written beside a copy: the results, and a list of the photos that failed. All of it out of
// sight until the names are given. Raises what the daemon cannot tell now, and what the kernel says.

internal import Vocabulary

extension Archive {
  /// Adds results and retry list to the parts. Answers why there are none where the list's files are
  /// damaged: that is no reason to go without the copy.
  func write(
    _ source: OutcomeSource?, of list: ListID, into parts: inout [ArchivePart],
    unless isCancelled: () -> Bool
  ) throws(Failure) -> Failure? {
    guard let source else { return nil }
    do throws(Failure) {
      parts += try write(source(), unless: isCancelled)
      return nil
    } catch {
      guard error.kind == .final else { throw error }
      try kernel { () throws(SystemError) in
        try done.removeIfThere(ArchiveName.temporaryResult(list))
        try failed.removeIfThere(ArchiveName.temporaryRetry(list))
      }
      return error
    }
  }

  private func write(
    _ outcome: ListOutcome, unless isCancelled: () -> Bool
  ) throws(Failure) -> [ArchivePart] {
    let result = try begin(.result, done, ArchiveName.temporaryResult(outcome.list))
    var retry: Draft?
    OutcomeText.open(outcome, in: result.writer)
    var number: UInt32 = 0
    var filtered: UInt32 = 0
    var failures: UInt32 = 0
    while number < outcome.total {
      if number % 1024 == 0, isCancelled() { throw .cancelled }
      number += 1
      let photo = try outcome.photo(number)
      try kernel { () throws(SystemError) in try OutcomeText.add(photo, to: result.writer) }
      if case .filtered = photo.ending { filtered += 1 }
      if case .failed = photo.ending { failures += 1 }
      guard case .failed(_, _, isListed: false) = photo.ending else { continue }
      let draft: Draft
      if let retry {
        draft = retry
      } else {
        draft = try begin(.retry, failed, ArchiveName.temporaryRetry(outcome.list))
        OutcomeText.openRetry(outcome, in: draft.writer)
        retry = draft
      }
      try kernel { () throws(SystemError) in try OutcomeText.addRetry(photo, to: draft.writer) }
    }
    try kernel { () throws(SystemError) in
      try OutcomeText.closePhotos(
        total: outcome.total, filtered: filtered, failed: failures, in: result.writer)
      if let retry { try retry.writer.close(.array) }
    }
    return try [result, retry].compactMap { $0 }.map { draft throws(Failure) in try end(draft) }
  }

  private struct Draft {
    let kind: ArchivePart.Kind
    let folder: any Folder
    let name: FileName
    let file: any OpenFile
    let writer: PropertyListWriter
  }

  private func begin(
    _ kind: ArchivePart.Kind, _ folder: any Folder, _ name: FileName
  ) throws(Failure) -> Draft {
    try kernel { () throws(SystemError) in
      try folder.removeIfThere(name)
      let file = try folder.open(name, .create)
      let writer = PropertyListWriter(file)
      return Draft(kind: kind, folder: folder, name: name, file: file, writer: writer)
    }
  }

  private func end(_ draft: Draft) throws(Failure) -> ArchivePart {
    try kernel { () throws(SystemError) in
      let sum = try OutcomeText.close(draft.writer)
      try draft.folder.setMode(Self.mode, of: draft.name)
      try draft.file.sync()
      return ArchivePart(draft.kind, draft.folder, draft.name, sum)
    }
  }
}
