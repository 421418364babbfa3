// SPDX-License-Identifier: Apache-2.0
// The prints of one list in a store of objects: `prints/LIST/NAME`. A print is made once; the one that stands is the
// result. Raises a `Failure`, see `ObjectStore`.
// Concurrency: immutable; every call waits for the network.

package import Vocabulary

package struct StoredPrints: Sendable {
  package static let root = FileName(literal: "prints")

  private let store: any ObjectStore
  private let list: FileName

  /// - Parameter list: the folder of its prints.
  package init(_ store: any ObjectStore, of list: FileName) {
    (self.store, self.list) = (store, list)
  }

  private var all: ObjectKey { .folder(Self.root, list) }

  private func key(_ name: FileName) -> ObjectKey { ObjectKey(Self.root, list, name) }

  /// Durable on return. False if there is a print of that name, which stays.
  package func create(
    _ name: FileName, of file: any OpenFile, _ contents: ObjectContents
  ) throws(Failure) -> Bool {
    try store.create(key(name), of: file, contents)
  }

  /// Writes a print into an empty file. False if there is none of that name.
  package func fetch(
    _ name: FileName, into file: any OpenFile, upTo limit: UInt64
  ) throws(Failure) -> Bool {
    try store.fetch(key(name), into: file, upTo: limit)
  }

  /// Nil if there is no print of that name.
  package func size(of name: FileName) throws(Failure) -> UInt64? { try store.size(of: key(name)) }

  package func hasAny() throws(Failure) -> Bool {
    try !store.keys(beginningWith: all, most: 1).isEmpty
  }

  /// Some of its objects; none if it has none.
  package func some() throws(Failure) -> [ObjectKey] {
    try store.keys(beginningWith: all, most: 1000)
  }

  package func remove(_ key: ObjectKey) throws(Failure) { try store.remove(key) }
}
