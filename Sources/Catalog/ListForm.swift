// SPDX-License-Identifier: Apache-2.0
// Recognises the form of a list while it is read: events in, photos out, in file order. The top dictionary maps
// names to URLs, or to dictionaries with a URL; or the top is an array of photos; or all photos are under
// `Photos`, beside options. Raises `list.form`, `list.option`, `list.duplicate`, `list.truncated`, `list.syntax`.

package import Vocabulary

/// `Photos` has its meaning only if its value is an array or a dictionary; with a string it is a photo of
/// that name. Until the form is known, keys that could be options are kept back. The first key that cannot be
/// an option decides for the form by names, in which `Title` is a photo like any other, if its value can be one's:
/// an option with another value would be lost, and `Private` must not be.
package struct ListForm {
  /// The limit of nested containers, the top one included.
  package static let deepest = 32

  enum State {
    /// Nothing is read yet. → top, photos
    case start
    /// In the top dictionary, before a key. → topValue, done
    case top
    /// After a key of the top dictionary. → top, photos, photo, skipping
    case topValue(ListText, ListPlace)
    /// In the array at the top, or the container under `Photos`, before an element or a key.
    /// → photosValue, photo, skipping, then done or top
    case photos
    /// After a key of the dictionary under `Photos`. → photos, photo, skipping
    case photosValue(ListText, ListPlace)
    /// In a photo's own dictionary, before a key. → photoValue, then top or photos
    case photo
    /// After a key of a photo's dictionary; nil for an invalid key. → photo, skipping
    case photoValue(PhotoDraft.Field?)
    /// In a container that is not allowed there. → photo if inside a photo, otherwise top or photos
    case skipping(depth: Int, isInside: Bool)
    /// After the end of the top dictionary or array.
    case done
  }

  enum Shape {
    case undecided([PendingOption])
    /// The first key that can only be a photo's name.
    case byName(ListText, ListPlace)
    case withPhotos(ListPlace)
    /// An array of photos.
    case array
  }

  /// A key that is an option if `Photos` follows, otherwise a photo's name.
  struct PendingOption {
    let key: OptionKey
    let text: ListText
    let value: ListEvent
    let place: ListPlace
  }

  private let spelling: KeySpelling
  private var state = State.start
  /// The photo being read in `photo`, `photoValue` and `skipping`. Not part of the state, which is copied
  /// with every event.
  private var draft = PhotoDraft(place: .byte(0), name: nil)
  private var shape = Shape.undecided([])
  /// The first option that has no `Photos` beside it.
  private var misplaced: PendingOption?
  /// The places of the options taken.
  private var taken: [OptionKey: ListPlace] = [:]
  package private(set) var options = ListOptions()
  /// Complete photos; the caller takes them and empties the array.
  package var ready: [PhotoDraft] = []

  package init(_ spelling: KeySpelling = .exact) { self.spelling = spelling }

  /// Takes the next event. Adds a photo that it completes to `ready`.
  package mutating func take(
    _ event: ListEvent, at place: ListPlace
  ) throws(Failure) {
    switch state {
    case .start: try takeStart(event, at: place)
    case .top: return try takeTop(event, at: place)
    case .topValue(let key, let keyPlace):
      return try takeTopValue(event, key, keyPlace, at: place)
    case .photos: return takePhotos(event, at: place)
    case .photosValue(let key, let keyPlace):
      draft = PhotoDraft(place: keyPlace, name: key)
      return begin(event, at: place)
    case .photo: return takePhoto(event, at: place)
    case .photoValue(let field): return takePhotoValue(event, field, at: place)
    case .skipping(let depth, let isInside): return skip(event, depth: depth, isInside: isInside)
    case .done: throw ListRefusal.syntax(place, "something follows the end of the list")
    }
  }

  /// Call at the end of the list: photos kept back become ready.
  package mutating func finish() throws(Failure) {
    guard case .done = state else { throw ListRefusal.truncated("it ends early") }
    if case .undecided(let pending) = shape { pending.forEach { addPhoto($0) } }
    if let misplaced { throw ListRefusal.misplaced(misplaced.text, misplaced.place) }
  }

  // MARK: At the top

  private mutating func takeStart(_ event: ListEvent, at place: ListPlace) throws(Failure) {
    switch event {
    case .openDictionary: state = .top
    case .openArray:
      shape = .array
      state = .photos
    default: throw ListRefusal.top(event, place)
    }
  }

  private mutating func takeTop(
    _ event: ListEvent, at place: ListPlace
  ) throws(Failure) {
    guard case .key(let key) = event else { return state = .done }
    if case .withPhotos(let photos) = shape {
      if isPhotos(key) { throw ListRefusal.duplicate(key, photos, place) }
      guard OptionKey(key, spelling) != nil else { throw ListRefusal.unknownOption(key, place) }
    }
    state = .topValue(key, place)
  }

  private mutating func takeTopValue(
    _ event: ListEvent, _ key: ListText, _ keyPlace: ListPlace, at place: ListPlace
  ) throws(Failure) {
    let isContainer = event == .openArray || event == .openDictionary
    if isContainer, isPhotos(key) {
      try decideForPhotos(keyPlace)
      state = .photos
      return
    }
    let option = OptionKey(key, spelling)
    switch shape {
    // An array at the top has no keys.
    case .withPhotos, .array:
      // `takeTop` has refused every other key.
      if let option {
        try take(PendingOption(key: option, text: key, value: event, place: keyPlace))
      }
      state = .top
    case .undecided(let pending):
      if let option, !isContainer {
        if let first = pending.first(where: { $0.key == option }) {
          throw ListRefusal.duplicate(key, first.place, keyPlace)
        }
        let new = PendingOption(key: option, text: key, value: event, place: keyPlace)
        shape = .undecided(pending + [new])
        state = .top
        return
      }
      shape = .byName(key, keyPlace)
      pending.forEach { addPhoto($0) }
      if let option { check(PendingOption(key: option, text: key, value: event, place: keyPlace)) }
      beginAtTop(key, keyPlace, event, at: place)
    case .byName:
      if let option { check(PendingOption(key: option, text: key, value: event, place: keyPlace)) }
      beginAtTop(key, keyPlace, event, at: place)
    }
  }

  private func isPhotos(_ key: ListText) -> Bool { spelling.matches(key, OptionKey.photos) }

  private mutating func decideForPhotos(_ place: ListPlace) throws(Failure) {
    if case .byName(let first, let firstPlace) = shape {
      if isPhotos(first) { throw ListRefusal.duplicate(first, firstPlace, place) }
      throw ListRefusal.unknownOption(first, firstPlace)
    }
    // `takeTop` has refused a second 'Photos'.
    if case .undecided(let pending) = shape {
      shape = .withPhotos(place)
      for option in pending { try take(option) }
    }
  }

  private mutating func take(_ option: PendingOption) throws(Failure) {
    if let first = taken.updateValue(option.place, forKey: option.key) {
      throw ListRefusal.duplicate(option.text, first, option.place)
    }
    switch option.value {
    case .scalar(.null): taken[option.key] = nil
    case .string(let text): try options.set(option.key, to: text, at: option.place)
    case .integer(let text) where option.key == .quality:
      try options.set(option.key, to: text, at: option.place)
    case .flag(let value) where option.key.isFlag:
      try options.set(option.key, to: ListText(value ? "yes" : "no"), at: option.place)
    default: throw ListRefusal.optionKind(option.key, option.value, option.place)
    }
  }

  private mutating func addPhoto(_ option: PendingOption) {
    check(option)
    var draft = PhotoDraft(place: option.place, name: option.text)
    draft.take(option.value, for: .url, at: option.place)
    ready.append(draft)
  }

  /// A list by names cannot have the option, unless it is a photo with its name.
  private mutating func check(_ option: PendingOption) {
    switch option.value {
    case .openDictionary: break
    case .string(let text) where text.hasScheme: break
    default: misplaced = misplaced ?? option
    }
  }

  // MARK: In a photo

  private mutating func takePhotos(_ event: ListEvent, at place: ListPlace) {
    switch event {
    case .key(let key): state = .photosValue(key, place)
    case .close: if case .array = shape { state = .done } else { state = .top }
    case .openDictionary:
      draft = PhotoDraft(place: place, name: nil)
      state = .photo
    case .string:
      draft = PhotoDraft(place: place, name: nil)
      draft.take(event, for: .url, at: place)
      end()
    default:
      draft = PhotoDraft(place: place, name: nil)
      draft.note("it is \(event.words), not a URL or a dictionary with one")
      enter(event, isInside: false)
    }
  }

  private mutating func beginAtTop(
    _ key: ListText, _ keyPlace: ListPlace, _ event: ListEvent, at place: ListPlace
  ) {
    draft = PhotoDraft(place: keyPlace, name: key)
    draft.suspect(event, at: place)
    begin(event, at: place)
  }

  /// Begins a photo with the value of its name: a URL, or a dictionary with one.
  private mutating func begin(_ event: ListEvent, at place: ListPlace) {
    if event == .openDictionary { return state = .photo }
    draft.take(event, for: .url, at: place)
    enter(event, isInside: false)
  }

  private mutating func takePhoto(_ event: ListEvent, at place: ListPlace) {
    guard case .key(let key) = event else { return end() }
    state = .photoValue(draft.field(key, spelling, at: place))
  }

  private mutating func takePhotoValue(
    _ event: ListEvent, _ field: PhotoDraft.Field?, at place: ListPlace
  ) {
    // In JSON null is often written for a value that is missing.
    if let field, event != .scalar(.null) { draft.take(event, for: field, at: place) }
    return enter(event, isInside: true)
  }

  /// Continues after a value; skips it if it is a container.
  private mutating func enter(_ event: ListEvent, isInside: Bool) {
    if event == .openArray || event == .openDictionary {
      state = .skipping(depth: 1, isInside: isInside)
    } else {
      leave(isInside: isInside)
    }
  }

  private mutating func skip(_ event: ListEvent, depth: Int, isInside: Bool) {
    switch event {
    case .openArray, .openDictionary: state = .skipping(depth: depth + 1, isInside: isInside)
    case .close where depth == 1: leave(isInside: isInside)
    case .close: state = .skipping(depth: depth - 1, isInside: isInside)
    case .key, .string, .integer, .flag, .scalar: return
    }
  }

  private mutating func leave(isInside: Bool) {
    if isInside { state = .photo } else { end() }
  }

  private mutating func end() {
    switch shape {
    case .withPhotos, .array: state = .photos
    case .undecided, .byName: state = .top
    }
    ready.append(draft)
  }
}

extension PhotoDraft {
  /// A URL is never an array or a number: perhaps the key should be `Photos` or an option.
  mutating func suspect(_ event: ListEvent, at place: ListPlace) {
    switch event {
    case .openArray, .integer, .flag, .scalar:
      guard let name, !OptionKey.known.contains(name.string) else { return }
      let near = Suggestion.words(for: name.string, among: OptionKey.known)
      note("its URL is \(event.words), not a string\(near)", at: place)
    default: return
    }
  }
}
