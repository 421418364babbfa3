// SPDX-License-Identifier: Apache-2.0
// How large the folder's file system is.

internal import CLinux
package import Vocabulary

extension LinuxFolder {
  package func totalSpace() throws(SystemError) -> UInt64 {
    UInt64(try Calls.run("fstatvfs", path) { dr_total_space(descriptor) })
  }
}
