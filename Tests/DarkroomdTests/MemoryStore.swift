// SPDX-License-Identifier: Apache-2.0
// A store of objects in memory, whose calls fail on demand: the model of `ObjectStore`.

import Synchronization
import Vocabulary

final class MemoryStore: ObjectStore {
  /// How it differs from a store that is fit.
  enum Vice: CaseIterable, Sendable {
    case replaces, refuses, changes, hides, keeps

    /// Part of the reason why it is refused.
    var words: String {
      switch self {
      case .replaces: "ignores If-None-Match"
      case .refuses: "says that a new key is taken"
      case .changes: "other bytes"
      case .hides: "listing lacks"
      case .keeps: "keeps an object that was removed"
      }
    }
  }

  private struct State {
    var objects: [ObjectKey: [UInt8]] = [:]
    /// The keys in the order of their creation.
    var made: [String] = []
    var failing: [String] = []
    var unreadable: Failure?
  }

  static let trouble = Failure(.machine, code: "store.busy", reason: "the store is away")

  private let vice: Vice?
  private let state = Mutex(State())

  init(_ vice: Vice? = nil) { self.vice = vice }

  var made: [String] { state.withLock { $0.made } }
  var keys: [String] { state.withLock { $0.objects.keys.map(\.description).sorted() } }

  /// The next call with a key that ends so fails.
  func fail(at end: String) { state.withLock { $0.failing.append(end) } }

  /// The next object is not read, and this is why.
  func failFetch(_ failure: Failure) { state.withLock { $0.unreadable = failure } }

  func put(_ key: String, _ text: String) {
    let key = ObjectKey(listed: Array(key.utf8))
    state.withLock { $0.objects[key] = Array(text.utf8) }
  }

  private func check(_ key: ObjectKey) throws(Failure) {
    let fails = state.withLock { state in
      guard let place = state.failing.firstIndex(where: { "\(key)".hasSuffix($0) }) else {
        return false
      }
      state.failing.remove(at: place)
      return true
    }
    if fails { throw Self.trouble }
  }

  func create(
    _ key: ObjectKey, of file: any OpenFile, _ contents: ObjectContents
  ) throws(Failure) -> Bool {
    try check(key)
    let bytes = try asMachine { () throws(SystemError) in
      try file.read(at: 0, upTo: Int(contents.size))
    }
    return state.withLock { state in
      if vice == .refuses || vice != .replaces && state.objects[key] != nil { return false }
      state.objects[key] = bytes
      state.made.append("\(key)")
      return true
    }
  }

  func fetch(
    _ key: ObjectKey, into file: any OpenFile, upTo limit: UInt64
  ) throws(Failure) -> Bool {
    try check(key)
    let failure = state.withLock { state in
      defer { state.unreadable = nil }
      return state.unreadable
    }
    if let failure { throw failure }
    guard let bytes = state.withLock({ $0.objects[key] }) else { return false }
    try asMachine { () throws(SystemError) in
      try file.write(vice == .changes ? bytes.map { $0 ^ 1 } : bytes, at: 0)
    }
    return true
  }

  func size(of key: ObjectKey) throws(Failure) -> UInt64? {
    try check(key)
    return state.withLock { $0.objects[key].map { UInt64($0.count) } }
  }

  func keys(beginningWith key: ObjectKey, most: Int) throws(Failure) -> [ObjectKey] {
    try check(key)
    if vice == .hides { return [] }
    return state.withLock { state in
      let found = state.objects.keys.filter { $0.bytes.starts(with: key.bytes) }
      return Array(found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(most))
    }
  }

  func remove(_ key: ObjectKey) throws(Failure) {
    try check(key)
    if vice != .keeps { state.withLock { $0.objects[key] = nil } }
  }
}
