// SPDX-License-Identifier: Apache-2.0
// The notices about the daemon and its machine, and about hosts, settings, the record, the inbox and hooks.

package import Vocabulary

extension Notice {
  // MARK: the daemon

  package static func ready(version: String, inbox: String, openLists open: UInt64) -> Notice {
    Notice(
      "fe8176a0c13d413cbbc3e428415b82ee",
      words: "darkroomd \(shown(version)) is ready: lists go to \(shown(inbox)), "
        + (open == 0 ? "no lists to continue" : "\(counted(open, "list")) to continue") + ".",
      fields: [.text(.version, version), .text(.inboxPath, inbox), .number(.openLists, open)])
  }

  package static func stopping(openLists open: UInt64) -> Notice {
    Notice(
      "79b41c7f4dbe4e8c8767ae3567dc8c2f",
      words: open == 0
        ? "Stopping: every list is done."
        : "Stopping: \(counted(open, "list")) will continue at the next start.",
      fields: [.number(.openLists, open)])
  }

  /// The names of the settings whose values changed.
  package static func configurationReloaded(changed: [String], by user: Person? = nil) -> Notice {
    Notice(
      "51918702cc474cf1b104c45a2877ff88", about: user,
      words: { user in
        "Reloaded the settings\(user?.mark ?? ""): "
          + (changed.isEmpty ? "nothing" : shown(changed.joined(separator: ", "))) + " changed."
      }, fields: { [.text(.settings, changed.joined(separator: " "))] + $0.callerFields })
  }

  package static func configurationRejected(_ failure: Failure) -> Notice {
    Notice(
      "a7bb11051bc1454fa087966cdd8b5281", .error,
      words: "Could not reload the settings: \(reason(failure)); the old settings stay in force.",
      fields: failure.fields)
  }

  /// `words` are a sentence without its full stop: how many prints or records of lists go within a day, and when.
  package static func expiryAhead(_ words: String, costsPrints: Bool) -> Notice {
    Notice(
      "d1f4a0c76b5e4f3d8a92e7b3150c6d88", costsPrints ? .warning : .notice,
      words: "\(told(words)).", fields: [.sentence(.reason, words)])
  }

  package static func cacheCleared(by user: Person) -> Notice {
    Notice(
      "e1947fa26c0d4b5f8b3d70e652c9a418", about: Person?(user),
      words: { "Emptied the cache\($0?.mark ?? "")." }, fields: \.callerFields)
  }

  package static func recordsCoalesced(_ lost: LostMessages) -> Notice {
    Notice(
      "91d3edc5e769440b8a391e206b5f06d9", .warning,
      words:
        "Left out \(counted(lost.count, "message")) here, because \(lost.cause); the journal file and "
        + "darkroomctl have everything.", fields: [.number(.recordsCoalesced, lost.count)])
  }

  // MARK: this machine

  /// `waits` is a clause that names the work on hold: "downloads wait".
  package static func machineTrouble(_ failure: Failure, waits: String) -> Notice {
    Notice(
      "d6fa902963c140b0a34c95d860d4c256", .warning,
      words: failure.kind == .final
        ? "Could not continue: \(reason(failure)); \(told(waits))."
        : "This machine is in trouble: \(reason(failure)); \(told(waits)) until it clears.",
      fields: failure.fields + [.sentence(.waiting, waits)])
  }

  /// The file was taken from the daemon; nothing is lost.
  package static func journalRenewed(_ failure: Failure) -> Notice {
    Notice(
      "65711c41ab9a47e786696faea4c49f75", .warning,
      words: "Began a new journal file with all records, because \(reason(failure)).",
      fields: failure.fields)
  }

  /// Of a list that is over.
  package static func resultsLost(_ list: ListID, _ failure: Failure) -> Notice {
    Notice(
      "105d7fa475b6449c988b077c955f8a28", .warning,
      words: "The results of list \(list) are incomplete: \(reason(failure)).",
      fields: failure.fields + [.number(.listID, list.number)])
  }

  /// Of a list at work, whose folder of prints had to be made again.
  package static func printsLost(_ list: ListID, _ prints: UInt32, of folder: String) -> Notice {
    let reason =
      "the folder \(shown(folder)), which had \(counted(prints, "print")), was removed or renamed"
    return Notice(
      "3b8e9f0c5d7a4c1e9a62d4f7180b35ce", .warning,
      words: "Prints of list \(list) are gone: \(reason).",
      fields: [.sentence(.reason, reason), .number(.listID, list.number)])
  }

