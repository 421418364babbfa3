// SPDX-License-Identifier: Apache-2.0
// A user's reference to a list: its number, or its name with or without `.plist`, in upper or lower case.

internal import Vocabulary

package struct ListReference: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  /// The number, if the text is one.
  package var number: UInt64? {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt64(text) : nil
  }

  /// True if the reference means a file of this name.
  package func means(file: String) -> Bool { ListName(file).text == name }

  private var name: String { ListName(text).text }

  /// The list that is meant. A number means the list of that number, if there is one. Among lists of one name
  /// it is the only one with work left, otherwise the newest. Raises `ambiguousList` when several have work
  /// left, and `noSuchList`.
  package func choose(among lists: some Sequence<(id: UInt64, name: String, isFinal: Bool)>)
    throws(ControlError) -> UInt64
  {
    let name = name
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
