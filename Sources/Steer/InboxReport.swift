// SPDX-License-Identifier: Apache-2.0
// The reply to `Inbox`: the files in the inbox, and the last files that left it.

package import Vocabulary

package struct InboxFile: MessageValue {
  /// The outcome for a file. A word of another version is shown unchanged.
  package enum Fate: String, CaseIterable, Sendable {
    case waiting, ignored, rejected, accepted
  }

  /// Not escaped; escape it before showing it.
  package var name = ""
  package var fate = ""
  /// The number of its list; 0 if it has none.
  package var list: UInt64 = 0
  /// Why it waits, is ignored or was rejected, as the caller may know it; empty for an accepted file.
  package var why = ""
  /// The name of the list that a waiting file becomes; otherwise empty.
  package var becomes = ""

  package init(
    name: String, fate: Fate, list: UInt64 = 0, why: OwnersReason? = nil, becomes: String = "",
    for reader: UInt32
  ) {
    (self.name, self.fate, self.list) = (name, fate.rawValue, list)
    self.why = why?.words(for: reader) ?? ""
    self.becomes = becomes
  }

  package init() {}
  package static let fields: [Field] = [
    Field("name", \.name), Field("fate", \.fate), Field("list", \.list), Field("why", \.why),
    Field("becomes", \.becomes),
  ]
}

package struct InboxReport: MessageValue {
  /// Waiting files, then ignored ones, then the last files that left, the newest last.
  package var files: [InboxFile] = []
  /// The number of further files that are not listed.
  package var more: UInt64 = 0
  /// Why the inbox cannot be read or watched properly; empty without trouble.
  package var trouble = ""

  package init(files: [InboxFile] = [], more: UInt64 = 0, trouble: String = "") {
    (self.files, self.more, self.trouble) = (files, more, trouble)
  }

  package init() {}
  package static let fields: [Field] = [
    Field("files", \.files), Field("more", \.more), Field("trouble", \.trouble),
  ]
}
