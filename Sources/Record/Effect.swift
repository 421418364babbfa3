// SPDX-License-Identifier: Apache-2.0
// What must be durable before a transition may be recorded.

package import Vocabulary

package enum Effect: Sendable {
  /// The file's contents.
  case sync(any OpenFile)
  /// The file's contents, and the name in the folder that it was made under. Before the record the name
  /// says nothing.
  case stand(any OpenFile, in: any Folder)
  /// The file's contents, then its name: `temporary` becomes `name`, replacing what is there.
  case appear(any OpenFile, in: any Folder, temporary: FileName, as: FileName)
  /// Names that were made, renamed or removed in the folder.
  case syncFolder(any Folder)
  /// The photo's row of results.
  case row(ListID, ResultRow)
}
