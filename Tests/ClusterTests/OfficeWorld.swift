// SPDX-License-Identifier: Apache-2.0
// An office and its nodes. The cases run in every world.

import Cluster
import Vocabulary

protocol OfficeWorld: Sendable {
  /// The office as this node sees it; another run is another start of its daemon.
  func office(_ node: String, run: UInt64) throws -> any ListOffice
  /// Lets time pass, without waiting.
  func pass(_ time: Duration) async throws
  func close() async
}

extension OfficeWorld {
  func office(_ node: String) throws -> any ListOffice { try office(node, run: 1) }
}

/// A node that was silent for longer is dead, in all worlds.
let silence = Duration.seconds(30)

extension Submission {
  /// A list of `anna`, dropped on node `a`, unless told otherwise.
  static func sample(
    _ name: String, photos: UInt32 = 100, owner: String = "anna", bytes: String = "1",
    _ serviceClass: ServiceClass = .default, origin: String? = nil, isFolderFree: Bool = true,
    isRoll: Bool = false
  ) -> Submission {
    Submission(
      origin: origin ?? "\(owner)/\(name)/\(bytes)", owner: owner, name: Array(name.utf8),
      sha256: bytes, serviceClass: serviceClass, photos: photos, folder: Array(name.utf8),
      isFolderFree: isFolderFree, isRoll: isRoll, terms: "Filter=sepia\n")
  }
}

extension Submitted {
  var list: LedgerList { number }
}

extension Share {
  /// A report of these photos, numbered from 0 within the share; of all that are left without.
  func report(
    _ places: [Int]? = nil, sequence: UInt32 = 1, failed: Set<Int> = [], isLast: Bool? = nil
  ) -> ShareReport {
    let places = places ?? (0..<photos).filter { !done.contains($0) }
    return ShareReport(
      id, photos: photos, sequence: sequence,
      places.map { place in
        let photo = id.first + UInt32(place)
        return Outcome(
          photo: photo, isFiltered: !failed.contains(place),
          row: Array("\(id.list)/\(photo)/\(id.epoch)".utf8))
      }, isLast: isLast ?? (places.count + done.photos == photos))
  }
}

extension ListOffice {
  func lease(
    _ photos: Int, largest: Int = 256, isReversed: Bool = false
  ) async throws -> [Share] {
    try await turn(
      [], lease: LeaseWish(photos: photos, largest: largest, isReversed: isReversed)
    ).shares
  }

  func order(_ order: ListOrder, of list: LedgerList) async throws -> Bool {
    try await self.order(order, of: list, from: nil)
  }

  func outcomes(
    of list: LedgerList, in photos: ClosedRange<UInt32>
  ) async throws -> [Outcome] {
    try await outcomes(of: list, from: nil, in: photos)
  }

  func returned(_ list: LedgerList) async throws { try await returned(list, from: nil) }

  func report(_ report: ShareReport) async throws -> Verdict {
    try await turn([report], lease: nil).verdicts[0]
  }
}
