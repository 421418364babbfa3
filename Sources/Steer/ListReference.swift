// SPDX-License-Identifier: Apache-2.0
// How people name a list: by its number, or by its name with or without `.plist`, in capitals or not.

package struct ListReference: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  /// The number, where the text is one.
  package var number: UInt64? {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt64(text) : nil
  }

  /// Whether a file of that name is meant.
  package func means(file: String) -> Bool { Self.stem(file) == Self.stem(text) }

  /// Without `.plist`, however that is written.
  private static func stem(_ name: String) -> Substring {
    let isList = name.utf8.count > 6 && name.suffix(6).lowercased() == ".plist"
    return isList ? name.dropLast(6) : name[...]
  }

  private var name: String {
    String(Self.stem(text))
  }

  /// The list that is meant: a number is a number first. Of one name the only list with work left is
  /// meant, else the newest. Several with work left are a question back.
  package func choose(among lists: some Sequence<(id: UInt64, name: String, isFinal: Bool)>)
    throws(ControlError) -> UInt64
  {
    var newest: UInt64?
    var unfinished: [UInt64] = []
    for list in lists {
      if list.id == number { return list.id }
      guard list.name == name || list.name == text else { continue }
      newest = max(newest ?? 0, list.id)
      if !list.isFinal { unfinished.append(list.id) }
    }
    if unfinished.count > 1 {
      throw .ambiguousList(name: text, ids: unfinished.sorted().prefix(100).map { $0 })
    }
    guard let id = unfinished.first ?? newest else { throw .noSuchList(name: text) }
    return id
  }
}
