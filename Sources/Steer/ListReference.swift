// SPDX-License-Identifier: Apache-2.0
// A user's reference to a list: its number, or its name with or without its ending. A name that no list has may
// differ in upper and lower case, or be a pattern with `*` and `?`.

internal import Vocabulary

package struct ListReference: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  /// The number, if the text is one.
  package var number: UInt64? {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt64(text) : nil
  }

  /// True if the reference means the list that a file of this name becomes: a retry list continues its list.
  package func means(file: String) -> Bool {
    let file = ListName(file)
    return file.text == name || file.continued.contains { $0.elementsEqual(name.utf8) }
  }

  private var name: String { ListName(text).text }

  /// True if the text may fit several names.
  package var isPattern: Bool { name.contains("*") || name.contains("?") }

  /// True if the text is a pattern that fits the name of a list.
  package func fits(_ list: String) -> Bool { isPattern && NamePattern(name).fits(list) }

  /// The lists that a pattern fits, in the order of their numbers: of each name those with work left, or the
  /// newest. One of a reference that is not a pattern; none if `choose` raises an error.
  package func all(among lists: some Collection<(id: UInt64, name: String, isFinal: Bool)>)
    -> [UInt64]
  {
    guard isPattern, !lists.contains(where: { $0.name == name || $0.name == text }) else {
      return (try? choose(among: lists)).map { [$0] } ?? []
    }
    let pattern = NamePattern(name)
    return Dictionary(grouping: lists.filter { pattern.fits($0.name) }, by: \.name).values
      .flatMap { lists in
        let open = lists.filter { !$0.isFinal }.map(\.id)
        return open.isEmpty ? lists.map(\.id).max().map { [$0] } ?? [] : open
      }.sorted()
  }

  /// The list that is meant. A number means the list of that number, if there is one. Among lists of one name
  /// it is the only one with work left, otherwise the newest. Raises `ambiguousList` when several have work
  /// left or a pattern fits several names, and `noSuchList`.
  package func choose(among lists: some Collection<(id: UInt64, name: String, isFinal: Bool)>)
    throws(ControlError) -> UInt64
  {
    let name = name
    if let number, lists.contains(where: { $0.id == number }) { return number }
    var meant = lists.filter { $0.name == text }
    if meant.isEmpty { meant = lists.filter { $0.name == name } }
    if meant.isEmpty {
      let pattern = NamePattern(name)
      meant = lists.filter { pattern.fits($0.name) }
    }
    let newest = Dictionary(meant.map { ($0.name, $0.id) }, uniquingKeysWith: max)
    guard newest.count < 2 else { throw ambiguous(newest.values) }
    let unfinished = meant.filter { !$0.isFinal }.map(\.id)
    guard unfinished.count < 2 else { throw ambiguous(unfinished) }
    guard let id = unfinished.first ?? newest.values.first else {
      // For another number or a pattern it would be a guess.
      let isName = number == nil && !isPattern
      let near = isName ? Suggestion.nearest(to: name, among: Set(lists.map(\.name))) : nil
      throw .noSuchList(name: text, near: near)
    }
    return id
  }

  private func ambiguous(_ ids: some Sequence<UInt64>) -> ControlError {
    .ambiguousList(name: text, ids: Array(ids.sorted().prefix(100)))
  }
}

/// A name in which `*` stands for any characters and `?` for one; case does not matter.
struct NamePattern {
  private let pattern: [Character]

  init(_ text: String) { pattern = Array(text.lowercased()) }

  /// Takes time in proportion to the product of both lengths, at most.
  func fits(_ name: String) -> Bool {
    let name = Array(name.lowercased())
    var (place, at) = (0, 0)
    /// Behind the last `*`, and the place in the name from which it is tried again.
    var again: (pattern: Int, name: Int)?
    while at < name.count {
      if place < pattern.count, pattern[place] == "*" {
        place += 1
        again = (place, at)
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[at] {
        (place, at) = (place + 1, at + 1)
      } else if let last = again {
        (place, at) = (last.pattern, last.name + 1)
        again = (place, at)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
