// SPDX-License-Identifier: Apache-2.0
// The fields of every message. Promises: each message has every field that its catalog entry names, even
// an empty one; control characters in outside text are escaped.

internal import Vocabulary

extension Notice {
  package var fields: [Message.Value] {
    switch self {
    case .ready(let version, let inbox, let open):
      [text(.version, version), text(.inboxPath, inbox), number(.openLists, open)]
    case .stopping(let open): [number(.openLists, open)]
    case .listProgress(let list), .listFinished(let list): fields(of: list)
    case .listAccepted(let list), .listPaused(let list), .listResumed(let list),
      .listCancelled(let list), .listReclassed(let list), .listRemoved(let list),
      .printsExpired(let list, _):
      fields(of: list) + person(list.caller, .callerNumber, .callerName)
    case .listRejected(let id, let name, let owner, let failure):
      [number(.listID, id.number), text(.listName, name)]
        + person(owner, .ownerNumber, .ownerName) + fields(of: failure)
    case .photoFinished(let photo), .printStood(let photo), .transition(let photo):
      fields(of: photo)
    case .photoFailed(let photo, let stage, let failure):
      fields(of: photo) + [text(.stage, stage.name)] + fields(of: failure)
    case .retryScheduled(let photo, let stage, let failure, let after):
      fields(of: photo) + [text(.stage, stage.name), time(.retryAfter, after)]
        + fields(of: failure)
    case .workerDied(let list, let name, let photo, let reason, let next):
      (photo.map { fields(of: $0) } ?? [number(.listID, list.number), text(.listName, name)])
        + [text(.reason, reason), text(.waiting, next)]
    case .recordsCoalesced(let lost): [number(.recordsCoalesced, lost.count)]
    default: machineFields
    }
  }

  private var machineFields: [Message.Value] {
    switch self {
    case .machineTrouble(let failure, let waits):
      fields(of: failure) + [text(.waiting, waits)]
    case .hostClosed(let host, let failure, let wait):
      [text(.photoHost, host)] + fields(of: failure) + [time(.retryAfter, wait)]
    case .hostReopened(let host, let after):
      [text(.photoHost, host), time(.closedTime, after)]
    case .machineRecovered(let failure, let resumes):
      [
        text(.errorKind, failure.code), text(.reason, failure.reason), text(.waiting, resumes),
      ]
    case .journalReplayed(let facts): fields(of: facts)
    case .journalUnwritable(let failure), .configurationRejected(let failure):
      fields(of: failure)
    case .configurationReloaded(let changed, let caller):
      [text(.settings, changed.joined(separator: " "))]
        + person(caller, .callerNumber, .callerName)
    case .hostsFlushed(let host, let count, let caller):
      [text(.photoHost, host ?? ""), number(.hosts, count)]
        + person(caller, .callerNumber, .callerName)
    case .cacheCleared(let caller): person(caller, .callerNumber, .callerName)
    case .stateIsOlder(let recorded, let reported, let next):
      [
        number(.recordedList, recorded.number), number(.reportedList, reported.number),
        number(.nextList, next.number),
      ]
    case .stateIsCopied(let next): [number(.nextList, next.number)]
    case .fileIgnored(let name, let reason): [text(.fileName, name), text(.reason, reason)]
    case .fileUnreadable(let name, let failure): [text(.fileName, name)] + fields(of: failure)
    case .inboxSurveyed(let inbox, let words): [text(.inboxPath, inbox), text(.reason, words)]
    case .inboxOverflowed(let names): [number(.inboxNames, names)]
    case .inboxDegraded(let failure, let rescan):
      fields(of: failure) + [time(.retryAfter, rescan)]
    case .inboxRecovered(let inbox): [text(.inboxPath, inbox)]
    case .hookFailed(let hook, let failure):
      [text(.hookProgram, hook.place)] + fields(of: hook) + [
        text(.errorKind, failure.code), text(.reason, failure.reason),
        Message.Value(.hookOutput, Printable.text(hook.output, limit: hook.output.count)),
      ]
    case .webhookSent(let hook, let attempts):
      [text(.hookURL, hook.place)] + fields(of: hook) + [number(.attempt, UInt64(attempts))]
    case .webhookDelayed(let hook, let failure, let again):
      [text(.hookURL, hook.place)] + fields(of: hook) + fields(of: failure)
        + [time(.retryAfter, again)]
    case .webhookFailed(let hook, let failure, let attempts):
      [text(.hookURL, hook.place)] + fields(of: hook) + fields(of: failure)
        + [number(.attempt, UInt64(attempts))]
    case .sandboxReduced(let protection, let reason):
      [text(.protection, protection), text(.reason, reason)]
    default: []
    }
  }

