// SPDX-License-Identifier: Apache-2.0
// A list as a node submits it to the office.

package import Vocabulary

/// A list's number in the ledger, the same on every node.
package struct LedgerList: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (a: LedgerList, b: LedgerList) -> Bool { a.number < b.number }
  package var description: String { String(number) }
}

package struct Submission: Equatable, Sendable {
  /// Of the submitting node, never used twice: the same origin is the same submission.
  package let origin: String
  /// A user of all nodes.
  package let owner: String
  /// The name of the dropped file without its ending: any bytes.
  package let name: [UInt8]
  /// SHA-256 of the dropped bytes, in hex.
  package let sha256: String
  package let serviceClass: ServiceClass
  package let photos: UInt32
  /// The folder of its prints; with the list's number if another list has it.
  package let folder: [UInt8]
  /// True if the prints folder has no entry of this name.
  package let isFolderFree: Bool
  /// Lists of pictures have no revisions.
  package let isRoll: Bool
  /// The frozen settings, for the nodes alone.
  package let terms: String

  package init(
    origin: String, owner: String, name: [UInt8], sha256: String, serviceClass: ServiceClass,
    photos: UInt32, folder: [UInt8], isFolderFree: Bool = true, isRoll: Bool = false,
    terms: String = ""
  ) {
    self.origin = origin
    self.owner = owner
    self.name = name
    self.sha256 = sha256
    self.serviceClass = serviceClass
    self.photos = photos
    self.folder = folder
    self.isFolderFree = isFolderFree
    self.isRoll = isRoll
    self.terms = terms
  }
}

package enum Submitted: Equatable, Sendable {
  /// A separate list, which takes over from the earlier one, and its folder.
  case list(LedgerList, earlier: LedgerList?, folder: [UInt8])
  case twin(LedgerList, folder: [UInt8])

  /// The list that is developed.
  package var number: LedgerList {
    switch self {
    case .list(let list, _, _), .twin(let list, _): list
    }
  }

  /// The folder of its prints.
  package var folder: [UInt8] {
    switch self {
    case .list(_, _, let folder), .twin(_, let folder): folder
    }
  }
}
