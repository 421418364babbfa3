// SPDX-License-Identifier: Apache-2.0
// The words of every message: verb, thing, cause, next step. Details go to the fields.
// Promises: control characters in outside text are escaped.

internal import Vocabulary

extension Notice {
  package var words: String {
    switch self {
    case .ready(let version, let inbox, let open):
      "darkroomd \(shown(version)) is ready: lists go to \(shown(inbox)), "
        + (open == 0 ? "no lists to continue" : "\(counted(open, "list")) to continue") + "."
    case .stopping(let open):
      open == 0
        ? "Stopping: every list is done."
        : "Stopping: \(counted(open, "list")) will continue at the next start."
    case .configurationReloaded(let changed, let caller):
      "Reloaded the settings\(caller.map { " (\(shown($0.words)))" } ?? ""): "
        + (changed.isEmpty ? "nothing" : shown(changed.joined(separator: ", "))) + " changed."
    case .cacheCleared(let caller): "Emptied the cache (\(shown(caller.words)))."
    case .configurationRejected(let failure):
      "Could not reload the settings: \(reason(failure)); the old settings stay in force."
    case .recordsCoalesced(let lost):
      "Left out \(counted(lost.count, "message")) here, because \(lost.cause); the journal file and "
        + "darkroomctl have everything."
    case .listAccepted, .listRejected, .listProgress, .listFinished, .listPaused, .listResumed,
      .listCancelled, .listReclassed, .listRemoved, .printsExpired:
      listWords
    case .photoFinished, .printStood, .photoFailed, .retryScheduled, .transition, .workerDied:
      photoWords
    case .machineTrouble, .machineRecovered, .journalReplayed, .journalUnwritable, .stateIsOlder,
      .stateIsCopied, .fileIgnored, .fileUnreadable, .inboxSurveyed, .inboxOverflowed,
      .inboxDegraded, .inboxRecovered, .sandboxReduced, .hostClosed, .hostReopened, .hostsFlushed,
      .webhookSent,
      .webhookDelayed, .webhookFailed, .hookFailed:
      machineWords
    }
  }

  private var listWords: String {
    switch self {
    case .listAccepted(let list):
      "Accepted list \(quoted(list.name))\(other(list)): \(counted(UInt64(list.total), "photo"))"
        + (list.revises.map { "; it takes over from list \($0)." } ?? ".")
    case .listRejected(_, let name, _, let failure):
      "Could not accept list \(quoted(name)): \(reason(failure)); the file is in failed/."
    case .listProgress(let list):
      "List \(quoted(list.name)): \(progress(list))."
    case .listFinished(let list):
      "Finished list \(quoted(list.name)): \(progress(list))."
    case .listPaused(let list):
      "Paused list \(quoted(list.name))\(other(list)): \(progress(list)); it waits until it is resumed."
    case .listResumed(let list):
      "Resumed list \(quoted(list.name))\(other(list)): \(progress(list))."
    case .listCancelled(let list):
      "Cancelled list \(quoted(list.name))\(other(list)): \(progress(list)); finished prints stay."
    case .listReclassed(let list):
      "List \(quoted(list.name)) is now in class \(list.serviceClass.name)\(other(list)): "
        + "\(progress(list))."
    case .listRemoved(let list):
      "Removed list \(quoted(list.name))\(other(list)) with its prints and results."
    case .printsExpired(let list, isResting: false):
      "Removed the prints of list \(quoted(list.name)), as KeepPrints= has passed since its end."
    case .printsExpired(let list, isResting: true):
      "Set the prints of list \(quoted(list.name)) aside as .expired-\(list.id), as KeepPrints= has passed since "
        + "its end; a day later they are removed."
    default: ""
    }
  }

  private var photoWords: String {
    switch self {
    case .photoFinished(let photo):
      "Filtered \(named(photo))\(size(photo))."
    case .printStood(let photo):
      "Kept the print of \(named(photo)) that was there\(size(photo)); this machine's differs, and is discarded."
    case .photoFailed(let photo, _, let failure)
    where failure.code.hasPrefix("url.") || failure.code == "list.entry":
      "Could not process \(named(photo)): \(reason(failure)); giving up."
    case .photoFailed(let photo, let stage, let failure):
      "Could not \(deed(stage, photo)): \(reason(failure)); giving up."
    case .retryScheduled(let photo, let stage, let failure, let after):
      "Could not \(deed(stage, photo)): \(reason(failure)); trying again in \(after.spoken)."
    case .transition(let photo):
      "Photo \(named(photo)): \(photo.stateBefore.name) → \(photo.state.name)."
    case .workerDied(_, let listName, let photo, let reason, let next):
      "A worker died while working on "
        + (photo.map { named($0) } ?? "list \(quoted(listName))")
        + ": \(shown(reason)); \(shown(next))."
    default: ""
    }
  }