  /// A folder of the daemon alone, such as `originals`.
  package static func folderLost(_ path: String) -> Notice {
    let reason = "the folder \(shown(path)) was removed or renamed"
    return Notice(
      "ea9b9fcc232f4b2d95e77208b8f6d6e6", .warning,
      words: "Made an empty folder, because \(reason).",
      fields: [.sentence(.reason, reason)])
  }

  /// Of a list whose prints were to be removed, and were not where they were made.
  package static func printsMissing(_ list: ListID, _ reason: String) -> Notice {
    Notice(
      "52c9d8b7e1f34a06b0d7a94f6c3e8b21", .warning,
      words: "Removed no prints of list \(list): \(told(reason)).",
      fields: [.sentence(.reason, reason), .number(.listID, list.number)])
  }

  /// The failure that is over.
  package static func machineRecovered(_ failure: Failure, resumes: String) -> Notice {
    Notice(
      "c5208ca66961411bb30fa78ef1cb8743",
      words: "The trouble is over (\(reason(failure))); \(told(resumes)).",
      fields: failure.cause + [.sentence(.waiting, resumes)])
  }

  /// This machine lacks one layer of the workers' sandbox.
  package static func sandboxReduced(protection: String, reason: String) -> Notice {
    Notice(
      "c550013db90740aaa594866e3b160c40", .warning,
      words: "Workers run without \(shown(protection)): \(told(reason)).",
      fields: [.text(.protection, protection), .sentence(.reason, reason)])
  }

  // MARK: hosts

  /// Downloads of a user from this host wait; one photo at a time probes it until it answers. It is one warning, not one
  /// for each attempt.
  package static func hostClosed(
    _ host: String, _ failure: Failure, retryAfter wait: Duration
  ) -> Notice {
    Notice(
      "e75f7348bf7b48b1a78ab5f67bdd0e66", .warning, counter: .hostClosed,
      words: "Could not download from \(shown(host)): \(reason(failure)); photos wait for it, "
        + "next attempt in \(wait.spoken).",
      fields: [.text(.photoHost, host)] + failure.fields + [.time(.retryAfter, wait)])
  }

  package static func hostReopened(_ host: String, after: Duration) -> Notice {
    Notice(
      "cc8a1a7643104283b9f04798fc692e0c",
      words: "Downloading from \(shown(host)) again after \(after.spoken).",
      fields: [.text(.photoHost, host), .time(.closedTime, after)])
  }

  /// A user has one host tried again at once or, without a host, everything that waits; `count` is the number of
  /// hosts that did not answer.
  package static func hostsFlushed(_ host: String?, count: UInt64, by user: Person) -> Notice {
    let outcome =
      switch (host, count) {
      case (nil, _):
        ", of which \(count) did not answer: every photo that waits is tried again at once."
      case (_?, 0): ": no trouble with it is known, and no photo is tried earlier."
      case (_?, _): ": photos that wait for it are tried again."
      }
    return Notice(
      "6d0b3c9e5f1a4c83a7e2914b08d6f35a", about: Person?(user),
      words: { "Flushed \(host.map { shown($0) } ?? "all hosts")\($0?.mark ?? "")\(outcome)" },
      fields: { [.text(.photoHost, host ?? ""), .number(.hosts, count)] + $0.callerFields })
  }

  // MARK: the record

  package static func journalReplayed(_ facts: ReplayFacts) -> Notice {
    let isDamaged = facts.recordsLost > 0
    return Notice(
      isDamaged ? "c1daa4dd8c7e4bb48179c6a3a5e08a85" : "4a73578da6de4bfe8dfee2cedcf40b6f",
      isDamaged ? .warning : .notice, words: facts.words, fields: facts.fields)
  }

  package static func journalUnwritable(_ failure: Failure) -> Notice {
    Notice(
      "ab27e0312fc94c3f9974b58fffcb7df1", .critical,
      words:
        "Could not write the journal file: \(reason(failure)); stopping, because unrecorded changes "
        + "must not be reported.", fields: failure.fields)
  }

