// SPDX-License-Identifier: Apache-2.0
// What was downloaded: whole, but not yet durable. It stands under its name already, which says nothing
// before the record does: whoever records it syncs `file` and its folder first.

package import Vocabulary

package struct Original: Sendable {
  package let file: any OpenFile
  package let name: FileName
  package let contents: Contents
  /// As the URL names it; empty for a file.
  package let host: String
  /// HTTP's, 0 for a file.
  package let status: Int
  /// Whoever sent it told where the end is.
  package let isEndSure: Bool

  package init(
    file: any OpenFile, name: FileName, contents: Contents, host: String, status: Int,
    isEndSure: Bool = true
  ) {
    self.file = file
    self.name = name
    self.contents = contents
    self.host = host
    self.status = status
    self.isEndSure = isEndSure
  }

  /// `000038211` in the folder of its list.
  package static func name(of photo: PhotoID) -> FileName {
    FileName(number: UInt64(photo.number), digits: 9)
  }
}
