// SPDX-License-Identifier: Apache-2.0
// A folder's identity, independent of its path: a folder that replaces it has another identity.

internal import CLinux
package import Vocabulary

package struct FolderIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
}

extension LinuxFolder {
  package func identity() throws(SystemError) -> FolderIdentity {
    var status = dr_status()
    try Calls.run("fstat", path) { unsafe dr_status(descriptor, &status) }
    return FolderIdentity(device: status.device, inode: status.inode)
  }

  package func owner() throws(SystemError) -> UInt32 {
    var status = dr_status()
    try Calls.run("fstat", path) { unsafe dr_status(descriptor, &status) }
    return status.owner
  }
}
