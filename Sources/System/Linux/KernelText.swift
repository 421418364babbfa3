// SPDX-License-Identifier: Apache-2.0
// Texts that the kernel makes when they are read, below /proc and /sys.

package import Vocabulary

package enum KernelText {
  /// Nil if there is none, or it cannot be read.
  package static func read(
    _ name: FileName, in folder: String, upTo limit: Int = 1 << 16
  ) -> String? {
    guard let folder = try? LinuxFolder.open(path: folder),
      let bytes = try? folder.openFile(name, .read).read(at: 0, upTo: limit)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
