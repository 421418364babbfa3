// SPDX-License-Identifier: Apache-2.0
// A user's reference to a list: its number, or its name with or without its ending. A name that no list has may
// differ in upper and lower case, or be a pattern with `*` and `?`. Names are compared by their bytes: a caller's name
// is compared with those of all lists.

internal import Vocabulary

package struct ListReference: Hashable, Sendable, CustomStringConvertible {
  private let word: OutsideText

  package init(_ text: String) { word = OutsideText(checked: text) }

  package var text: String { word.text }
  package var description: String { text }

  /// The number, if the text is one.
  package var number: UInt64? {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? UInt64(text) : nil
  }

  /// True if the reference means the list that a file of this name becomes: a retry list continues its list.
  package func means(file: String) -> Bool {
    let file = ListName(file)
    return OutsideText.isSame(file.text, name)
      || file.continued.contains { $0.elementsEqual(name.utf8) }
  }

  private var name: String { ListName(text).text }

  /// The names, in small letters, that a list which is meant may have; nil if it may have any.
  package var spellings: [String]? {
    isPattern ? nil : [text.lowercased(), name.lowercased()]
  }

  /// The name for which a list of another name is suggested. For a number or a pattern it would be a guess.
  package var suggestible: String? { isPattern || number != nil ? nil : name }

  /// True if the text may fit several names.
  package var isPattern: Bool { NamePattern.isOne(name) }

  /// True if the text is a pattern that fits the name of a list.
  package func fits(_ list: String) -> Bool { isPattern && NamePattern(name)?.fits(list) == true }

  /// True if the reference is this name, letter by letter, with or without its ending.
  private func names(_ list: String) -> Bool {
    OutsideText.isSame(list, text) || OutsideText.isSame(list, name)
  }

  /// A list that a reference may mean.
  package typealias Candidate = (id: UInt64, name: String, owner: UInt32, isFinal: Bool)

  /// The lists that a pattern fits, in the order of their numbers: of each name those with work left, or the
  /// newest; of a name that the caller's lists have, of them alone. One of a reference that is not a pattern; none
  /// if `choose` raises an error.
  package func all(among lists: some Collection<Candidate>, for caller: UInt32) -> [UInt64] {
    let names = [OutsideText(checked: name), word]
    let own = own(among: lists, of: caller)
    guard isPattern,
      !(own ?? Array(lists)).contains(where: { names.contains(OutsideText(checked: $0.name)) })
    else { return (try? choose(among: lists, for: caller)).map { [$0] } ?? [] }
    guard let pattern = NamePattern(name) else { return [] }
    return Dictionary(grouping: lists.filter { pattern.fits($0.name) }) {
      OutsideText(checked: $0.name)
    }.values
      .flatMap { lists in
        let own = caller == 0 ? [] : lists.filter { $0.owner == caller }
        let lists = own.isEmpty ? lists : own
        let open = lists.filter { !$0.isFinal }.map(\.id)
        return open.isEmpty ? lists.map(\.id).max().map { [$0] } ?? [] : open
      }.sorted()
  }

  /// The lists of the name, or else those that the pattern fits.
  private func fitting(among lists: some Collection<Candidate>) -> [Candidate] {
    let named = named(among: lists)
    guard named.isEmpty, let pattern = NamePattern(name) else { return named }
    return lists.filter { pattern.fits($0.name) }
  }

  /// The lists of the name as it is written, or else without its ending.
  private func named(among lists: some Collection<Candidate>) -> [Candidate] {
    let whole = lists.filter { OutsideText.isSame($0.name, text) }
    let name = name
    return whole.isEmpty ? lists.filter { OutsideText.isSame($0.name, name) } : whole
  }

  /// All lists that a command means which cannot be taken back: the one of the number, those of the name, or, if no list
  /// has such a name, those that a pattern fits. Another spelling is another name, and an ending is a part of the
  /// pattern. Raises `noSuchList` if a name means no list, or if a pattern fits only without its ending or in another
  /// spelling.
  package func every(
    among lists: some Collection<Candidate>
  ) throws(ControlError) -> [UInt64] {
    if let number, lists.contains(where: { $0.id == number }) { return [number] }
    var meant = named(among: lists)
    guard meant.isEmpty else { return meant.map(\.id) }
    guard isPattern else { return [try chooseExactly(among: lists, for: 0)] }
    guard let pattern = NamePattern(text, isExact: true) else {
      throw .noSuchList(name: text, near: nil)
    }
    meant = lists.filter { pattern.fits($0.name) }
    if meant.isEmpty, let near = lists.first(where: { fits($0.name) }) {
      throw .noSuchList(name: text, near: near.name)
    }
    return meant.map(\.id)
  }

  /// The caller's own lists that fit; nil if none does. Root has no own lists: it steers those of all users.
  private func own(among lists: some Collection<Candidate>, of caller: UInt32) -> [Candidate]? {
    let own = caller == 0 ? [] : fitting(among: lists.filter { $0.owner == caller })
    return own.isEmpty ? nil : own
  }

  /// The caller has a list that is meant, so none of the other users is.
  package func meansOwn(among lists: some Collection<Candidate>, of caller: UInt32) -> Bool {
    own(among: lists, of: caller) != nil
  }

  /// The list that is meant. A number means the list of that number, if there is one. The lists of others are meant
  /// only if none of the caller's fits, so no user takes over the name of another. Among lists of one name it is the only
  /// one with work left, otherwise the newest. Raises `ambiguousList` when several have work left or a pattern fits
  /// several names, and `noSuchList`.
  package func choose(
    among lists: some Collection<Candidate>, for caller: UInt32
  ) throws(ControlError) -> UInt64 {
    if let number, lists.contains(where: { $0.id == number }) { return number }
    // Once none of the caller's fits, they need not be compared again.
    let meant =
      own(among: lists, of: caller)
      ?? fitting(among: lists.filter { caller == 0 || $0.owner != caller })
    let newest = Dictionary(
      meant.map { (OutsideText(checked: $0.name), $0.id) }, uniquingKeysWith: max)
    guard newest.count < 2 else { throw ambiguous(newest.values) }
    let unfinished = meant.filter { !$0.isFinal }.map(\.id)
    guard unfinished.count < 2 else { throw ambiguous(unfinished) }
    guard let id = unfinished.first ?? newest.values.first else {
      let near = suggestible.flatMap { Suggestion.nearest(to: $0, among: lists.map(\.name)) }
      throw .noSuchList(name: text, near: near)
    }
    return id
  }

  /// The list that a command means which cannot be taken back: another spelling, a pattern and a name that several users
  /// have are not enough. Raises as `choose` does.
  package func chooseExactly(
    among lists: some Collection<Candidate>, for caller: UInt32
  ) throws(ControlError) -> UInt64 {
    let id = try choose(among: lists, for: caller)
    guard id != number, let meant = lists.first(where: { $0.id == id }) else { return id }
    guard names(meant.name) else { throw .noSuchList(name: text, near: meant.name) }
    // The caller's list is meant before the lists of others.
    if meant.owner == caller, caller != 0 { return id }
    let newest = Dictionary(
      lists.filter { names($0.name) }.map { ($0.owner, $0.id) }, uniquingKeysWith: max)
    guard newest.count < 2 else { throw ambiguous(newest.values) }
    return id
  }

  private func ambiguous(_ ids: some Sequence<UInt64>) -> ControlError {
    .ambiguousList(name: text, ids: Array(ids.sorted().prefix(100)))
  }
}

