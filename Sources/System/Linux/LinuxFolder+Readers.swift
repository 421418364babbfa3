// SPDX-License-Identifier: Apache-2.0
// The right of one more user to read a file or a folder: an access control list, which the owner of a file may set
// without a capability. Raises `SystemError`.

internal import CLinux
package import Vocabulary

extension LinuxFolder {
  package func setReader(_ user: UInt32?, of name: FileName) throws(SystemError) {
    let bytes = name.terminated
    try Calls.run("fsetxattr", "\(path)/\(name)") {
      if let user {
        unsafe dr_set_reader(descriptor, bytes, user)
      } else {
        unsafe dr_clear_readers(descriptor, bytes)
      }
    }
  }

  package func reader(of name: FileName) throws(SystemError) -> UInt32? {
    let bytes = name.terminated
    let answer = try Calls.run("fgetxattr", "\(path)/\(name)") {
      unsafe dr_reader(descriptor, bytes)
    }
    return UInt32(exactly: answer)
  }
}
