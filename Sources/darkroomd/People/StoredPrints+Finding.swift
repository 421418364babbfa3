// SPDX-License-Identifier: Apache-2.0
// Compares a print in a store with the record, by its bytes. Raises nothing. Waits for the network.

import Files
import Output
import Steer
import Vocabulary

extension StoredPrints {
  /// Of a print; pictures with the most pixels are shorter.
  static let longest: UInt64 = 5 << 30

  /// - Parameter draft: an empty file.
  func finding(
    on photo: PhotoSummary, using draft: () throws(Failure) -> any OpenFile
  ) -> PrintFinding {
    guard let name = FileName(photo.print) else { return .notOfPrint }
    do throws(Failure) {
      guard let size = try size(of: name) else { return .missing }
      if size != photo.bytes { return .size(size, recorded: photo.bytes) }
      let copy = try draft()
      guard try fetch(name, into: copy, upTo: size) else { return .missing }
      let sum = try asMachine { () throws(SystemError) in try FileCopy.sum(copy, upTo: .max) }
      return sum.sha256 == photo.sha256 ? .asRecorded : .otherContents
    } catch { return PrintFinding(.unreadable, why: error.reason) }
  }
}
