// SPDX-License-Identifier: Apache-2.0
// Lists a folder with the kinds of its entries, which most file systems return with the names: entries
// that are not files then need no `status` call. Raises `SystemError`.

internal import CLinux
package import Vocabulary

extension LinuxFolder {
  package func entries() throws(SystemError) -> [FolderEntry] { try listed(whole: true) }

  package func isEmpty() throws(SystemError) -> Bool { try listed(whole: false).isEmpty }

  /// All entries, or those of the first piece of the listing that has any.
  private func listed(whole: Bool) throws(SystemError) -> [FolderEntry] {
    let number = try Calls.run("openat", path) { unsafe dr_open_folder(descriptor, ".") }
    let listing = Descriptor(owning: number)
    var entries: [FolderEntry] = []
    let room = 65_536
    var buffer = [UInt8](repeating: 0, count: room)
    while true {
      let used = try Calls.run("getdents64", path) {
        unsafe dr_entries(listing.number, &buffer, UInt64(room))
      }
      if used == 0 { return entries }
      var rest = buffer[..<Int(used)]
      while let type = rest.first, let end = rest.dropFirst().firstIndex(of: 0) {
        if let name = FileName(listed: rest[(rest.startIndex + 1)..<end]) {
          entries.append(FolderEntry(name, Self.kind(type)))
        }
        rest = rest[(end + 1)...]
      }
      if !whole, !entries.isEmpty { return entries }
    }
  }

  private static func kind(_ type: UInt8) -> FileStatus.Kind? {
    switch type {
    case 0x66: .file
    case 0x64: .folder
    case 0x6C: .link
    case 0x6F: .other
    default: nil
    }
  }
}
