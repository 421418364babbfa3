// SPDX-License-Identifier: Apache-2.0
// A store of objects, as nodes of a cluster see it: each object is made once under its key, and never changes.
// `Transfer` has the real one (libcurl); its calls wait for the network, within limits. Raises a `Failure` of kind
// `machine`, since no photo and no list is to blame for the store (its scope is `store`, or `one` for a single object),
// or `cancelled`.

package protocol ObjectStore: Sendable {
  /// Makes an object of a whole file; durable on return. False if the key is taken: that object stays.
  func create(_ key: ObjectKey, of file: any OpenFile, _ contents: ObjectContents) throws(Failure)
    -> Bool

  /// Writes an object into an empty file. False if there is no such object. One with more bytes than `limit` fails.
  func fetch(
    _ key: ObjectKey, into file: any OpenFile, upTo limit: UInt64
  ) throws(Failure) -> Bool

  /// Nil if there is no such object.
  func size(of key: ObjectKey) throws(Failure) -> UInt64?

  /// The first keys with this beginning, in order; at most a thousand.
  func keys(beginningWith key: ObjectKey, most: Int) throws(Failure) -> [ObjectKey]

  /// Does nothing if it is gone.
  func remove(_ key: ObjectKey) throws(Failure)
}

/// Size and SHA-256 of an object: the store refuses other bytes.
package struct ObjectContents: Equatable, Sendable {
  package let size: UInt64
  package let sha256: [UInt8]

  package init(size: UInt64, sha256: [UInt8]) { (self.size, self.sha256) = (size, sha256) }
}

/// The name of an object in the daemon's part of a store: names with slashes between them.
package struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(_ parts: FileName...) {
    bytes = Array(parts.map(\.bytes).joined(separator: [0x2F]))
  }

  /// From a listing.
  package init(listed bytes: [UInt8]) { self.bytes = bytes }

  /// The beginning of the keys of a folder.
  package static func folder(_ parts: FileName...) -> ObjectKey {
    ObjectKey(listed: parts.flatMap { $0.bytes + [0x2F] })
  }

  package var description: String { Printable.text(bytes) }
}
