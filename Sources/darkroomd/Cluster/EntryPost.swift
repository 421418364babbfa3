// SPDX-License-Identifier: Apache-2.0
// Hands lists that were dropped at this node to the others: their files go to the shelf, then the list into the ledger;
// its number there is noted in `about`. Raises a `Failure`: `machine` while the ledger, or the store, does not answer.
// Concurrency: immutable. Waits for disks in `onDisk`.

import Accept
import Cluster
import Files
import Linux
import Vocabulary

struct EntryPost: Sendable {
  /// Both name a list in the ledger: a ledger that is an older copy gives the number again.
  struct Ticket: Equatable, Sendable {
    let number: LedgerList
    let origin: String
  }

  let office: any ListOffice
  let shelf: any ListShelf
  let folders: StateFolders
  let index: ListIndex
  let lists: OpenLists

  /// Submits the list unless that was done.
  func ticket(of list: ListID) async throws(Failure) -> Ticket {
    if let terms = index[list]?.terms, let number = terms.ledger {
      return Ticket(number: number, origin: terms.originText)
    }
    // A node that may not use the ledger puts nothing on a shelf, which may belong to others.
    _ = try await office.nodes()
    let (about, terms, isFree) = try await onDisk { () throws(Failure) in
      let (folder, about) = try read(list)
      let terms = try FrozenSettings(text: about.terms.settings)
      if let origin = terms.origin { try shelf.put(folder, as: origin) }
      return (about, terms, try !folders.hasPrints(terms.prints))
    }
    let answer = try await office.submit(Submission(about, terms, isFolderFree: isFree))
    try await onDisk { () throws(Failure) in
      try settle(list, terms.origin, answer)
      try note(list) { terms in
        terms.ledger = answer.number
        if let prints = FileName(bytes: answer.folder) { terms.prints = prints }
      }
    }
    return Ticket(number: answer.number, origin: terms.originText)
  }

  /// The ledger does not know the list any more: another node has returned it in the place of this one, and KeepLists=
  /// is over; or the ledger is an older copy, and its number may be that of another list. It is submitted as a new list.
  func renew(_ list: ListID) async throws(Failure) -> Ticket {
    // A node may still remove the files of the old one.
    let origin = try FrozenSettings.newOrigin()
    try await onDisk { () throws(Failure) in
      try note(list) { ($0.ledger, $0.origin) = (nil, origin) }
    }
    return try await ticket(of: list)
  }

  /// A twin is developed from the files of the other list. The files of a separate list may have been on the shelf for
  /// an earlier one with this origin, and have gone with it.
  private func settle(
    _ list: ListID, _ origin: FileName?, _ answer: Submitted
  ) throws(Failure) {
    guard let origin else { return }
    let (folder, _) = try read(list)
    switch answer {
    case .list: try shelf.put(folder, as: origin)
    case .twin: try shelf.remove(origin)
    }
  }

  private func read(_ list: ListID) throws(Failure) -> (any Folder, AboutFile) {
    let folder = try asMachine { () throws(SystemError) in
      try folders.lists.folder(ListFolder.name(list), creating: false)
    }
    return (folder, try AboutFile.read(from: folder))
  }

  /// Changes the list's terms in `about`, which appears whole.
  private func note(
    _ list: ListID, _ change: (inout FrozenSettings) -> Void
  ) throws(Failure) {
    let (folder, about) = try read(list)
    var terms = try FrozenSettings(text: about.terms.settings)
    change(&terms)
    let new = about.with(terms.text)
    try asMachine { () throws(SystemError) in
      try folder.write(whole: Array(new.text.utf8), as: ListFolder.about)
    }
    index.replace(list, try ListLabel(new))
    lists.close(list)
  }
}

extension Submission {
  fileprivate init(_ about: AboutFile, _ terms: FrozenSettings, isFolderFree: Bool) {
    self.init(
      origin: terms.originText, owner: "\(about.owner)",
      name: Array(ListName(about.name).stem), sha256: about.sha256,
      serviceClass: about.terms.serviceClass, photos: about.terms.photos,
      folder: terms.prints.bytes, isFolderFree: isFolderFree, terms: terms.text)
  }
}
