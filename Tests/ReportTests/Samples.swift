// SPDX-License-Identifier: Apache-2.0
// Notices of every kind, with the words they must have. A new kind without a row fails a test.

import Foundation
import Report
import Support
import Vocabulary

enum Samples {
  /// Of all kinds of notices, from the functions that make them.
  static let numbersInSources: [String] = {
    let folder = "Sources/Report"
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))) ?? []
    return names.filter { $0.hasPrefix("Notice+") }.flatMap { name in
      Repository.text("\(folder)/\(name)").matches(of: /"([0-9a-f]{32})"/).map { String($0.1) }
    }
  }()

  static let list = ListFacts(
    id: ListID(17), name: "holiday", total: 120, done: 45, failed: 2, serviceClass: .utility)

  /// The same, changed by this user.
  static func list(by caller: Person) -> ListFacts {
    var list = list
    (list.owner, list.caller) = (Person(1000, name: "anna"), caller)
    return list
  }

  /// Notices that are about this user.
  static func of(_ user: Person) -> [Notice] {
    var list = list(by: user)
    list.owner = user
    var (ended, lost) = (finished, failed)
    (ended.owner, lost.owner) = (user, user)
    return [
      .listAccepted(list), .listProgress(list), .listFinished(list), .listPaused(list),
      .listResumed(list), .listCancelled(list), .listReclassed(list), .listRemoved(list),
      .printsExpired(list, isResting: true),
      .listRejected(list.id, name: "x.plist", owner: user, missing),
      .photoFinished(ended), .printStood(ended), .photoFailed(lost, .download, missing),
      .retryScheduled(lost, .download, refused, after: .seconds(8)), .originalLost(lost, refused),
      .transition(ended),
      .workerDied(list.id, listName: "holiday", photo: lost, reason: "signal 9", next: "again"),
      .configurationReloaded(changed: [], by: user), .cacheCleared(by: user),
      .hostsFlushed(nil, count: 1, by: user),
    ]
  }

  static var photo: PhotoFacts {
    PhotoFacts(
      id: PhotoID(list: ListID(17), number: 4), name: "Barn", listName: "holiday", state: .new,
      host: "photos.example.org")
  }

  static var finished: PhotoFacts {
    var photo = photo
    photo.state = .filtered
    photo.stateBefore = .downloaded
    photo.attempt = 2
    photo.httpStatus = 200
    photo.developed = Developed(format: .jpeg, width: 1024, height: 768, size: 38123)
    photo.print = "holiday/Barn.jpg"
    photo.times.download = .milliseconds(120)
    photo.times.filter = .milliseconds(34)
    photo.times.output = .microseconds(1500)
    photo.times.queued = .zero
    return photo
  }

  /// A print that lacks some parts of its original.
  static var reduced: PhotoFacts {
    var photo = finished
    photo.developed = Developed(
      format: .jpeg, width: 1024, height: 768, size: 38123,
      notices: [.previewRemoved, .profileDropped, .metadataDropped])
    return photo
  }

  static var failed: PhotoFacts {
    var photo = photo
    photo.state = .failed
    photo.httpStatus = 404
    return photo
  }

  static let refused = Failure(
    .passing, code: "connect.refused", reason: "connection refused",
    advice: "Look whether the server is up")
  static let missing = Failure(
    .final, code: "http.404", reason: "the server answered 404 Not Found")
  static let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
  static let torn = ReplayFacts(records: 3120, openLists: 1, knownLists: 7, bytesCut: 130)
  static let damaged = ReplayFacts(
    records: 3118, openLists: 2, knownLists: 2, bytesCut: 1, recordsLost: 2,
    file: "0000000000000042.log",
    offset: 8192)

  static func hook(_ output: String) -> HookFacts {
    HookFacts(
      "/usr/local/bin/tell", event: "finished", list: ListID(17), listName: "holiday",
      output: Array(output.utf8))
  }

  static let webhook = HookFacts(
    "https://h.example/done", event: "finished", list: ListID(17), listName: "holiday")

  static let words: [(Notice, String)] = lists + photos + machine

  private static let lists: [(Notice, String)] = [
    (.listAccepted(list), "Accepted list 'holiday': 120 photos."),
    (
      .listAccepted(ListFacts(id: ListID(9), name: "holiday", total: 1, revises: ListID(3))),
      "Accepted list 'holiday': 1 photo; it takes over from list 3."
    ),
    (
      .listAccepted(ListFacts(id: ListID(1), name: "a\u{1B}[2J'\n", total: 1)),
      "Accepted list 'a\\x1b[2J'\\n': 1 photo."
    ),
    (
      .listRejected(ListID(18), name: "x.plist", owner: Person(1000), missing),
      "Could not accept list 'x.plist': the server answered 404 Not Found; the file is in failed/."
    ),
    (
      .listRejected(
        ListID(18), name: "x.plist", owner: Person(1000),
        Failure(
          .final, code: "list.option",
          reason: "'Titel' is not an option" + Suggestion.words(for: "Titel", among: ["Title"]))),
      "Could not accept list 'x.plist': 'Titel' is not an option (did you mean 'Title'?); "
        + "the file is in failed/."
    ),
    (.listProgress(list), "List 'holiday': 45 of 120 photos filtered, 2 failed."),
    (.listFinished(list), "Finished list 'holiday': 45 of 120 photos filtered, 2 failed."),
    (
      .listPaused(list),
      "Paused list 'holiday': 45 of 120 photos filtered, 2 failed; it waits until it is resumed."
    ),
    (
      .listPaused(list(by: Person(1000, name: "anna"))),
      "Paused list 'holiday': 45 of 120 photos filtered, 2 failed; it waits until it is resumed."
    ),
    (
      .listCancelled(list(by: Person(0, name: "root"))),
      "Cancelled list 'holiday' (root): 45 of 120 photos filtered, 2 failed; finished prints stay."
    ),
    (
      .listResumed(list(by: Person(1001))),
      "Resumed list 'holiday' (user 1001): 45 of 120 photos filtered, 2 failed."
    ),
    (.listResumed(list), "Resumed list 'holiday': 45 of 120 photos filtered, 2 failed."),
    (
      .listCancelled(ListFacts(id: ListID(2), name: "b", total: 3, done: 1)),
      "Cancelled list 'b': 1 of 3 photos filtered; finished prints stay."
    ),
    (
      .listReclassed(ListFacts(id: ListID(2), name: "b", total: 3, serviceClass: .background)),
      "List 'b' is now in class background: 0 of 3 photos filtered."
    ),
    (
      .listRemoved(list(by: Person(0, name: "root"))),
      "Removed list 'holiday' (root) with its results and the prints that it still had."
    ),
    (
      .listRemoved(list),
      "Removed list 'holiday' with its results and the prints that it still had."
    ),
    (
      .printsExpired(list, isResting: false),
      "Removed the prints of list 'holiday', as KeepPrints= has passed since its end."
    ),
    (
      .printsExpired(list, isResting: true),
      "Set the prints of list 'holiday' aside as .expired-\(list.id), as KeepPrints= has passed since its end; a day later they are removed."
    ),
  ]

  private static let photos: [(Notice, String)] = [
    (
      .photoFinished(finished), "Filtered 'Barn' of list 'holiday': 1024 × 768 jpeg, 38123 bytes."
    ),
    (
      .photoFinished(reduced),
      "Filtered 'Barn' of list 'holiday': 1024 × 768 jpeg, 38123 bytes, without its embedded "
        + "preview, its colour profile and some of its metadata."
    ),
    (
      .printStood(finished),
      "Kept the print of 'Barn' of list 'holiday' that was there: 1024 × 768 jpeg, 38123 bytes; this machine's "
        + "differs, and is discarded."
    ),
    (
      .photoFailed(failed, .download, missing),
      "Could not download 'Barn' of list 'holiday' from photos.example.org: "
        + "the server answered 404 Not Found; giving up."
    ),
    (
      .photoFailed(failed, .filter, full),
      "Could not filter 'Barn' of list 'holiday': no space left on device; giving up."
    ),
    (
      .photoFailed(failed, .output, full),
      "Could not write the print of 'Barn' of list 'holiday': no space left on device; giving up."
    ),
    (
      .retryScheduled(photo, .download, refused, after: .seconds(8)),
      "Could not download 'Barn' of list 'holiday' from photos.example.org: connection refused; "
        + "trying again in 8 s."
    ),
    (
      .retryScheduled(photo, .filter, refused, after: .milliseconds(1490)),
      "Could not filter 'Barn' of list 'holiday': connection refused; trying again in 1.5 s."
    ),
    (
      .retryScheduled(photo, .filter, refused, after: .seconds(600)),
      "Could not filter 'Barn' of list 'holiday': connection refused; trying again in 10 min."
    ),
    (
      .originalLost(photo, refused),
      "Beginning again with 'Barn' of list 'holiday': connection refused."
    ),
    (.transition(finished), "Photo 'Barn' of list 'holiday': downloaded → filtered."),
    (
      .workerDied(
        ListID(17), listName: "holiday", photo: photo, reason: "signal 9", next: "trying again"),
      "A worker died while working on 'Barn' of list 'holiday': signal 9; trying again."
    ),
    (
      .workerDied(
        ListID(17), listName: "holiday", photo: nil, reason: "signal 31", next: "it is set aside"),
      "A worker died while working on list 'holiday': signal 31; it is set aside."
    ),
  ]

  private static let machine: [(Notice, String)] = [
    (
      .ready(version: "0.1.0", inbox: "/var/spool/darkroom/inbox", openLists: 0),
      "darkroomd 0.1.0 is ready: lists go to /var/spool/darkroom/inbox, no lists to continue."
    ),
    (
      .ready(version: "0.1.0", inbox: "/i", openLists: 1),
      "darkroomd 0.1.0 is ready: lists go to /i, 1 list to continue."
    ),
    (.stopping(openLists: 0), "Stopping: every list is done."),
    (.stopping(openLists: 2), "Stopping: 2 lists will continue at the next start."),
    (
      .machineTrouble(full, waits: "prints wait"),
      "This machine is in trouble: no space left on device; prints wait until it clears."
    ),
    (
      .machineTrouble(
        Failure(.final, code: "list.about", reason: "its file is damaged"), waits: "list 3 waits"),
      "Could not continue: its file is damaged; list 3 waits."
    ),
    (
      .hostClosed(
        "photos.example.org",
        Failure(.passing, code: "http.503", reason: "it answered 503", waitSeconds: 600),
        retryAfter: .seconds(600)),
      "Could not download from photos.example.org: it answered 503; photos wait for it, next attempt in "
        + "10 min."
    ),
    (
      .hostReopened("photos.example.org", after: .seconds(90)),
      "Downloading from photos.example.org again after 90 s."
    ),
    (
      .hostsFlushed("photos.example.org", count: 1, by: Person(1000, name: "anna")),
      "Flushed photos.example.org (anna): photos that wait for it are tried again."
    ),
    (
      .hostsFlushed("photos.example.org", count: 0, by: Person(1000, name: "anna")),
      "Flushed photos.example.org (anna): no trouble with it is known, and no photo is tried earlier."
    ),
    (
      .hostsFlushed(nil, count: 2, by: Person(0, name: "root")),
      "Flushed all hosts (root), of which 2 did not answer: every photo that waits is tried again at once."
    ),
    (.cacheCleared(by: Person(0, name: "root")), "Emptied the cache (root)."),
    (
      .configurationReloaded(changed: [], by: Person(0, name: "root")),
      "Reloaded the settings (root): nothing changed."
    ),
    (
      .machineRecovered(full, resumes: "prints continue"),
      "The trouble is over (no space left on device); prints continue."
    ),
    (
      .journalReplayed(torn),
      "Read the journal file: 3120 records, 130 bytes of an unfinished record set aside; "
        + "7 lists known, 1 to continue."
    ),
    (
      .journalReplayed(ReplayFacts(records: 9, openLists: 0, knownLists: 1, recordsLost: 1)),
      "Read the journal file: 9 records, 1 record missing; 1 list known, 0 to continue."
    ),
    (
      .journalReplayed(damaged),
      "Read the journal file: 3118 records, 2 records lost to damage that starts in "
        + "0000000000000042.log at byte 8192, 1 byte of an unfinished record set aside; "
        + "2 lists known, 2 to continue."
    ),
    (
      .journalUnwritable(full),
      "Could not write the journal file: no space left on device; stopping, because unrecorded changes "
        + "must not be reported."
    ),
    (.configurationReloaded(changed: []), "Reloaded the settings: nothing changed."),
    (
      .configurationReloaded(changed: ["Connections", "Timeout"]),
      "Reloaded the settings: Connections, Timeout changed."
    ),
    (
      .configurationRejected(Failure(.final, code: "settings.key", reason: "no key 'Conections'")),
      "Could not reload the settings: no key 'Conections'; the old settings stay in force."
    ),
    (
      .fileIgnored(name: "x.doc", reason: "its name does not end in .plist, .json, .csv or .txt"),
      "Ignored 'x.doc' in the inbox: its name does not end in .plist, .json, .csv or .txt."
    ),
    (
      .fileUnreadable(
        name: "x.txt",
        Failure(
          .final, code: "list.unreadable", reason: "permission denied", advice: "Use chmod g+r")),
      "Could not take 'x.txt' from the inbox: permission denied; it waits. Use chmod g+r."
    ),
    (
      .shareTaken(
        of: Person(1000, name: "ann"),
        Failure(
          .final, code: "inbox.share", reason: "9 files of user 1000 wait in the inbox",
          advice: "Remove some")),
      "Could not take further files of a user from the inbox: 9 files of user 1000 wait in the inbox; "
        + "they wait. Remove some."
    ),
    (
      .recordsCoalesced(LostMessages(late: 3)),
      "Left out 3 messages here, because they came faster than they could be written; the journal "
        + "file and darkroomctl have everything."
    ),
    (
      .recordsCoalesced(LostMessages(refused: 3)),
      "Left out 3 messages here, because the log did not take them; the journal file and "
        + "darkroomctl have everything."
    ),
    (
      .recordsCoalesced(LostMessages(late: 2, refused: 3)),
      "Left out 5 messages here, because 2 came faster than they could be written, and the log did "
        + "not take the other 3; the journal file and darkroomctl have everything."
    ),
    (
      .inboxSurveyed(inbox: "/i", words: "on ext4: a lease\n"),
      "The inbox /i is on ext4: a lease\\n."
    ),
    (
      .inboxOverflowed(names: 20_000),
      "The kernel's queue of inbox events overflowed: scanned the whole inbox again, "
        + "20000 names; nothing is lost."
    ),
    (
      .inboxDegraded(full, rescan: .seconds(30)),
      "The inbox is in trouble: no space left on device; looking again every 30 s."
    ),
    (
      .inboxDegraded(refused, rescan: .seconds(5)),
      "The inbox is in trouble: connection refused; looking again every 5 s. Look whether the server is up."
    ),
    (
      .stateIsOlder(recorded: ListID(12), reported: ListID(17), next: ListID(28_012_345_678)),
      "The state folder is older than what this machine has reported: its record ends with list 12, and "
        + "list 17 was reported; new lists are numbered from 28012345678."
    ),
    (
      .listsUnrecorded(3, in: "/var/lib/darkroom/state/lists"),
      "The journal file is older than /var/lib/darkroom/state/lists, which has 3 lists that are over and not "
        + "in the record; darkroomctl does not show them."
    ),
    (
      .stateIsCopied(next: ListID(28_012_345_678)),
      "The state folder is a copy or a restored backup; new lists are numbered from 28012345678, so that "
        + "no number is used twice."
    ),
    (
      .hookFailed(
        hook("sending…\nno route\u{1B} to host\n \n"),
        Failure(.final, code: "hook.failed", reason: "it exited with code 3")),
      "The hook /usr/local/bin/tell for list 'holiday' failed: it exited with code 3, and its last line is "
        + "'no route\\x1b to host'; it is not run again."
    ),
    (
      .hookFailed(
        HookFacts("/usr/local/bin/tell", event: "failed", list: ListID(17), listName: ""),
        Failure(.final, code: "hook.timeout", reason: "it did not end within 60 s")),
      "The hook /usr/local/bin/tell for list 17 failed: it did not end within 60 s; it is not run again."
    ),
    (
      .hookLeftOut(
        HookFacts("/usr/local/bin/tell", event: "finished", list: ListID(17), listName: "holiday"),
        Failure(
          .machine, code: "hooks.share",
          reason: "1250 orders for hooks of the list's owner wait already",
          advice: "Find out why their programs do not run")),
      "Left out the hook /usr/local/bin/tell for list 'holiday': 1250 orders for hooks of the list's owner wait "
        + "already. Find out why their programs do not run."
    ),
    (
      .webhookLeftOut(
        webhook,
        Failure(.machine, code: "hooks.full", reason: "10000 webhooks wait already")),
      "Left out the webhook https://h.example/done for list 'holiday': 10000 webhooks wait already."
    ),
    (
      .webhookSent(webhook, attempts: 1),
      "Sent the webhook https://h.example/done for list 'holiday'."
    ),
    (
      .webhookSent(webhook, attempts: 3),
      "Sent the webhook https://h.example/done for list 'holiday', at attempt 3."
    ),
    (
      .webhookDelayed(
        webhook, Failure(.passing, code: "http.503", reason: "h.example answered 503"),
        again: .seconds(10)),
      "Could not send the webhook https://h.example/done for list 'holiday': h.example answered 503; "
        + "trying again in 10 s."
    ),
    (
      .webhookFailed(
        webhook, Failure(.passing, code: "http.503", reason: "h.example answered 503"), attempts: 25
      ),
      "Gave up the webhook https://h.example/done for list 'holiday' after 25 attempts: h.example answered 503."
    ),
    (.inboxRecovered(inbox: "/i"), "The inbox /i is working again."),
    (
      .expiryAhead(
        "KeepPrints= sets 3 prints of 1 user in 1 list aside in 60 min", costsPrints: true),
      "KeepPrints= sets 3 prints of 1 user in 1 list aside in 60 min."
    ),
    (
      .expiryAhead(
        "KeepLists= removes the records of 2 lists of 1 user in 5 h", costsPrints: false),
      "KeepLists= removes the records of 2 lists of 1 user in 5 h."
    ),
    (
      .journalRenewed(
        Failure(
          .final, code: "journal.lost", reason: "the journal file /s/journal/7 was cut",
          advice: "Keep other programs away from it")),
      "Began a new journal file with all records, because the journal file /s/journal/7 was cut."
    ),
    (
      .resultsLost(
        ListID(7),
        Failure(.final, code: "results.lost", reason: "the row of photo 3 is missing")),
      "The results of list 7 are incomplete: the row of photo 3 is missing."
    ),
    (
      .printsLost(ListID(7), 12, of: "/p/two"),
      "Prints of list 7 are gone: the folder /p/two, which had 12 prints, was removed or renamed."
    ),
    (
      .folderLost("/s/originals"),
      "Made an empty folder, because the folder /s/originals was removed or renamed."
    ),
    (
      .printsMissing(ListID(7), "/p/two, its folder of prints, is missing"),
      "Removed no prints of list 7: /p/two, its folder of prints, is missing."
    ),
    (
      .sandboxReduced(protection: "Landlock", reason: "this kernel does not have it"),
      "Workers run without Landlock: this kernel does not have it."
    ),
  ]
}
