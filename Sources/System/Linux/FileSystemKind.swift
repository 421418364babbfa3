// SPDX-License-Identifier: Apache-2.0
// The kind of the file system of a folder, which decides how the daemon waits for files there. If the file system can
// change without this kernel, neither inotify nor a lease reports every change. Raises `SystemError`.

internal import CLinux
package import Vocabulary

package struct FileSystemKind: Hashable, Sendable {
  /// The common name; the magic number if there is none in the tables.
  package let name: String
  /// Other machines, or a program behind it (FUSE), change it without this kernel's knowledge.
  package let isShared: Bool

  package init(name: String, isShared: Bool) {
    self.name = name
    self.isShared = isShared
  }

  package init(magic: UInt32) {
    if let name = Self.shared[magic] {
      self.init(name: name, isShared: true)
    } else {
      self.init(name: Self.local[magic] ?? "0x" + String(magic, radix: 16), isShared: false)
    }
  }

  private static let shared: [UInt32: String] = [
    0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x6573_5546: "FUSE",
    0x0102_1997: "9p", 0x00C3_6400: "Ceph", 0x5346_414F: "AFS", 0x6B41_4653: "AFS",
    0x7375_7245: "Coda", 0x0BD0_0BD0: "Lustre", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
    0x4750_4653: "GPFS", 0x786F_4256: "vboxsf", 0xBACB_ACBC: "vmhgfs", 0x2003_0528: "OrangeFS",
    0x1983_0326: "BeeGFS", 0x564C: "NCP", 0xAAD7_AAEA: "PanFS",
  ]

  private static let local: [UInt32: String] = [
    0xEF53: "ext4", 0x5846_5342: "XFS", 0x9123_683E: "Btrfs", 0x0102_1994: "tmpfs",
    0x8584_58F6: "ramfs", 0x794C_7630: "overlayfs", 0xF2F5_2010: "F2FS", 0x2FC1_2FC1: "ZFS",
    0xCA45_1A4E: "bcachefs", 0x4D44: "FAT", 0x2011_BAB0: "exFAT", 0x5346_544E: "NTFS",
    0x5265_4973: "ReiserFS", 0x3153_464A: "JFS", 0x7371_7368: "squashfs", 0xF15F: "eCryptfs",
  ]
}

extension LinuxFolder {
  package func fileSystem() throws(SystemError) -> FileSystemKind {
    let magic = try Calls.run("fstatfs", path) { dr_file_system(descriptor) }
    return FileSystemKind(magic: UInt32(truncatingIfNeeded: magic))
  }

  /// True if this folder is a mount point; false on kernels before 5.8, which do not report it.
  package var isMountPoint: Bool { dr_is_mount_point(descriptor) == 1 }

  package func isOtherFileSystem(_ name: FileName) -> Bool {
    let bytes = name.terminated
    return unsafe dr_is_other_file_system(descriptor, bytes) == 1
  }

  package func checkChanges() throws(SystemError) {
    try Calls.run("faccessat", path) { dr_may_change(descriptor) }
  }
}
