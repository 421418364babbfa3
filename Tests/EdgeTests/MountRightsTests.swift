// SPDX-License-Identifier: Apache-2.0
// The kernel's table of mounts: which mount, and which file system, can be written.

import Linux
import Testing

@Suite struct MountRightsTests {
  private static let table = """
    21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
    36 21 8:17 / /state ro,noatime shared:2 master:1 - ext4 /dev/sdb1 rw,errors=remount-ro
    37 21 8:18 / /prints rw,noatime - xfs /dev/sdc1 ro
    39 21 8:19 / /cut ro -

    """

  @Test(arguments: [
    ("21", false, false), ("36", true, false), ("37", false, true),
  ])
  func `a mount and its file system have rights of their own`(
    _ mount: String, _ isMount: Bool, _ isFileSystem: Bool
  ) {
    #expect(
      MountRights(mount: mount, in: Self.table)
        == MountRights(isMountReadOnly: isMount, isFileSystemReadOnly: isFileSystem))
  }

  @Test(arguments: ["3", "39", "40", ""])
  func `a mount that is not in the table, or cut, is unknown`(_ mount: String) {
    #expect(MountRights(mount: mount, in: Self.table) == nil)
  }

  @Test func `the kernel tells the rights of a folder`() throws {
    let rights = try #require(MountRights(of: try LinuxFolder.open(path: "/tmp")))
    #expect(!rights.isMountReadOnly && !rights.isFileSystemReadOnly)
    let files = try #require(MountRights(of: try LinuxFolder.open(path: "/proc/self")))
    #expect(!files.isFileSystemReadOnly)
  }
}
