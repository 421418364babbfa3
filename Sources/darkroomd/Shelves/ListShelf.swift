// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a cluster find the files of submitted lists, each list under its origin. A list appears whole, and
// does not change. Raises a `Failure` of kind `machine`, or `cancelled`; `final` for a list whose own files are gone.

import Vocabulary

extension Failure {
  static let listIsMissing = "list.unknown"

  /// The shelf lacks a list, and is well otherwise.
  var isOfMissingList: Bool { code == Self.listIsMissing }
}

protocol ListShelf: Sendable {
  /// Why nothing can be had from the shelf, or put on it, until an administrator has mended that.
  var trouble: Failure? { get }

  /// Durable on return. Does nothing if it is there.
  func put(_ list: any Folder, as origin: FileName) throws(Failure)

  /// Its files into an empty folder; durable on return.
  func fetch(_ origin: FileName, into folder: any Folder) throws(Failure)

  /// Of the list as it was dropped, in bytes.
  func size(of origin: FileName) throws(Failure) -> UInt64

  /// Does nothing if it is gone.
  func remove(_ origin: FileName) throws(Failure)

  /// The mark of the shelf; nil without one.
  /// - Parameter state: has a file without a name for a moment.
  func mark(through state: any Folder) throws(Failure) -> String?

  /// Durable on return. Does nothing if there is a mark.
  func mark(with text: String, through state: any Folder) throws(Failure)

  /// Removes what earlier runs of this node have left unfinished.
  func sweep() throws(Failure)
}

extension ListShelf {
  /// The trouble of a store is reported where a request fails.
  var trouble: Failure? { nil }
}
