// SPDX-License-Identifier: Apache-2.0
// The page that a request asks for, read from its target: only plain paths and few parameters, each once. A value; a target
// that is no such page is nil. Nothing of it names a file: photos are numbers.

internal import Vocabulary

package enum PageRequest: Equatable, Sendable {
  /// Exchanges a token for a view.
  case redeem(token: String)
  case script
  case style
  case icon
  case page(UInt64)
  case states(UInt64, offset: UInt32)
  case photos(UInt64, offset: UInt32, count: UInt32)
  /// The colours of an overview.
  case colours(UInt64, groups: UInt32)
  case find(UInt64, text: String, after: UInt32)
  /// The changes after a record.
  case events(UInt64, since: UInt64)
  case thumbnail(UInt64, UInt32)
  case print(UInt64, UInt32)
  /// The one `POST`.
  case focus(UInt64)

  package static let longestTarget = 1024
  package static let mostPhotos: UInt32 = 200
  package static let mostGroups: UInt32 = 2048
  /// Of a token, and of the secret of a view.
  private static let secretDigits = 32
  private static let mostParameters = 4
  private static let longestText = 255

  /// The list of a request that needs a view.
  package var list: UInt64? {
    switch self {
    case .redeem, .script, .style, .icon: nil
    case .page(let list), .states(let list, _), .photos(let list, _, _), .colours(let list, _),
      .find(let list, _, _), .events(let list, _), .thumbnail(let list, _), .print(let list, _),
      .focus(let list):
      list
    }
  }

  /// The page of a target, and the secret of its view; a page without a list has none.
  package static func read(_ target: String) -> (page: PageRequest, view: String)? {
    guard target.utf8.count <= Self.longestTarget, target.utf8.first == UInt8(ascii: "/"),
      target.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 1 || !parts[1].isEmpty,
      let parameters = Self.parameters(parts.count > 1 ? parts[1] : "")
    else { return nil }
    let path = parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    switch (path.count, path[0]) {
    case (1, "script.js") where parameters.isEmpty: return (.script, "")
    case (1, "style.css") where parameters.isEmpty: return (.style, "")
    case (1, "icon.svg") where parameters.isEmpty: return (.icon, "")
    case (2, "open") where parameters.isEmpty:
      return secret(path[1]).map { (.redeem(token: $0), "") }
    case (5, "v"), (6, "v"):
      guard let view = secret(path[1]), path[2] == "lists", let list = number(path[3]), list > 0,
        let request = request(list, Array(path[4...]), parameters)
      else { return nil }
      return (request, view)
    default: return nil
    }
  }

  private static func secret(_ word: Substring) -> String? {
    let isOne = word.utf8.count == secretDigits && word.utf8.allSatisfy { isHex($0) }
    return isOne ? String(word) : nil
  }

  private static func request(
    _ list: UInt64, _ words: [Substring], _ parameters: [String: String]
  ) -> PageRequest? {
    var rest = parameters
    func number(_ name: String) -> UInt64? {
      rest.removeValue(forKey: name).map { Self.number($0[...]) } ?? 0
    }
    let request: PageRequest?
    switch (words.count, words[0]) {
    case (1, ""): request = .page(list)
    case (1, "focus"): request = .focus(list)
    case (1, "states"):
      request = number("offset").flatMap { UInt32(exactly: $0) }.map { .states(list, offset: $0) }
    case (1, "photos"):
      guard let offset = number("offset").flatMap({ UInt32(exactly: $0) }),
        let count = number("count"), 1...UInt64(mostPhotos) ~= count
      else { return nil }
      request = .photos(list, offset: offset, count: UInt32(count))
    case (1, "colours"):
      guard let groups = number("groups"), 1...UInt64(mostGroups) ~= groups else { return nil }
      request = .colours(list, groups: UInt32(groups))
    case (1, "events"): request = number("since").map { .events(list, since: $0) }
    case (1, "find"):
      guard let after = number("after").flatMap({ UInt32(exactly: $0) }),
        let text = rest.removeValue(forKey: "text").flatMap(text)
      else { return nil }
      request = .find(list, text: text, after: after)
    case (2, "thumbs"):
      guard words[1].hasSuffix(".jpg") else { return nil }
      request = photo(words[1].dropLast(4)).map { .thumbnail(list, $0) }
    case (2, "prints"): request = photo(words[1]).map { .print(list, $0) }
    default: request = nil
    }
    return rest.isEmpty ? request : nil
  }

  private static func photo(_ word: Substring) -> UInt32? {
    number(word).flatMap { UInt32(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Decimal digits without a sign or leading zeros: each photo has one address.
  private static func number(_ word: Substring) -> UInt64? {
    guard let first = word.utf8.first, word.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      first != 0x30 || word.utf8.count == 1
    else { return nil }
    return UInt64(word)
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x66 ~= byte
  }

  private static func text(_ encoded: String) -> String? {
    guard let bytes = HexDigits.percentDecoded(Array(encoded.utf8)),
      1...longestText ~= bytes.count, let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return text
  }

  private static func parameters(_ query: Substring) -> [String: String]? {
    if query.isEmpty { return [:] }
    var found: [String: String] = [:]
    let pairs = query.split(separator: "&", omittingEmptySubsequences: false)
    guard pairs.count <= mostParameters else { return nil }
    for pair in pairs {
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, found.updateValue(String(parts[1]), forKey: String(parts[0])) == nil
      else { return nil }
    }
    return found
  }
}
