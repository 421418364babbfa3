// SPDX-License-Identifier: Apache-2.0
// One photo while its list is being read. Whatever is wrong with it is kept as its problem (the
// first one counts) and never ends the list.

internal import Vocabulary

package struct PhotoDraft: Equatable, Sendable {
  /// What a photo's own dictionary may hold.
  enum Field: String, CaseIterable, Sendable {
    case name = "Name"
    case url = "URL"
  }

  package let place: ListPlace
  /// Its name is a key of a dictionary, where no two may be equal.
  package let isKeyed: Bool
  private(set) var name: ListText?
  private(set) var url: ListText?
  private(set) var problem: String?

  init(place: ListPlace, name: ListText?) {
    self.place = place
    self.name = name
    isKeyed = name != nil
  }

  mutating func note(_ words: String) {
    if problem == nil { problem = words }
  }

  /// What a key of the photo's dictionary stands for; nil for one that has no use, which is noted.
  mutating func field(_ key: ListText) -> Field? {
    let known = isKeyed ? [Field.url] : Field.allCases
    guard let field = known.first(where: { key.isText($0.rawValue) }) else {
      let near = Suggestion.words(for: key.string, among: known.map(\.rawValue))
      note("its dictionary has a key \(key.shown) that is not known\(near)")
      return nil
    }
    return field
  }

  mutating func set(_ field: Field, to text: ListText) {
    switch field {
    case .name:
      if name != nil { note("its dictionary has the key 'Name' twice") }
      name = text
    case .url:
      if url != nil { note("its dictionary has the key 'URL' twice") }
      url = text.trimmed
    }
  }

  /// The photo for the catalog. A name that is too long is cut; a problem names the place.
  func row(_ limits: ListLimits) -> CatalogRow {
    let words = problem ?? Self.nameProblem(name, limits) ?? Self.urlProblem(url, limits)
    let isLong = (name?.length ?? 0) > UInt64(limits.keyBytes)
    let isFar = (url?.length ?? 0) > UInt64(limits.valueBytes)
    return CatalogRow(
      name: isLong ? name?.cut(to: min(200, Int(limits.keyBytes))) ?? [] : name?.bytes ?? [],
      url: isFar ? [] : url?.bytes ?? [],
      problem: words.map { "\($0) (\(place))" }, place: place)
  }

  private static func nameProblem(_ name: ListText?, _ limits: ListLimits) -> String? {
    guard let name else { return "its dictionary has no 'Name'" }
    if name.length == 0 { return "its name is empty" }
    if name.length > UInt64(limits.keyBytes) {
      return "its name is \(name.length) bytes long; the limit is \(limits.keyBytes)"
    }
    return name.hasControl ? "its name holds a control character" : nil
  }

  private static func urlProblem(_ url: ListText?, _ limits: ListLimits) -> String? {
    guard let url else { return "its dictionary has no 'URL'" }
    if url.length == 0 { return "its URL is empty" }
    if url.length > UInt64(limits.valueBytes) {
      return "its URL is \(url.length) bytes long; the limit is \(limits.valueBytes)"
    }
    return url.hasControl ? "its URL holds a control character" : nil
  }
}
