// SPDX-License-Identifier: Apache-2.0
// What a list that is being removed says of itself. Raises a `Failure`.

import Accept
import Files
import Return
import Vocabulary

extension ListRemoval {
  /// The prints of a list that is being removed were removed earlier, for their age.
  func isExpired(_ list: ListID) throws(Failure) -> Bool {
    try asMachine { () throws(SystemError) in
      try folder(of: list).flatMap { (folder) throws(SystemError) in
        try ListMarks.expiry(in: folder)
      } != nil
    }
  }

  /// Nil if it is damaged, or its sector is bad.
  func about(
    _ list: ListID
  ) throws(Failure) -> (file: AboutFile?, terms: FrozenSettings?) {
    let folder = try asMachine { () throws(SystemError) in try self.folder(of: list) }
    do throws(Failure) {
      guard let about = try folder.map(AboutFile.read) else { return (nil, nil) }
      return (about, try? FrozenSettings(text: about.terms.settings))
    } catch {
      guard error.kind == .final || error.code == SystemError.Name.inputOutput.failureCode else {
        throw error
      }
      return (nil, nil)
    }
  }
}
