// SPDX-License-Identifier: Apache-2.0
// `log`: the records that journald has of the daemon, of a list or of a photo, oldest first. With --follow it ends by
// SIGINT, as `watch` does.

internal import JournalReader
internal import Linux
internal import Steer
internal import Vocabulary

package struct LogRun {
  private let task: LogTask
  private let talk: DaemonTalk
  private let voice: ToolVoice
  private let place: LogPlace
  private let localTime: @Sendable (UInt64) -> String

  package init(
    _ task: LogTask, _ talk: DaemonTalk, at place: LogPlace,
    localTime: @escaping @Sendable (UInt64) -> String
  ) {
    (self.task, self.talk, self.voice) = (task, talk, talk.voice)
    (self.place, self.localTime) = (place, localTime)
  }

  package func run() -> ExitCode {
    switch place {
    case .lines(let root, let path): return elsewhere(root, path)
    case .journald(let condition, let user):
      switch JournaldRights.look(user: user) {
      case .allowed: return read(condition)
      case .refused: return refused
      case .missing:
        voice.complain(
          "journald.missing", "there is no journal of systemd-journald on this machine")
        return .failed
      }
    }
  }

  private func read(_ condition: JournalQuery.Condition) -> ExitCode {
    do throws(ControlFailure) {
      let (subject, unknown) = try subject()
      var query = JournalQuery([condition])
      for condition in subject.conditions { query.add(condition) }
      guard try show(query, subject) == 0 else { return .done }
      if let unknown, let list = task.list { throw .refused(talk.judged(unknown, list)) }
      try checkPhoto()
      if voice.screen.isTerminal { voice.say("journald has no records of this.\n") }
      return .done
    } catch {
      return talk.fail(error)
    }
  }

  // MARK: the list

  /// The records to show, and the error if there are none.
  private func subject() throws(ControlFailure) -> (LogSubject, unknown: ControlError?) {
    guard let reference = task.list else { return (.everything, nil) }
    var (subject, unknown) = (LogSubject.unknown(reference), ControlError?.none)
    // A daemon that does not answer is one more reason to read its messages.
    if let lists = try? talk.ask(ListsOrder()).lists {
      do throws(ControlError) {
        let id = try reference.choose(among: lists.map(\.candidate), for: talk.caller)
        if let list = lists.first(where: { $0.id == id }) {
          subject = .list(reference, list, among: lists)
        }
      } catch {
        // journald may remember it, or the rejected file.
        guard case .noSuchList = error else { throw .refused(error) }
        unknown = error
      }
    } else {
      unknown = .noSuchList(name: reference.text)
    }
    if let photo = task.photo { subject.add(photo: photo) }
    return (subject, unknown)
  }

  /// Raises the daemon's error about a photo that the list does not have.
  private func checkPhoto() throws(ControlFailure) {
    guard let list = task.list, let photo = task.photo else { return }
    do throws(ControlFailure) {
      _ = try talk.ask(WhyOrder(list: list, photo: photo))
    } catch {
      guard case .refused = error else { return }
      throw error
    }
  }

  // MARK: the records

  /// Returns how many records it has shown; does not return if it follows.
  private func show(
    _ query: JournalQuery, _ subject: LogSubject
  ) throws(ControlFailure) -> UInt64 {
    do throws(SystemError) {
      let records = try JournaldRecords.open(query)
      let text = LogText(voice.screen, localTime: localTime)
      var shown: UInt64 = 0
      func show(_ record: LogRecord) {
        shown += 1
        voice.say(
          talk.order.isJSON ? JSONWriter.text(.object(record.object)) + "\n" : text.text(record))
      }
      if let first = try begin(records, subject) { show(first) }
      while true {
        while try records.next() {
          if let record = record(records, subject) { show(record) }
        }
        guard task.follows else { return shown }
        try records.wait()
      }
    } catch {
      voice.complain(error.failure.code, "could not read the journal: \(error)")
      ThisProcess.end(with: ExitCode.failed.rawValue)
    }
  }

  /// Goes to the first of the records that are asked for, and returns it unless it is the first of all.
  private func begin(
    _ records: borrowing JournaldRecords, _ subject: LogSubject
  ) throws(SystemError) -> LogRecord? {
    guard var left = task.count else {
      try records.rewind()
      return nil
    }
    try records.wind()
    // Even for no record: behind the end, `next` would start again from the first one.
    while try records.previous() {
      if left == 0 { return nil }
      guard let record = record(records, subject) else { continue }
      left -= 1
      if left == 0 { return record }
    }
    // There are fewer. At the first record, `next` would leave it out.
    try records.rewind()
    return nil
  }

  private func record(_ records: borrowing JournaldRecords, _ subject: LogSubject) -> LogRecord? {
    var record = LogRecord(records)
    guard subject.covers(record) else { return nil }
    if task.explains { record.explanation = records.explanation ?? "" }
    return record
  }

  // MARK: no records

  private var refused: ExitCode {
    voice.complain(
      "journald.notAllowed",
      "you may not read the journal of the system: root and the members of the groups adm and "
        + "systemd-journal may; to add a user, as root: usermod -aG systemd-journal USER")
    return .notPermitted
  }

  private func elsewhere(_ root: String, _ path: String?) -> ExitCode {
    let root = Printable.text(root)
    voice.complain(
      "journald.unused",
      path.map {
        "the messages of the darkroomd at \(root) do not go to journald but to its standard error, "
          + Printable.text($0)
      }
        ?? "no darkroomd runs at \(root); the messages of one that was started by hand went to its "
        + "standard error, which is a terminal or a file, not to journald")
    return .failed
  }
}
