// SPDX-License-Identifier: Apache-2.0
// A file in the inbox that may become a list, and why a file there is none.

package import Vocabulary

package struct Candidate: Equatable, Sendable {
  package enum Place: Hashable, Sendable {
    case inbox
    /// `.claim/N` inside the inbox: a file that could not go back because its name was taken again.
    case claim(ListID)
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
  /// As a sweep saw it. Another status is another candidate.
  package let status: FileStatus

  package var name: FileName { key.name }

  package init(key: Key, status: FileStatus) {
    self.key = key
    self.status = status
  }
}

/// Why a file in the inbox is left alone.
package enum IgnoredReason: Hashable, Sendable, CustomStringConvertible {
  case hidden
  case suffix
  case folder
  case link
  /// A FIFO, a socket, a device.
  case special
  /// It was rejected, but is too large to be copied to `failed`; it stays until it changes.
  case tooLarge

  package var description: String {
    switch self {
    case .hidden: "its name starts with a dot"
    case .suffix: "its name does not end in .plist"
    case .folder: "it is a folder; drop the list itself"
    case .link: "it is a symbolic link; drop the list itself"
    case .special: "it is no regular file"
    case .tooLarge: "it is larger than MaximumListSize="
    }
  }

  /// Judges by the name alone, which spares looking at the file. The suffix counts in any case, since
  /// `BARN.PLIST` comes from file systems and people that do not tell the difference.
  package static func judge(_ name: FileName) -> IgnoredReason? {
    if name.bytes.first == 0x2E { return .hidden }
    guard name.bytes.count > 6 else { return .suffix }
    // The dot is none in capitals: 0x0E is a control character.
    for (byte, letter) in zip(name.bytes.suffix(6), ".plist".utf8)
    where byte != letter && (byte | 0x20 != letter || letter == 0x2E) { return .suffix }
    return nil
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
