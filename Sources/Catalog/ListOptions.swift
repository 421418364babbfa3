// SPDX-License-Identifier: Apache-2.0
// The options of a list, for all of its photos. The configuration supplies missing ones.

package import Vocabulary

package struct ListOptions: Equatable, Sendable {
  /// For people; empty if the list has no title.
  package var title: String
  package var serviceClass: ServiceClass?
  package var filter: FilterFunction?
  package var quality: PrintQuality?
  package var metadata: MetadataRule?
  /// Notified when the list is over.
  package var notify: PhotoURL?
  /// The prints are for the owner of the list alone.
  package var isPrivate: Bool?
  /// Its folder of prints has a page that shows them.
  package var contactSheet: Bool?

  package init(
    title: String = "", serviceClass: ServiceClass? = nil, filter: FilterFunction? = nil,
    quality: PrintQuality? = nil, metadata: MetadataRule? = nil, notify: PhotoURL? = nil,
    isPrivate: Bool? = nil, contactSheet: Bool? = nil
  ) {
    self.title = title
    self.serviceClass = serviceClass
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
    self.notify = notify
    self.isPrivate = isPrivate
    self.contactSheet = contactSheet
  }

  static let longestTitle = 1000
  /// In its encoded form.
  private static let longestNotify = 2048

  /// Sets an option to its text in the list. Raises `list.option`.
  mutating func set(
    _ key: OptionKey, to text: ListText, at place: ListPlace
  ) throws(Failure) {
    if key == .output, !text.isText("same") { throw ListRefusal.output(place, text) }
    do throws(TextProblem) {
      switch key {
      case .title: title = try Self.title(text)
      case .filter: filter = try OptionValue.filter(text)
      case .quality: quality = try OptionValue.quality(text)
      case .metadata: metadata = try OptionValue.metadata(text)
      case .serviceClass: serviceClass = try OptionValue.serviceClass(text)
      case .notify: notify = try OptionValue.notify(text)
      case .isPrivate: isPrivate = try OptionValue.flag(text, of: .isPrivate)
      case .contactSheet: contactSheet = try OptionValue.flag(text, of: .contactSheet)
      case .output: break
      }
    } catch {
      let advice = error.choices.isEmpty ? "" : "Write \(error.choices)"
      throw ListRefusal.option(place, error.description, advice: advice)
    }
  }

  /// Raises a `url.…` failure.
  package static func notify(_ text: String) throws(Failure) -> PhotoURL {
    let url = try PhotoURL(parsing: text)
    guard url.scheme.isRemote else {
      throw Failure(
        .final, code: "url.scheme", reason: "a \(url.scheme.rawValue) URL leads to no server")
    }
    guard url.text.utf8.count <= longestNotify else {
      throw Failure(
        .final, code: "url.length",
        reason: "the URL is \(url.text.utf8.count) bytes long; the limit is \(longestNotify)")
    }
    return url
  }

  private static func title(_ text: ListText) throws(TextProblem) -> String {
    guard text.length <= longestTitle else {
      throw TextProblem(
        "'Title' is \(text.length) bytes long; the limit is \(longestTitle)")
    }
    guard !text.hasControl else {
      throw TextProblem("'Title' contains a control character")
    }
    return text.string
  }
}
