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

  package init(
    title: String = "", serviceClass: ServiceClass? = nil, filter: FilterFunction? = nil,
    quality: PrintQuality? = nil, metadata: MetadataRule? = nil
  ) {
    self.title = title
    self.serviceClass = serviceClass
    self.filter = filter
    self.quality = quality
    self.metadata = metadata
  }

  static let longestTitle = 1000

  /// Sets an option to its text in the list. Raises `list.option`.
  mutating func set(
    _ key: OptionKey, to text: ListText, at place: ListPlace
  ) throws(Failure) {
    let value = String(decoding: text.bytes, as: UTF8.self)
    switch key {
    case .title:
      guard text.length <= Self.longestTitle else {
        throw ListRefusal.option(
          place, "'Title' is \(text.length) bytes long; the limit is \(Self.longestTitle)")
      }
      guard !text.hasControl else {
        throw ListRefusal.option(place, "'Title' contains a control character")
      }
      title = value
    case .serviceClass, .filter, .quality, .metadata:
      do throws(OptionProblem) { try set(key, to: text) } catch {
        let advice = error.choices.isEmpty ? "" : "Write \(error.choices)"
        throw ListRefusal.option(place, error.words, advice: advice)
      }
    case .output: if !text.isText("same") { throw ListRefusal.output(place, text) }
    }
  }

  /// Sets an option that photos may have as well.
  private mutating func set(_ key: OptionKey, to text: ListText) throws(OptionProblem) {
    switch key {
    case .filter: filter = try OptionValue.filter(text)
    case .quality: quality = try OptionValue.quality(text)
    case .metadata: metadata = try OptionValue.metadata(text)
    case .serviceClass: serviceClass = try OptionValue.serviceClass(text)
    case .title, .output: break
    }
  }
}
