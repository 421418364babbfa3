// SPDX-License-Identifier: Apache-2.0
// A downloaded original: whole, but not yet durable. It already has its name, but the name counts only after
// the `downloaded` record; the recorder syncs `file` and its folder before it writes that record.

package import Vocabulary

package struct Original: Sendable {
  package let file: any OpenFile
  package let name: FileName
  package let contents: Contents
  /// The URL's host; empty for a file.
  package let host: String
  /// The HTTP status; 0 for a file.
  package let status: Int
  /// True when the sender announced where the body ends.
  package let isEndSure: Bool
  /// The server that has sent it: the one of the URL, or another one to which that redirects. Nil for a file.
  package var server: String?

  /// `000038211` in the folder of its list.
  package static func name(of photo: PhotoID) -> FileName {
    FileName(number: UInt64(photo.number), digits: 9)
  }
}
