// SPDX-License-Identifier: Apache-2.0
// The file `about` in a list's folder: identifies the dropped file and holds the terms of acceptance. Lines
// of text, ASCII except for the settings; written once, as a whole, and a second time when a cluster's ledger has given
// the list a number:
//
//   #darkroom-about 1
//   name=barn%20of%C3%A9.plist     raw bytes; all but letters, digits and . _ ~ - are %XX
//   uid=1000                       owner of the dropped file
//   device=64512                   not compared: a start of the machine may number its disks in another order
//   inode=131077                   inode, modified (ns since 1970), size, sha256: the dropped file; 0: none was
//                                  dropped, the list repeats an earlier one
//   modified=1763712345123456789
//   size=38123
//   sha256=9f86d081…               64 hex digits
//   retry-name=barn.retry.plist    optional, these three together: the dropped file was this retry list, whose
//   retry-size=812                 inode and time are above; size and sha256 belong to the list
//   retry-sha256=5feceb66…
//   accepted=1763712345200         milliseconds since 1970
//   photos=120
//   quality=default
//   crc=1d9a33f0                   CRC-32C of all other lines; optional
//   [settings]                     effective Key=value lines, to the end of the file
//   Filter=sepia(0.8)

internal import Files
package import Vocabulary

package struct AboutFile: Equatable, Sendable {
  package static let maximumSize = 65536

  /// A dropped retry list, which is not the list itself.
  package struct Slip: Equatable, Sendable {
    package let name: FileName
    package let size: UInt64
    package let sha256: String

    package init(name: FileName, size: UInt64, sha256: String) {
      self.name = name
      self.size = size
      self.sha256 = sha256
    }
  }

  package let name: FileName
  package let owner: UInt32
  package let device: UInt64
  package let inode: UInt64
  package let modified: Int64
  package let size: UInt64
  package let sha256: String
  package let slip: Slip?
  package let accepted: UInt64
  package let terms: ListTerms

  package init(
    name: FileName, status: FileStatus, sha256: String, slip: Slip? = nil, accepted: UInt64,
    terms: ListTerms
  ) {
    self.name = name
    owner = status.owner
    device = status.device
    inode = status.inode
    modified = status.modified
    size = status.size
    self.sha256 = sha256
    self.slip = slip
    self.accepted = accepted
    self.terms = terms
  }

  /// A list that was made of dropped pictures: the size and the sum belong to the list, the rest to its
  /// folder.
  init(
    roll name: FileName, in folder: FileStatus, _ sum: FileCopy.Sum, accepted: UInt64,
    terms: ListTerms
  ) {
    let status = FileStatus(
      kind: .folder, device: folder.device, inode: folder.inode, size: sum.size,
      owner: folder.owner, mode: 0, modified: 0, changed: 0)
    self.init(name: name, status: status, sha256: sum.sha256, accepted: accepted, terms: terms)
  }

  /// A list that repeats an earlier one, perhaps because its retry list was dropped.
  init(
    again earlier: AboutFile, slip: (status: FileStatus, file: Slip)?, accepted: UInt64,
    terms: ListTerms
  ) {
    let dropped = slip?.status
    let status = FileStatus(
      kind: .file, device: dropped?.device ?? 0, inode: dropped?.inode ?? 0, size: earlier.size,
      owner: earlier.owner, mode: 0, modified: dropped?.modified ?? 0, changed: 0)
    self.init(
      name: earlier.name, status: status, sha256: earlier.sha256, slip: slip?.file,
      accepted: accepted, terms: terms)
  }

  /// False for a list that repeats an earlier one by command.
  package var wasDropped: Bool { inode != 0 }
  /// The name of the file that was dropped.
  package var droppedName: FileName { slip?.name ?? name }
  /// The size and the sum of the file that was dropped.
  var droppedSum: FileCopy.Sum {
    FileCopy.Sum(size: slip?.size ?? size, sha256: slip?.sha256 ?? sha256)
  }

  /// The same list under other settings.
  package func with(_ settings: String) -> AboutFile {
    let status = FileStatus(
      kind: .file, device: device, inode: inode, size: size, owner: owner, mode: 0,
      modified: modified, changed: 0)
    return AboutFile(
      name: name, status: status, sha256: sha256, slip: slip, accepted: accepted,
      terms: ListTerms(
        photos: terms.photos, serviceClass: terms.serviceClass, settings: settings))
  }

  package var acceptance: Acceptance {
    Acceptance(
      photos: terms.photos, serviceClass: terms.serviceClass, sha256: sha256, owner: owner)
  }

  /// True if the status matches the dropped file's. The caller still compares the contents.
  package func resembles(_ status: FileStatus) -> Bool {
    status.inode == inode && status.modified == modified && status.size == droppedSum.size
  }
}