  /// The record ends before a list that this machine has reported: the state folder is from a backup.
  package static func stateIsOlder(
    recorded: ListID, reported: ListID, next: ListID
  ) -> Notice {
    Notice(
      "5b0e1c6f83f94d7b9a2d64c7e1f8a035", .warning,
      words:
        "The state folder is older than what this machine has reported: its record ends with list "
        + "\(recorded), and list \(reported) was reported; new lists are numbered from \(next).",
      fields: [
        .number(.recordedList, recorded.number), .number(.reportedList, reported.number),
        .number(.nextList, next.number),
      ])
  }

  /// The journal file was restored alone, from an older copy, or a power cut took its end because of Sync=no.
  package static func listsUnrecorded(_ lists: UInt64, in folder: String) -> Notice {
    Notice(
      "7d9e1359270a49c8a718923a3153ed5d", .warning,
      words:
        "The journal file is older than \(shown(folder)), which has \(counted(lists, "list")) that "
        + "\(lists == 1 ? "is" : "are") over and not in the record; darkroomctl does not show "
        + "\(lists == 1 ? "it" : "them").",
      fields: [.number(.listsUnrecorded, lists), .text(.fileName, folder)])
  }

  /// - Parameter doubt: why it is not known whether it is one.
  package static func stateIsCopied(next: ListID, doubt: Failure? = nil) -> Notice {
    let state =
      doubt.map {
        "The state folder may be a copy or a restored backup, which is not known: \(reason($0))"
      } ?? "The state folder is a copy or a restored backup"
    return Notice(
      "c7d2a94e51b8460fb3e60d9f27a4185c",
      words: "\(state); new lists are numbered from \(next), so that no number is used twice.",
      fields: [.number(.nextList, next.number)])
  }

  // MARK: the inbox

  package static func fileIgnored(name: String, reason: String) -> Notice {
    Notice(
      "f3c66a5ead4c4eb5a2f1a8c69f4ece72",
      words: "Ignored \(quoted(name)) in the inbox: \(told(reason)).",
      fields: [.text(.fileName, name), .sentence(.reason, reason)])
  }

  /// The daemon may not read it, or not take it away; its owner has to act.
  package static func fileUnreadable(name: String, _ failure: Failure) -> Notice {
    Notice(
      "7df2dd1931da4fa39ce2aca63ef034e0",
      words: "Could not take \(quoted(name)) from the inbox: \(reason(failure)); it waits."
        + advised(failure), fields: [.text(.fileName, name)] + failure.fields)
  }

  /// The files of one user take all places that a user has in the inbox, or the user has too many lists.
  package static func shareTaken(of owner: Person, _ failure: Failure) -> Notice {
    Notice(
      "afd25e8aed9c4ed581a3411a968d3f08", about: Person?(owner),
      words: { _ in
        "Could not take further files of a user from the inbox: \(reason(failure)); they wait."
          + advised(failure)
      },
      fields: { $0.ownerFields + failure.fields })
  }

  /// `words` describes the inbox's file system and completes "The inbox PATH is …".
  package static func inboxSurveyed(inbox: String, words: String) -> Notice {
    Notice(
      "3d1f0b7c52e94a6cb8f24e7a9d60c815", words: "The inbox \(shown(inbox)) is \(shown(words)).",
      fields: [.text(.inboxPath, inbox), .sentence(.reason, words)])
  }

  package static func inboxOverflowed(names: UInt64) -> Notice {
    Notice(
      "8b62f4d0a3754e1f9c07d5e81b36a2f9",
      words: "The kernel's queue of inbox events overflowed: scanned the whole inbox again, "
        + "\(counted(names, "name")); nothing is lost.", fields: [.number(.inboxNames, names)])
  }

  package static func inboxDegraded(_ failure: Failure, rescan: Duration) -> Notice {
    Notice(
      "680049b29edb4b21bf58360553ed5520", .warning,
      words: "The inbox is in trouble: \(reason(failure)); looking again every \(rescan.spoken)."
        + advised(failure), fields: failure.fields + [.time(.retryAfter, rescan)])
  }

  package static func inboxRecovered(inbox: String) -> Notice {
    Notice(
      "f21c9005a2a14635aefd7a75d885e503", words: "The inbox \(shown(inbox)) is working again.",
      fields: [.text(.inboxPath, inbox)])
  }

  // MARK: hooks and webhooks

