// SPDX-License-Identifier: Apache-2.0
// An effect that must be durable before its transition is recorded.

package import Vocabulary

package enum Effect: Sendable {
  /// The file's contents.
  case sync(any OpenFile)
  /// The file's contents, and its existing name in the folder. The name counts only after the record.
  case stand(any OpenFile, in: any Folder)
  /// The file's contents, then its name: `temporary` is renamed to `name` and replaces an existing file.
  case appear(any OpenFile, in: any Folder, temporary: FileName, as: FileName)
  /// Names created, renamed or removed in the folder.
  case syncFolder(any Folder)
  /// The photo's result row.
  case row(ListID, ResultRow)
}
