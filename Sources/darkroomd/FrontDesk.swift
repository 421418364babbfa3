// SPDX-License-Identifier: Apache-2.0
// Takes in what the inbox claims: reads it through a worker, settles its terms, records it, and hands
// it on to the chains. Called from the inbox's thread alone.
// Concurrency model: `degraded` and the counts have a lock; the rest is immutable.

import Accept
import Catalog
import Output
import Record
import Report
import Synchronization
import Vocabulary

final class FrontDesk: Reception {
  private let shelf: ListShelf
  private let recorder: Recorder
  private let workers: any Workers
  private let settings: LiveSettings
  private let teller: Teller
  private let tally: RunTally
  private let inboxPath: String
  private let begin: @Sendable (ListRoom) -> Void
  private let trouble = Mutex<Failure?>(nil)

  init(
    shelf: ListShelf, recorder: Recorder, workers: any Workers, settings: LiveSettings,
    teller: Teller, tally: RunTally, inboxPath: String,
    begin: @escaping @Sendable (ListRoom) -> Void
  ) {
    self.shelf = shelf
    self.recorder = recorder
    self.workers = workers
    self.settings = settings
    self.teller = teller
    self.tally = tally
    self.inboxPath = inboxPath
    self.begin = begin
  }

  /// What is wrong with the inbox now, if anything.
  var inboxTrouble: Failure? { trouble.withLock { $0 } }

  func nextNumber() -> ListID { recorder.newList() }

  func isRecorded(_ list: ListID) -> Bool { recorder.ledger { $0[list] != nil } }

  func readList(_ list: any OpenFile, catalog: any OpenFile) async throws(Failure) {
    try await workers.readList(
      list, catalog: catalog, limits: ListLimits(size: settings.current.maximumListSize))
  }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let catalog = try CatalogFile(draft.catalog, limits: ListRoom.limits)
    try await ListRoom.settleNames(catalog, in: draft.folder)
    let options = catalog.options
    let standard = settings.current
    let terms = FrozenSettings(
      prints: printFolder(for: draft), filter: options.filter ?? standard.filter,
      quality: options.quality ?? standard.quality,
      metadata: options.metadata ?? standard.metadata, title: options.title)
    return ListTerms(
      photos: catalog.count, serviceClass: options.serviceClass ?? .default,
      settings: terms.text)
  }

  /// Two lists at work never share a folder of prints; one whose folder is free takes it over.
  private func printFolder(for draft: ListDraft) -> FileName {
    let name = ListRoom.name(of: draft.name)
    let plain = PrintName.folder(list: name, number: nil)
    let isFree =
      !shelf.usesFolder(plain) && ownerOfPrints(in: plain).map { $0 == draft.owner } != false
    return isFree ? plain : PrintName.folder(list: name, number: draft.list.number)
  }

  /// The owner of the newest list that printed into the folder, as far as the record goes back.
  private func ownerOfPrints(in folder: FileName) -> UInt32? {
    let finals = recorder.ledger { ledger in
      ledger.lists.values.filter { $0.state.isFinal }.map(\.id)
    }
    for list in finals.sorted(by: >) {
      guard let room = try? shelf.folders.lists.folder(ListFolder.name(list), creating: false),
        let about = try? AboutFile.read(from: room),
        let terms = try? FrozenSettings(text: about.terms.settings), terms.prints == folder
      else { continue }
      return about.owner
    }
    return nil
  }

  func accept(_ list: ListID, _ acceptance: Acceptance, _ about: AboutFile) async throws(Failure) {
    if isRecorded(list) { return }
    try await recorder.record([.accepted(list, acceptance)])
    tally.worked(on: list)
    do throws(Failure) {
      let room = try shelf.room(list)
      teller.accepted(room)
      begin(room)
    } catch {
      // It is accepted and stays so; the next start opens it.
      teller.tell(.machineTrouble(error, waits: "list \(list) waits"))
    }
  }

  func reject(_ list: ListID, name: FileName, _ failure: Failure) async throws(Failure) {
    try await recorder.record([.rejected(list, code: failure.code)])
    tally.rejected()
    teller.tell(
      .listRejected(list, name: String(decoding: name.bytes, as: UTF8.self), failure))
  }

  func ignored(_ name: FileName, _ reason: IgnoredReason) {
    teller.tell(
      .fileIgnored(name: String(decoding: name.bytes, as: UTF8.self), reason: "\(reason)"))
  }

  func inboxTroubled(_ failure: Failure?) {
    trouble.withLock { $0 = failure }
    if let failure {
      teller.tell(.inboxDegraded(failure, rescan: .seconds(5)))
    } else {
      teller.tell(.inboxRecovered(inbox: inboxPath))
    }
  }

  func setAside(_ list: ListID, _ failure: Failure) {
    teller.tell(.machineTrouble(failure, waits: "list \(list) is set aside in the state folder"))
  }
}
