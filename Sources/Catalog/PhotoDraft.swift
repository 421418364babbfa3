// SPDX-License-Identifier: Apache-2.0
// One photo while its list is read. The first error in it becomes its problem; no error in a photo refuses
// the list.

internal import Digests
internal import Vocabulary

package struct PhotoDraft: Equatable, Sendable {
  /// The keys of a photo's own dictionary.
  enum Field: String, CaseIterable, Sendable {
    case name = "Name"
    case url = "URL"
    case checksum = "SHA256"
    case filter = "Filter"
    case quality = "Quality"
    case metadata = "Metadata"
    case serviceClass = "QualityOfService"

    /// The keys if the name is the key of the dictionary.
    static let keyed = allCases.filter { $0 != .name }

    /// Other keys for the name and the URL, in JSON and CSV.
    private static let usual: [(String, Field)] = [
      ("HRef", .url), ("Src", .url), ("Link", .url), ("URI", .url), ("Title", .name),
      ("File", .name), ("FileName", .name), ("Out", .name),
    ]

    init?(_ key: ListText, _ spelling: KeySpelling) {
      if let field = Self.allCases.first(where: { spelling.matches(key, $0.rawValue) }) {
        self = field
      } else if spelling == .usual,
        let (_, field) = Self.usual.first(where: { spelling.matches(key, $0.0) })
      {
        self = field
      } else {
        return nil
      }
    }

    var words: String {
      switch self {
      case .name: "name"
      case .url: "URL"
      case .checksum, .filter, .quality, .metadata, .serviceClass: "'\(rawValue)'"
      }
    }
  }

  /// The beginning of the photo in its list.
  package let place: ListPlace
  /// The name is a key of a dictionary, so it must be unique.
  package let isKeyed: Bool
  private(set) var name: ListText?
  private(set) var url: ListText?
  private(set) var options = PhotoOptions()
  private(set) var problem: String?
  /// The place of the problem, if it is not the place of the photo.
  private var problemPlace: ListPlace?

  init(place: ListPlace, name: ListText?) {
    self.place = place
    self.name = name
    isKeyed = name != nil
  }

  mutating func note(_ words: String, at place: ListPlace? = nil) {
    guard problem == nil else { return }
    problem = words
    problemPlace = place
  }

  /// The field that a key of the photo's dictionary names; notes a problem and returns nil for an invalid
  /// key.
  mutating func field(
    _ key: ListText, _ spelling: KeySpelling, at place: ListPlace
  ) -> Field? {
    let field = Field(key, spelling)
    if let field, !(isKeyed && field == .name) { return field }
    if field != nil {
      note("its dictionary has the key \(key.shown), but the list already names it", at: place)
    } else if let option = OptionKey(key, spelling) {
      note(
        "its dictionary has the key '\(option.rawValue)', which is allowed only beside 'Photos'",
        at: place)
    } else {
      let known = isKeyed ? Field.keyed : Field.allCases
      let near = Suggestion.words(for: key.string, among: known.map(\.rawValue))
      note("its dictionary has the unknown key \(key.shown)\(near)", at: place)
    }
    return nil
  }

  mutating func take(_ event: ListEvent, for field: Field, at place: ListPlace) {
    switch event {
    case .string(let text): set(field, to: text, at: place)
    case .integer(let text) where field == .quality: set(field, to: text, at: place)
    default:
      let wanted = field == .quality ? "a whole number or a string" : "a string"
      note("its \(field.words) is \(event.words), not \(wanted)", at: place)
    }
  }

  private mutating func set(_ field: Field, to text: ListText, at place: ListPlace) {
    if has(field) { note("its \(field.words) is given twice", at: place) }
    do throws(TextProblem) {
      switch field {
      case .name: name = text
      case .url: url = text.trimmed
      case .checksum: options.checksum = try Self.checksum(text)
      case .filter: options.filter = try OptionValue.filter(text)
      case .quality: options.quality = try OptionValue.quality(text)
      case .metadata: options.metadata = try OptionValue.metadata(text)
      case .serviceClass: options.serviceClass = try OptionValue.serviceClass(text)
      }
    } catch {
      // A suggestion says enough.
      let isEnough = error.choices.isEmpty || error.description.hasSuffix("?")
      let more = isEnough ? "" : "; it must be \(error.choices)"
      note("its \(error)\(more)", at: place)
    }
  }

  private func has(_ field: Field) -> Bool {
    switch field {
    case .name: name != nil
    case .url: url != nil
    case .checksum: options.checksum != nil
    case .filter: options.filter != nil
    case .quality: options.quality != nil
    case .metadata: options.metadata != nil
    case .serviceClass: options.serviceClass != nil
    }
  }

  private static func checksum(_ text: ListText) throws(TextProblem) -> SHA256Digest {
    let digits = text.trimmed
    if digits.isWhole, let digest = SHA256Digest(hex: digits.bytes) { return digest }
    throw TextProblem(
      "'SHA256' is \(text.shown); it must be 64 hex digits, as sha256sum prints them")
  }

  /// The photo for the catalog. Names it after its URL if its list does not; cuts a name that is too long;
  /// adds the place to a problem.
  func row(_ limits: ListLimits) -> CatalogRow {
    let name = name ?? url.map { URLName.name(of: $0, limits) } ?? ListText([])
    let words = problem ?? Self.urlProblem(url, limits) ?? Self.nameProblem(name, limits)
    let isLong = name.length > UInt64(limits.keyBytes)
    let isFar = (url?.length ?? 0) > UInt64(limits.valueBytes)
    return CatalogRow(
      name: isLong ? name.cut(to: min(200, Int(limits.keyBytes))) : name.bytes,
      url: isFar ? [] : url?.bytes ?? [],
      problem: words.map { "\($0) (\(problemPlace ?? place))" },
      options: words == nil ? options : PhotoOptions(), place: place)
  }

  private static func nameProblem(_ name: ListText, _ limits: ListLimits) -> String? {
    if name.length == 0 { return "its name is empty" }
    if name.length > UInt64(limits.keyBytes) {
      return "its name is \(name.length) bytes long; the limit is \(limits.keyBytes)"
    }
    return name.hasControl ? "its name contains a control character" : nil
  }

  private static func urlProblem(_ url: ListText?, _ limits: ListLimits) -> String? {
    guard let url else { return "its dictionary has no 'URL'" }
    if url.length == 0 { return "its URL is empty" }
    if url.length > UInt64(limits.valueBytes) {
      return "its URL is \(url.length) bytes long; the limit is \(limits.valueBytes)"
    }
    return url.hasControl ? "its URL contains a control character" : nil
  }
}