/// A name in which `*` stands for any characters and `?` for one; case does not matter, unless it is exact. A state for
/// each byte of the pattern, as a bit: so it takes the same time for each byte of a name, whatever both contain.
struct NamePattern {
  static let longest = 62

  /// For each byte, the places where the pattern admits it.
  private var admits = [UInt64](repeating: 0, count: 256)
  /// The places of `*`, which stay; the places of `?`, which stay for further bytes of a character.
  private var stays: UInt64 = 0
  private var continues: UInt64 = 0
  private var end: UInt64 = 1
  private let isExact: Bool

  /// Nil if it is longer than `longest`.
  init?(_ text: String, isExact: Bool = false) {
    self.isExact = isExact
    let text = isExact ? text : text.lowercased()
    guard text.utf8.count <= Self.longest else { return nil }
    for byte in text.utf8 {
      if byte == UInt8(ascii: "*") {
        stays |= end
        continue
      }
      if byte == UInt8(ascii: "?") {
        continues |= end << 1
        for first in 0..<256 where first & 0xC0 != 0x80 { admits[first] |= end }
      } else {
        admits[Int(byte)] |= end
      }
      end <<= 1
    }
  }

  static func isOne(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
  }

  func fits(_ name: String) -> Bool {
    var places: UInt64 = 1
    for byte in (isExact ? name : name.lowercased()).utf8 {
      let kept = byte & 0xC0 == 0x80 ? stays | continues : stays
      places = (places & admits[Int(byte)]) << 1 | places & kept
      if places == 0 { return false }
      // A last `*` fits the rest.
      if places & end & stays != 0 { return true }
    }
    return places & end != 0
  }
}