  private var machineWords: String {
    switch self {
    case .machineTrouble(let failure, let waits) where failure.kind == .final:
      "Could not continue: \(reason(failure)); \(shown(waits))."
    case .machineTrouble(let failure, let waits):
      "This machine is in trouble: \(reason(failure)); \(shown(waits)) until it clears."
    case .hostClosed(let host, let failure, let wait):
      "Could not download from \(shown(host)): \(reason(failure)); its photos wait, "
        + "next attempt in \(wait.spoken)."
    case .hostReopened(let host, let after):
      "Downloading from \(shown(host)) again after \(after.spoken)."
    case .hostsFlushed(let host?, count: 0, let caller):
      "Flushed \(shown(host)) (\(shown(caller.words))): no trouble with it is known, and no photo is tried earlier."
    case .hostsFlushed(let host?, _, let caller):
      "Flushed \(shown(host)) (\(shown(caller.words))): its photos are tried again at once."
    case .hostsFlushed(nil, let count, let caller):
      "Flushed all hosts (\(shown(caller.words))), of which \(count) did not answer: every photo that waits is tried "
        + "again at once."
    case .machineRecovered(let failure, let resumes):
      "The trouble is over (\(reason(failure))); \(shown(resumes))."
    case .journalReplayed(let facts): replayWords(facts)
    case .journalUnwritable(let failure):
      "Could not write the journal file: \(reason(failure)); stopping, because unrecorded changes "
        + "must not be reported."
    case .stateIsOlder(let recorded, let reported, let next):
      "The state folder is older than what this machine has reported: its record ends with list "
        + "\(recorded), and list \(reported) was reported; new lists are numbered from \(next)."
    case .stateIsCopied(let next):
      "The state folder is a copy or a restored backup; new lists are numbered from \(next), so that "
        + "no number is used twice."
    case .fileIgnored(let name, let reason):
      "Ignored \(quoted(name)) in the inbox: \(shown(reason))."
    case .fileUnreadable(let name, let failure):
      "Could not take \(quoted(name)) from the inbox: \(reason(failure)); it waits."
        + (failure.advice.isEmpty ? "" : " \(shown(failure.advice)).")
    case .inboxSurveyed(let inbox, let words): "The inbox \(shown(inbox)) is \(shown(words))."
    case .inboxOverflowed(let names):
      "The kernel's queue of inbox events overflowed: scanned the whole inbox again, "
        + "\(counted(names, "name")); nothing is lost."
    case .inboxDegraded(let failure, let rescan):
      "The inbox is in trouble: \(reason(failure)); looking again every \(rescan.spoken)."
        + (failure.advice.isEmpty ? "" : " \(shown(failure.advice)).")
    case .inboxRecovered(let inbox):
      "The inbox \(shown(inbox)) is working again."
    case .hookFailed(let hook, let failure):
      "The hook \(shown(hook.place)) for \(subject(hook)) failed: \(reason(failure))"
        + (hook.lastLine.isEmpty
          ? "" : ", and its last line is '\(Printable.text(hook.lastLine, limit: 300))'")
        + "; it is not run again."
    case .webhookSent(let hook, let attempts):
      "Sent the webhook \(shown(hook.place)) for \(subject(hook))"
        + (attempts > 1 ? ", at attempt \(attempts)." : ".")
    case .webhookDelayed(let hook, let failure, let again):
      "Could not send the webhook \(shown(hook.place)) for \(subject(hook)): \(reason(failure)); "
        + "trying again in \(again.spoken)."
    case .webhookFailed(let hook, let failure, let attempts):
      "Gave up the webhook \(shown(hook.place)) for \(subject(hook)) after "
        + "\(counted(UInt64(attempts), "attempt")): \(reason(failure))."
    case .sandboxReduced(let protection, let reason):
      "Workers run without \(shown(protection)): \(shown(reason))."
    default: ""
    }
  }

  private func replayWords(_ facts: ReplayFacts) -> String {
    var words = "Read the journal file: \(counted(facts.records, "record"))"
    if facts.recordsLost > 0 {
      words += ", \(counted(facts.recordsLost, "record")) "
      words +=
        facts.file.isEmpty
        ? "missing" : "lost to damage that starts in \(shown(facts.file)) at byte \(facts.offset)"
    }
    if facts.bytesCut > 0 {
      words += ", \(counted(facts.bytesCut, "byte")) of an unfinished record set aside"
    }
    return words
      + "; \(counted(facts.knownLists, "list")) known, \(facts.openLists) to continue."
  }
}

extension Notice {
  private func shown(_ text: String) -> String { Printable.text(text) }
  private func quoted(_ name: String) -> String { "'\(Printable.text(name, limit: 120))'" }
  private func reason(_ failure: Failure) -> String { Printable.text(failure.reason) }

  private func named(_ photo: PhotoFacts) -> String {
    "\(quoted(photo.name)) of list \(quoted(photo.listName))"
  }

  private func subject(_ hook: HookFacts) -> String {
    hook.listName.isEmpty ? "list \(hook.list)" : "list \(quoted(hook.listName))"
  }

  private func counted(_ count: UInt64, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }

  private func progress(_ list: ListFacts) -> String {
    "\(list.done) of \(counted(UInt64(list.total), "photo")) filtered"
      + (list.failed == 0 ? "" : ", \(list.failed) failed")
  }

  /// The caller, if it is not the owner.
  private func other(_ list: ListFacts) -> String {
    guard let caller = list.caller, caller.number != list.owner?.number else { return "" }
    return " (\(shown(caller.words)))"
  }

  private func size(_ photo: PhotoFacts) -> String {
    guard let print = photo.developed else { return "" }
    return ": \(print.width) × \(print.height) \(print.format.name), "
      + counted(print.size, "byte")
      + (print.notices.words.isEmpty ? "" : ", without \(print.notices.words)")
  }

  private func deed(_ stage: Stage, _ photo: PhotoFacts) -> String {
    switch stage {
    case .download:
      "download \(named(photo))" + (photo.host.isEmpty ? "" : " from \(shown(photo.host))")
    case .filter: "filter \(named(photo))"
    case .output: "write the print of \(named(photo))"
    }
  }
}
