// SPDX-License-Identifier: Apache-2.0
// The files on the shelf of lists that were dropped here. A restore from a backup, or a person, may have removed or
// damaged these files. This node still has the files that it copied there. Raises a `Failure`: `machine` while the
// ledger, the shelf or a disk does not answer, and if the files of this node are damaged as well.
// Concurrency: immutable. Waits for disks in `onDisk`.

import Accept
import Catalog
import Cluster
import Files
import Linux
import Vocabulary

struct EntryFiles: OnGround {
  let ground: Ground
  let office: any ListOffice
  let shelf: any ListShelf

  static let lost = Failure(
    .machine, scope: .one, code: "list.shelf",
    reason: "its files are missing or damaged in the place of Blobs=",
    advice: "This node is about to put them there again")

  /// False for a list that is over, and for a twin, which is developed from the files of the other list.
  func differ(
    _ list: ListID, _ ticket: EntryPost.Ticket, reading: Bool
  ) async throws(Failure) -> Bool {
    guard let origin = FileName(ticket.origin),
      try await office.submission(of: ticket.number)?.origin == ticket.origin,
      let progress = try await office.entry(ticket.origin), progress.list == ticket.number,
      !progress.state.isFinal
    else { return false }
    return try await onDisk { () throws(Failure) in
      try shelf.differs(
        from: try folder(of: list), as: origin, reading: reading, through: folders.state)
    }
  }

  func putAgain(_ list: ListID, _ ticket: EntryPost.Ticket) async throws(Failure) {
    guard let origin = FileName(ticket.origin) else { return }
    try await onDisk { () throws(Failure) in
      do throws(Failure) {
        let own = try OpenList(list, in: folders, to: .look)
        try own.checkCopy(in: folders)
        try own.catalog.check()
      } catch {
        guard error.kind == .final else { throw error }
        throw Failure(
          .machine, scope: .one, code: error.code,
          reason: "\(Self.lost.reason), and at this node as well: \(error.reason)",
          advice:
            "Restore \(ListFolder.name(list)) in the folder lists of the state folder from a backup, or cancel the list"
        )
      }
      try shelf.renew(try folder(of: list), as: origin)
    }
  }

  private func folder(of list: ListID) throws(Failure) -> any Folder {
    try asMachine { () throws(SystemError) in
      try folders.lists.folder(ListFolder.name(list), creating: false)
    }
  }
}
