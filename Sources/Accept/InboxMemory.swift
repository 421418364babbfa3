// SPDX-License-Identifier: Apache-2.0
// STATE/inbox: the file system that last held the inbox, so that a bare mount point is never mistaken for it.
// One line, `device=N mounted=yes|no`. An unreadable file counts as missing. Writing raises SystemError.

internal import Files
internal import Linux
internal import Vocabulary

struct InboxMemory: Equatable {
  let device: UInt64
  /// Another folder is mounted in the place of the inbox, such as the root of a disk.
  let isMounted: Bool

  private static let name = FileName(literal: "inbox")

  init(device: UInt64, isMounted: Bool) {
    self.device = device
    self.isMounted = isMounted
  }

  init(of folder: LinuxFolder) throws(SystemError) {
    self.init(device: try folder.device(), isMounted: folder.isOtherFolderMounted)
  }

  init?(in state: any Folder) {
    guard let bytes = try? state.contents(of: Self.name, upTo: 200) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, words[0].hasPrefix("device="), words[1].hasPrefix("mounted="),
      let device = UInt64(words[0].dropFirst(7))
    else { return nil }
    self.init(device: device, isMounted: words[1] == "mounted=yes")
  }

  func write(to state: any Folder) throws(SystemError) {
    let text = "device=\(device) mounted=\(isMounted ? "yes" : "no")\n"
    try state.write(whole: Array(text.utf8), as: Self.name)
  }
}
