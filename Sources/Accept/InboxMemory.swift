// SPDX-License-Identifier: Apache-2.0
// STATE/inbox: which folder was taken for the inbox, so that a bare mount point is never taken for it
// again by itself. One line, `device=N mounted=yes|no`. What cannot be read is as if it were not there.

internal import Linux
internal import Vocabulary

struct InboxMemory: Equatable {
  let device: UInt64
  /// The inbox is the root of a mounted file system.
  let isMounted: Bool

  private static let name = FileName(literal: "inbox")
  private static let nextName = FileName(literal: ".inbox")

  init(device: UInt64, isMounted: Bool) {
    self.device = device
    self.isMounted = isMounted
  }

  init(of folder: LinuxFolder) throws(SystemError) {
    self.init(device: try folder.device(), isMounted: folder.isMountPoint)
  }

  init?(in state: any Folder) {
    guard let file = try? state.open(Self.name, .read), let bytes = try? file.read(at: 0, upTo: 200)
    else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard words.count == 2, words[0].hasPrefix("device="), words[1].hasPrefix("mounted="),
      let device = UInt64(words[0].dropFirst(7))
    else { return nil }
    self.init(device: device, isMounted: words[1] == "mounted=yes")
  }

  func write(to state: any Folder) throws(SystemError) {
    let file = try state.open(Self.nextName, .ensure)
    try file.truncate(to: 0)
    let text = "device=\(device) mounted=\(isMounted ? "yes" : "no")\n"
    try file.write(Array(text.utf8), at: 0)
    try file.sync()
    try state.rename(Self.nextName, to: state, as: Self.name, replacing: true)
    try state.sync()
  }
}
