// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a cluster find the files of submitted lists, each list under its origin. A list appears whole, and
// does not change. Raises a `Failure` of kind `machine`, or `cancelled`; `final` for a list whose own files are gone.

import Vocabulary

extension Failure {
  private static let listIsMissing = "list.unknown"

  /// The shelf lacks a list, and is well otherwise.
  var isOfMissingList: Bool { code == Self.listIsMissing }

  /// - Parameter words: behind "the files ".
  func ofFiles(_ words: String) -> Failure {
    Failure(
      kind, scope: scope, code: code, reason: "the files \(words): \(reason)", advice: advice)
  }

  private static let diskCodes = Set(
    [SystemError.Name.noSpace, .overQuota, .readOnly].map {
      SystemError($0, call: "", thing: "").machineFailure.code
    })

  /// A disk has no room, or cannot be written.
  var isOfDisk: Bool { kind == .machine && Self.diskCodes.contains(code) }

  /// The same while a print is written.
  var amongPrints: Failure {
    guard isOfDisk, scope == .everything else { return self }
    return Failure(.machine, scope: .prints, code: code, reason: reason, advice: advice)
  }

  /// With the place of the prints, where the shelf is.
  static func ofWrite(_ failure: Failure) -> Failure {
    Failure(
      .machine, scope: .prints, code: failure.code, reason: failure.reason, advice: failure.advice)
  }

  static func missing(_ origin: FileName, from place: StaticString) -> Failure {
    Failure(
      .machine, scope: .one, code: listIsMissing,
      reason: "\(place) does not have all files of lists/\(origin)",
      advice:
        "The node where the list was dropped puts them there again. Start that node, or cancel the list"
    )
  }
}

protocol ListShelf: Sendable {
  /// Why nothing can be had from the shelf, or put on it, until an administrator has mended that.
  var trouble: Failure? { get }

  /// Writes something, and removes it again. The trouble is one of the place of the prints.
  /// - Parameter state: may have a file without a name for a moment.
  func writeTrouble(through state: any Folder) -> Failure?

  /// Durable on return. Does nothing if it is there.
  func put(_ list: any Folder, as origin: FileName) throws(Failure)

  /// True if a file of the list is missing, or is not as it is here: of another size or, with `reading`, with other bytes.
  /// - Parameter state: has a file without a name for a moment.
  func differs(
    from list: any Folder, as origin: FileName, reading: Bool, through state: any Folder
  ) throws(Failure) -> Bool

  /// In the place of files that are missing or differ. Durable on return.
  func renew(_ list: any Folder, as origin: FileName) throws(Failure)

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
