// SPDX-License-Identifier: Apache-2.0
// File names derived from a URL, for partial files, cache entries and the notes beside them.

import Digests
import Vocabulary

extension FileName {
  /// The URL's digest in hex and `suffix`: a dot and four letters.
  init(keeping url: String, suffix: String) {
    self.init(made: SHA256.digest(of: Array(url.utf8)).hex + suffix)
  }

  /// The name of the notes beside a file named by `init(keeping:suffix:)`.
  var note: FileName { FileName(made: bytes.dropLast(5) + ".note".utf8) }
}
