// SPDX-License-Identifier: Apache-2.0
// What `Inbox` answers: every file in the inbox, and the last ones that have left it.

package struct InboxFile: MessageValue {
  /// What became of a file. Words of another version are shown as they are.
  package enum Fate: String, CaseIterable, Sendable {
    case waiting, ignored, rejected, accepted
  }

  /// As it is: whoever shows it escapes it.
  package var name: String
  package var fate: String
  /// The list that it is; 0 where it is none.
  package var list: UInt64
  /// What it waits for, why it is ignored or was rejected; empty for what was accepted.
  package var why: String

  package init(name: String, fate: Fate, list: UInt64 = 0, why: String = "") {
    self.name = name
    self.fate = fate.rawValue
    self.list = list
    self.why = why
  }

  package init(_ fields: MessageFields) throws(FieldError) {
    name = try fields.string("name")
    fate = try fields.string("fate")
    list = try fields.count("list")
    why = try fields.string("why")
  }

  package var object: JSONObject {
    JSONObject([
      "name": .string(name), "fate": .string(fate), "list": .count(list), "why": .string(why),
    ])
  }
}

package struct InboxReport: MessageValue {
  /// What waits first, then what is ignored, then the last that have left, the newest last.
  package var files: [InboxFile]
  /// So many more are there and not told of one by one.
  package var more: UInt64
  /// Why the inbox cannot be looked at or watched as it should be; empty when all is well.
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
