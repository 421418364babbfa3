// SPDX-License-Identifier: Apache-2.0
// The kernel's table of mounts: which mount, and which file system, can be written; which mount has a disk behind it.

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

  @Test func `the places of mounts are as people write them`() {
    let table = Self.views + "51 21 8:1 / /odd\\134040\\011 rw - ext4 /dev/root rw\n52 21\n"
    let places = MountPlaces.paths(in: table)
    #expect(places.first == "/" && places.contains("/sub/my prints"))
    #expect(places.last == "/odd\\040\t")
    #expect(MountPlaces.all.contains("/"))
  }

  @Test func `the kernel tells the rights of a folder`() throws {
    let rights = try #require(MountRights(of: try LinuxFolder.open(path: "/tmp")))
    #expect(!rights.isMountReadOnly && !rights.isFileSystemReadOnly)
    let files = try #require(MountRights(of: try LinuxFolder.open(path: "/proc/self")))
    #expect(!files.isFileSystemReadOnly)
  }

  private static let views = """
    21 1 8:1 / / rw shared:1 - ext4 /dev/root rw
    40 21 8:1 /var/lib /var/lib rw shared:1 - ext4 /dev/root rw
    41 40 8:1 /var/lib/prints /var/lib/prints ro shared:1 - ext4 /dev/root rw
    42 21 8:1 /photos /var/done rw shared:1 - ext4 /dev/root rw
    43 42 8:1 /photos /var/done rw shared:1 - ext4 /dev/root rw
    44 21 8:17 / /disk rw - ext4 /dev/sdb1 rw
    45 44 8:17 /prints /disk/prints rw - ext4 /dev/sdb1 rw
    46 21 0:33 /@ /sub rw - btrfs /dev/sdc1 rw,subvol=/@
    47 46 0:33 /@/my\\040prints /sub/my\\040prints rw - btrfs /dev/sdc1 rw,subvol=/@
    48 41 8:1 /var/lib/prints /var/lib/prints rw shared:1 - ext4 /dev/root rw
    49 21 8:1 /var/lib/other /var/lib/failed rw shared:1 - ext4 /dev/root rw
    50 99 8:1 /var/lib /var/lib rw - ext4 /dev/root rw

    """

  @Test(arguments: [
    ("21", true), ("40", false), ("41", false), ("42", true), ("43", true), ("44", true),
    ("45", false), ("46", true), ("47", false), ("48", false), ("49", true), ("50", true),
    ("3", true),
  ])
  func `a mount of a folder onto itself shows nothing else`(_ mount: String, _ isOther: Bool) {
    #expect(MountView.isOther(mount, in: Self.views) == isOther)
  }
}
