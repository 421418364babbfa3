// SPDX-License-Identifier: Apache-2.0
// A folder's owner and its place: the path without links, and whether it is on a separate disk. Raises `SystemError`.

internal import CLinux
package import Vocabulary

extension LinuxFolder {
  package func owner() throws(SystemError) -> UInt32 {
    var status = dr_status()
    try Calls.run("fstat", path) { unsafe dr_status(descriptor, &status) }
    return status.owner
  }

  /// Sets an access control list by which only this user and the owner can change the folder of that name. Raises
  /// ENOTSUP if the file system has no such lists.
  package func setChanger(_ user: UInt32, of name: FileName) throws(SystemError) {
    let bytes = name.terminated
    try Calls.run("fsetxattr", "\(path)/\(name)") {
      unsafe dr_set_changer_at(descriptor, bytes, user)
    }
  }

  /// Where the folder is if its path ends in a link; nil without a link.
  package func linkTarget() throws(SystemError) -> String? {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
    let (parent, real) = (try LinuxFolder.open(path: String(path[..<slash])), try realPath())
    return real == (try parent.realPath()) + path[slash...] ? nil : real
  }

  private func realPath() throws(SystemError) -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = try Calls.run("readlink", path) {
      unsafe dr_real_path(descriptor, &bytes, 4096)
    }
    return String(
      decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// True if another folder, such as the root of a disk, is mounted here. A folder that is mounted onto itself, as
  /// for a sandbox, does not count.
  package var isOtherFolderMounted: Bool { isMountPoint && MountView.isOther(at: self) }

  /// True if another folder is mounted here, or if this is on another file system than the folder in which its path
  /// begins: a link may lead to it.
  package func isApart() throws(SystemError) -> Bool {
    if isOtherFolderMounted, try linkTarget() == nil { return true }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return false }
    return try device() != LinuxFolder.open(path: String(path[..<slash])).device()
  }
}
