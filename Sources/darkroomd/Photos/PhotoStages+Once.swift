// SPDX-License-Identifier: Apache-2.0
// The name of a print in a folder of several writers: the first print stands. Another maker's print is recorded with
// its own size, digest and dimensions, so that the record tells what is under the name. Raises a `Failure`.

import Chain
import Digests
import Files
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

  /// Gives a print its name, or finds the one that has it. The contents are durable on return; the name is when the
  /// folder is synced.
  func place(
    _ negative: Negative, as name: FileName, _ digest: SHA256Digest, of list: ListID
  ) async throws(Failure) -> Standing {
    let own = Standing(developed: negative.developed, digest: digest, isOther: false)
    // Together with the drafts of other photos.
    try await recorder.record([], after: [.sync(negative.draft.file)])
    let found: (any OpenFile)?
    do throws(SystemError) {
      found = try negative.prints.place(negative.draft, as: name)
    } catch {
      // A folder that its server has lost is opened again.
      if error.isOfOneThing { lists.close(list) }
      throw error.machineFailure
    }
    guard let found else { return own }
    let (size, standing) = try asMachine { () throws(SystemError) in
      try FileCopy.each(of: found, upTo: .max, failing: { $0 }) { (_, _) throws(SystemError) in }
    }
    if standing == digest { return own }
    let format = negative.developed.format
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
