// SPDX-License-Identifier: Apache-2.0
// How prints are made in the folder that is at the path of the prints now. While the daemon runs, a disk can be
// mounted there whose file system has other abilities. Raises `SystemError`.
// Concurrency model: one Mutex, which is held while a folder is tried, because two tries would use the same names.

import Linux
import Output
import Synchronization
import Vocabulary

final class PrintWays: Sendable {
  private struct Known {
    let folder: FolderIdentity
    let way: PrintWay
  }

  /// Begins the names of the files with which a folder is tried; nil if the way is the same everywhere.
  private let mark: String?
  private let first: PrintWay
  private let known = Mutex<Known?>(nil)

  /// One way for every folder.
  init(_ way: PrintWay) { (mark, first) = (nil, way) }

  /// Tries each folder that is new.
  init(trying mark: String) { (self.mark, first) = (mark, .replace) }

  /// - Parameter home: The folder that stands there now.
  func way(in home: any Folder) throws(SystemError) -> PrintWay {
    guard let mark else { return first }
    let folder = try home.identity()
    return try known.withLock { (known) throws(SystemError) in
      if let known, known.folder == folder { return known.way }
      switch try PrintWay.once(in: home, mark: mark) {
      case .way(let way):
        known = Known(folder: folder, way: way)
        return way
      case .unfit(let reason):
        throw SystemError(
          .notSupported, call: "print",
          thing: "\(home.path), whose file system cannot keep the first of two prints of a photo, "
            + "because \(reason)")
      }
    }
  }
}