  /// The program of an administrator; it is not run again.
  package static func hookFailed(_ hook: HookFacts, _ failure: Failure) -> Notice {
    Notice(
      "4f7e6c5d3eac4be9b0bbe4e9e283261a", .warning, counter: .hookFailed,
      words:
        "The hook \(hook.subject) failed: \(reason(failure))\(hook.lastWords); it is not run again.",
      fields: [.text(.hookProgram, hook.place)] + hook.fields + failure.cause + [
        Message.Value(
          field: .hookOutput, text: Printable.text(hook.output, limit: hook.output.count))
      ])
  }

  /// It is not ordered, because as many as one user may have wait already.
  package static func hookLeftOut(_ hook: HookFacts, _ failure: Failure) -> Notice {
    Notice(
      "87458404976d469fb9adee1cd6a90725", .warning, counter: .hookLeftOut,
      words: "Left out the hook \(hook.subject): \(reason(failure))." + advised(failure),
      fields: [.text(.hookProgram, hook.place)] + hook.fields + failure.fields)
  }

  /// It is not ordered, because as many as may wait do so already.
  package static func webhookLeftOut(_ hook: HookFacts, _ failure: Failure) -> Notice {
    Notice(
      "0a7adbd71eaa4ee4bbe64aa505e34476", .warning, counter: .webhookLeftOut,
      words: "Left out the webhook \(hook.subject): \(reason(failure))." + advised(failure),
      fields: [.text(.hookURL, hook.place)] + hook.fields + failure.fields)
  }

  package static func webhookSent(_ hook: HookFacts, attempts: UInt32) -> Notice {
    Notice(
      "ad0f629ecb2c43c9ab44a4a9f4a693c3", counter: .webhookSent,
      words: "Sent the webhook \(hook.subject)"
        + (attempts > 1 ? ", at attempt \(attempts)." : "."),
      fields: [.text(.hookURL, hook.place)] + hook.fields + [.number(.attempt, attempts)])
  }

  /// The first attempt failed.
  package static func webhookDelayed(
    _ hook: HookFacts, _ failure: Failure, again: Duration
  ) -> Notice {
    Notice(
      "f141854dec9d443d81115715e24fb04f",
      words:
        "Could not send the webhook \(hook.subject): \(reason(failure)); trying again in \(again.spoken).",
      fields: [.text(.hookURL, hook.place)] + hook.fields + failure.fields + [
        .time(.retryAfter, again)
      ])
  }

  /// It is given up.
  package static func webhookFailed(
    _ hook: HookFacts, _ failure: Failure, attempts: UInt32
  ) -> Notice {
    Notice(
      "3a4c240df2b543d7854499dea36cfaf9", .warning, counter: .webhookFailed,
      words:
        "Gave up the webhook \(hook.subject) after \(counted(attempts, "attempt")): \(reason(failure)).",
      fields: [.text(.hookURL, hook.place)] + hook.fields + failure.fields + [
        .number(.attempt, attempts)
      ])
  }
}

extension ReplayFacts {
  fileprivate var words: String {
    var words = "Read the journal file: \(Notice.counted(records, "record"))"
    if recordsLost > 0 {
      words += ", \(Notice.counted(recordsLost, "record")) "
      words +=
        file.isEmpty
        ? "missing" : "lost to damage that starts in \(Notice.shown(file)) at byte \(offset)"
    }
    if bytesCut > 0 {
      words += ", \(Notice.counted(bytesCut, "byte")) of an unfinished record set aside"
    }
    return words + "; \(Notice.counted(knownLists, "list")) known, \(openLists) to continue."
  }

  fileprivate var fields: [Message.Value] {
    [
      .number(.recordsReplayed, records), .number(.recordsLost, recordsLost),
      .number(.bytesCut, bytesCut), .number(.openLists, openLists), .text(.fileName, file),
      .number(.fileOffset, offset),
    ]
  }
}

extension HookFacts {
  /// The program or the URL, and the list.
  fileprivate var subject: String {
    "\(Notice.shown(place)) for list "
      + (listName.isEmpty ? "\(list)" : Notice.quoted(listName))
  }

  fileprivate var lastWords: String {
    lastLine.isEmpty ? "" : ", and its last line is '\(Printable.text(lastLine, limit: 300))'"
  }

  fileprivate var fields: [Message.Value] {
    [.text(.hookEvent, event), .number(.listID, list.number), .text(.listName, listName)]
  }
}
