// SPDX-License-Identifier: Apache-2.0
// Names of what is kept by its URL, here and in the cache, and of the notes beside it.

import Digests
import Vocabulary

extension FileName {
  /// The URL's digest in hex, and a suffix of four letters with its dot.
  init(keeping url: String, suffix: String) {
    guard let name = FileName(SHA256.digest(of: Array(url.utf8)).hex + suffix) else {
      preconditionFailure("digits make a file name")
    }
    self = name
  }

  /// The notes of a file that is named as above.
  var note: FileName {
    guard let note = FileName(bytes: bytes.dropLast(5) + Array(".note".utf8)) else {
      preconditionFailure("as long a name is one")
    }
    return note
  }
}
