// SPDX-License-Identifier: Apache-2.0
// The reply to `Inbox`: the files in the inbox, and the last files that left it.

package import Vocabulary

package struct InboxFile: MessageValue {
  /// The outcome for a file. A word of another version is shown unchanged.
  package enum Fate: String, CaseIterable, Sendable {
    case waiting, ignored, rejected, accepted
  }

  /// Not escaped; escape it before showing it.
  package var name: String
  package var fate: String
  /// The number of its list; 0 if it has none.
  package var list: UInt64
  /// Why it waits, is ignored or was rejected, as the caller may know it; empty for an accepted file.
  package var why: String
  /// The name of the list that a waiting file becomes; otherwise empty.
  package var becomes: String

  package init(
    name: String, fate: Fate, list: UInt64 = 0, why: OwnersReason? = nil, becomes: String = "",
    for reader: UInt32
  ) {
    self.name = name
    self.fate = fate.rawValue
    self.list = list
    self.why = why?.words(for: reader) ?? ""
    self.becomes = becomes
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    name = try fields.string("name")
    fate = try fields.string("fate")
    list = try fields.count("list")
    why = try fields.string("why")
    becomes = try fields.string("becomes")
  }

  package var object: JSONObject {
    JSONObject([
      "name": .string(name), "fate": .string(fate), "list": .count(list), "why": .string(why),
      "becomes": .string(becomes),
    ])
  }
}

package struct InboxReport: MessageValue {
  /// Waiting files, then ignored ones, then the last files that left, the newest last.
  package var files: [InboxFile]
  /// The number of further files that are not listed.
  package var more: UInt64
  /// Why the inbox cannot be read or watched properly; empty without trouble.
  package var trouble: String

  package init(files: [InboxFile] = [], more: UInt64 = 0, trouble: String = "") {
    self.files = files
    self.more = more
    self.trouble = trouble
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    files = try fields.values("files")
    more = try fields.count("more")
    trouble = try fields.string("trouble")
  }

  package var object: JSONObject {
    JSONObject(["files": .values(files), "more": .count(more), "trouble": .string(trouble)])
  }
}
