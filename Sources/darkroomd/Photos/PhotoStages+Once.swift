// SPDX-License-Identifier: Apache-2.0
// The name of a print where several processes write, in a folder or in a store: the first print stands. Another maker's
// print is recorded with its own size, digest and dimensions, so that the record fits what is under the name. Raises a
// `Failure`.

import Chain
import Digests
import Files
import Linux
import Output
import Record
import Vocabulary

extension PhotoStages {
  /// The print that stands under a name, and its digest.
  struct Standing: Sendable {
    let developed: Developed
    let digest: SHA256Digest
    /// Not the same as the print that this process has made.
    let isOther: Bool
  }

  /// Gives a print its name, or finds the one that has it. The contents are durable on return; the name becomes
  /// durable when the folder is synced.
  func place(
    _ negative: Negative, as name: FileName, _ digest: SHA256Digest, of list: ListID
  ) async throws(Failure) -> Standing {
    let own = Standing(developed: negative.developed, digest: digest, isOther: false)
    // Together with the drafts of other photos.
    let signs = try signs(negative.prints, of: list)
    do throws(Failure) {
      try await recorder.record([], after: signs + [.sync(negative.draft.file)])
    } catch {
      negative.prints.loseSign()
      throw error.amongPrints
    }
    let found: (any OpenFile)?
    do throws(SystemError) {
      found = try negative.prints.place(negative.draft, as: name)
    } catch {
      // A folder that its server has lost is opened again.
      if error.isOfOneThing { lists.close(list) }
      throw error.machineFailure.amongPrints
    }
    guard let found else { return own }
    return try judge(found, as: name, or: own)
  }

  /// The same in a store, which needs no sync of a draft. The draft is gone on return.
  func place(
    _ negative: Negative, as name: FileName, _ digest: SHA256Digest, in stored: StoredPrints
  ) async throws(Failure) -> Standing {
    let (prints, draft) = (negative.prints, negative.draft)
    let own = Standing(developed: negative.developed, digest: digest, isOther: false)
    let contents = ObjectContents(size: negative.developed.size, sha256: digest.bytes)
    let isOwn = try await onStore { () throws(Failure) in
      try stored.create(name, of: draft.file, contents)
    }
    if isOwn {
      prints.discard(draft)
      return own
    }
    defer { prints.discard(draft) }
    let found = try await fetch(name, from: stored, into: draft.file)
    if found == digest { return own }
    // A second look: what differs from the own print is not believed at once.
    guard try await fetch(name, from: stored, into: draft.file) == found else {
      throw Failure(
        .machine, scope: .one, code: "store.answer",
        reason: "the store answers with different bytes for \(name)")
    }
    return try judge(draft.file, as: name, or: own)
  }

  /// Returns the digest. The trouble of one object concerns its photo alone.
  private func fetch(
    _ name: FileName, from stored: StoredPrints, into file: any OpenFile
  ) async throws(Failure) -> SHA256Digest {
    try asMachine { () throws(SystemError) in try file.truncate(to: 0) }
    do throws(Failure) {
      let isThere = try await onStore { () throws(Failure) in
        try stored.fetch(name, into: file, upTo: StoredPrints.longest)
      }
      // It was removed in this moment: the photo is tried again.
      guard isThere else {
        throw Failure(.machine, code: "store.gone", reason: "the store had \(name) a moment ago")
      }
    } catch {
      guard error.kind == .machine, error.code.hasPrefix("store.") else { throw error }
      throw Failure(
        .machine, scope: .one, code: error.code, reason: "\(name) cannot be read: \(error.reason)",
        advice: error.advice)
    }
    return try asMachine { () throws(SystemError) in
      try FileCopy.digest(of: file, size: try file.status().size)
    }
  }

  /// The print that has the name: this process has made it, or another one.
  private func judge(
    _ found: any OpenFile, as name: FileName, or own: Standing
  ) throws(Failure) -> Standing {
    let (size, standing) = try asMachine { () throws(SystemError) in
      try FileCopy.each(of: found, upTo: .max, failing: { $0 }) { (_, _) throws(SystemError) in }
    }
    if standing == own.digest { return own }
    let format = own.developed.format
    let area = try asMachine { () throws(SystemError) in try PrintSize(of: found, format) }
    guard let area else {
      throw Failure(
        .final, code: "print.taken",
        reason: "\(name) among the prints is not a \(format.name) picture",
        advice: "Remove it, and retry the photo")
    }
    return Standing(
      developed: Developed(format: format, width: area.width, height: area.height, size: size),
      digest: standing, isOther: true)
  }
}
