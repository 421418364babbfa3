// SPDX-License-Identifier: Apache-2.0
// The place that nodes share, a folder or a store, belongs to one ledger. Its mark is `IDENTITY NUMBER`: the identity of
// this ledger, and a number that the ledger keeps. This is the one judgement of a mark. A value; `number` raises a
// `Failure` of kind `machine`.

package import Vocabulary

package enum PlaceVerdict: Equatable, Sendable {
  /// It has the mark of the ledger. The ledger alone knows whether the number is the right one.
  case own(number: String)
  /// It has no mark, or a damaged one, which counts for nothing; or the name of the ledger is not known.
  case unmarked
  case foreign

  /// - Parameter mark: nil without one.
  /// - Parameter identity: of the ledger of this node; empty if its name is damaged.
  package init(_ mark: String?, for identity: String) {
    guard let mark, let words = Self.words(of: mark), !identity.isEmpty else {
      self = .unmarked
      return
    }
    self = words.identity == identity ? .own(number: words.number) : .foreign
  }

  /// A mark of any ledger has only hexadecimal digits, and the dashes of an identity. Another file of the name may have any
  /// words.
  package static func isWhole(_ mark: String) -> Bool {
    words(of: mark) != nil && mark.allSatisfy { $0.isHexDigit || $0 == "-" || $0 == " " }
  }

  private static func words(of mark: String) -> (identity: String, number: String)? {
    let words = mark.split(separator: " ").map { String($0) }
    return words.count == 2 ? (words[0], words[1]) : nil
  }

  /// Raises the reason why the place is not the one of the ledger.
  package func number() throws(Failure) -> String {
    switch self {
    case .own(let number): return number
    case .unmarked: throw .otherBlobs
    case .foreign: throw .foreignBlobs
    }
  }

  /// Nil for a place of the ledger.
  package var objection: Failure? {
    do throws(Failure) { _ = try number() } catch { return error }
    return nil
  }
}

extension Failure {
  /// The mark is looked for again and again.
  package static let otherBlobs = Failure(
    .machine, code: "blobs.other",
    reason: "the folder or store of Blobs= is not the one that the other nodes share",
    advice: "Mount the shared folder, which needs no restart, or correct Blobs= and restart "
      + "darkroomd; see darkroom-cluster(7) if the folder has lost its mark")
  package static let foreignBlobs = Failure(
    .machine, code: "blobs.ledger",
    reason: "the folder or store of Blobs= belongs to another ledger",
    advice: "Correct Blobs= or Ledger=; a new ledger needs empty folders: see BACKUP in "
      + "darkroom-cluster(7)")

  /// The place that this node has in reach may not be the one that the nodes of its ledger share.
  package var isForeignPlace: Bool {
    switch code {
    case "blobs.ledger", "blobs.other", "ledger.home", "ledger.other": true
    default: false
    }
  }
}