  private func fields(of hook: HookFacts) -> [Message.Value] {
    [
      text(.hookEvent, hook.event), number(.listID, hook.list.number),
      text(.listName, hook.listName),
    ]
  }

  private func fields(of list: ListFacts) -> [Message.Value] {
    [
      number(.listID, list.id.number), text(.listName, list.name),
      number(.listTotal, UInt64(list.total)), number(.listDone, UInt64(list.done)),
      number(.listFailed, UInt64(list.failed)), text(.serviceClass, list.serviceClass.name),
    ] + person(list.owner, .ownerNumber, .ownerName)
  }

  /// A user without a name has the number in its place.
  private func person(_ person: Person?, _ number: Field, _ name: Field) -> [Message.Value] {
    let digits = person.map { "\($0.number)" } ?? ""
    let words = person.map { $0.name.isEmpty ? digits : $0.name } ?? ""
    return [text(number, digits), text(name, words)]
  }

  private func fields(of photo: PhotoFacts) -> [Message.Value] {
    var fields = [
      number(.listID, photo.id.list.number), text(.listName, photo.listName),
      number(.photoID, UInt64(photo.id.number)), text(.photoName, photo.name),
      text(.photoState, photo.state.name), text(.photoStateFrom, photo.stateBefore.name),
      text(.photoHost, photo.host), text(.serviceClass, photo.serviceClass.name),
      number(.attempt, UInt64(photo.attempt)),
    ]
    if let owner = photo.owner { fields += person(owner, .ownerNumber, .ownerName) }
    if let print = photo.developed {
      fields += [
        number(.photoBytes, print.size), number(.photoWidth, UInt64(print.width)),
        number(.photoHeight, UInt64(print.height)), text(.photoFormat, print.format.name),
      ]
      let names = print.notices.names
      if !names.isEmpty { fields.append(text(.photoNotices, names.joined(separator: ","))) }
    }
    // The catalog entry of a finished photo names its print.
    if photo.state == .filtered || photo.print != nil {
      fields.append(text(.photoPrint, photo.print ?? ""))
    }
    if let status = photo.httpStatus { fields.append(number(.httpStatus, UInt64(status))) }
    let times: [(Field, Duration?)] = [
      (.downloadTime, photo.times.download), (.filterTime, photo.times.filter),
      (.outputTime, photo.times.output), (.queuedTime, photo.times.queued),
    ]
    for (field, duration) in times {
      if let duration { fields.append(time(field, duration)) }
    }
    return fields
  }

  private func fields(of failure: Failure) -> [Message.Value] {
    // The catalog prints the advice on a separate line, so it needs its full stop.
    let advice = failure.advice.isEmpty ? "" : "\(failure.advice)."
    return [
      text(.errorKind, failure.code), text(.reason, failure.reason), text(.advice, advice),
    ]
  }

  private func fields(of facts: ReplayFacts) -> [Message.Value] {
    [
      number(.recordsReplayed, facts.records), number(.recordsLost, facts.recordsLost),
      number(.bytesCut, facts.bytesCut), number(.openLists, facts.openLists),
      text(.fileName, facts.file), number(.fileOffset, facts.offset),
    ]
  }

  private func text(_ field: Field, _ text: String) -> Message.Value {
    Message.Value(field, Printable.text(text, limit: 1000))
  }

  private func number(_ field: Field, _ number: UInt64) -> Message.Value {
    Message.Value(field, String(number))
  }

  private func time(_ field: Field, _ time: Duration) -> Message.Value {
    Message.Value(field, String(max(0, Int64(time / .microseconds(1)))))
  }
}
