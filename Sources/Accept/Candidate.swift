// SPDX-License-Identifier: Apache-2.0
// A file in the inbox that may become a list, or pictures that may become a list, and the reasons to ignore a
// file.

package import Vocabulary

package struct Candidate: Equatable, Sendable {
  package enum Place: Hashable, Sendable {
    case inbox
    /// `.claim/N` inside the inbox: a file that could not move back because its name was taken again.
    case claim(ListID)
    /// The pictures of one user in the inbox itself, wherever in it.
    case loose(owner: UInt32)
  }

  package struct Key: Hashable, Sendable {
    package let place: Place
    package let name: FileName

    package init(_ name: FileName, in place: Place = .inbox) {
      self.name = name
      self.place = place
    }
  }

  package let key: Key
  /// As a sweep saw it. A different status makes a different candidate.
  package let status: FileStatus

  package var name: FileName { key.name }

  /// Pictures; it has the status of the whole roll.
  package var isRoll: Bool { isLoose || status.kind == .folder }

  var isLoose: Bool { if case .loose = key.place { true } else { false } }
}

/// Why a sweep ignores a file.
package enum IgnoredReason: Hashable, Sendable, CustomStringConvertible {
  case hidden
  /// Neither a list nor a picture.
  case suffix
  /// Pictures and folders, where they do not become lists.
  case picture
  case folder
  case pictureAtNode
  case folderAtNode
  /// A folder in which there is no picture.
  case noPictures
  /// A picture above the limit of the settings. It is not copied.
  case largePicture
  /// In a folder of pictures.
  case noPicture
  case deep
  case otherOwner
  case otherFileSystem
  /// A mount, or not even its status can be read.
  case unreachable
  case link
  /// A FIFO, a socket, a device.
  case special
  /// Rejected, but too large to copy and on another file system than `failed`; it stays until it changes.
  case tooLarge

  package var description: String {
    switch self {
    case .hidden: "its name starts with a dot"
    case .suffix:
      "its name does not end in \(ListName.endingWords) as a list, or in \(PictureName.endingWords)"
        + " as a picture"
    case .picture: "it is a picture, and Pictures=no"
    case .folder: "it is a folder, and Pictures=no"
    case .pictureAtNode: "it is a picture, and \(Self.apart)"
    case .folderAtNode: "it is a folder, and \(Self.apart)"
    case .noPictures:
      "it is a folder without pictures of its owner (\(PictureName.endingWords), not above MaximumSize=)"
    case .largePicture: "it is larger than MaximumSize="
    case .noPicture: "its name does not end in \(PictureName.endingWords)"
    case .deep: "it is more than \(Roll.deepest) folders deep"
    case .otherOwner: "it belongs to another user than its folder"
    case .otherFileSystem: "it is on another file system"
    case .unreachable: "another file system is mounted there, or it cannot be looked at"
    case .link: "it is a symbolic link; drop the file itself"
    case .special: "it is not a regular file"
    case .tooLarge: "it is larger than MaximumListSize="
    }
  }

  private static let apart = "the nodes of a cluster do not share dropped pictures"

  /// The same on a node of a cluster.
  var atNode: IgnoredReason {
    switch self {
    case .picture: .pictureAtNode
    case .folder: .folderAtNode
    case .hidden, .suffix, .pictureAtNode, .folderAtNode, .noPictures, .largePicture,
      .noPicture, .deep, .otherOwner, .otherFileSystem, .unreachable, .link, .special, .tooLarge:
      self
    }
  }

  /// Judges by the name and the kind, without a stat. The kind comes before the name's ending: a link with another
  /// ending cannot become a list either. Nil as well if the kind is unknown, unless the file is hidden.
  package static func judge(_ name: FileName, _ kind: FileStatus.Kind?) -> IgnoredReason? {
    if name.bytes.first == 0x2E { return .hidden }
    guard let kind else { return nil }
    if let reason = judge(kind) { return reason }
    if ListName(name).isList { return nil }
    return PictureName(name.bytes).isPicture ? .picture : .suffix
  }

  package static func judge(_ kind: FileStatus.Kind) -> IgnoredReason? {
    switch kind {
    case .file: nil
    case .folder: .folder
    case .link: .link
    case .other: .special
    }
  }
}
