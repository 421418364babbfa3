// SPDX-License-Identifier: Apache-2.0
// Makes transitions durable. The caller waits until its effects and then its records are on disk; many
// callers share one sync. Raises a `Failure` of kind `machine` when the disk does not take a call: nothing of
// it is in the ledger, and the caller retries. Raises `overtaken` for a change against the rules, `cancelled`
// after `close`, and from `open` the failures of `JournalRecovery`.
//
// Concurrency model: two own threads, and the thread of `groups`. The syncer makes effects durable and passes
// requests on; only the journal writer holds the `Journal`, appends, syncs, and applies transitions. `state` guards
// the two queues, `book` the ledger. No lock is held while another one is taken, during disk calls, or while a caller
// is answered; only the closure given to `ledger` runs under its lock. Both threads sleep until they are rung
// and, under load, a moment longer (`GroupPace`); a request rests in one of the two queues at most.

internal import Linux
import Synchronization
package import Vocabulary

package final class Recorder: Sendable {
  package typealias Answer = @Sendable (Result<Void, Failure>) -> Void

  private struct Request: Sendable {
    let time: UInt64
    let changes: [Change]
    let user: UInt32?
    let effects: [Effect]
    let answer: Answer

    /// The list that it ends before its photos are done.
    var end: ListID? {
      for case .cancelled(let list) in changes { return list }
      return nil
    }
  }

  private struct State {
    var toSync: [Request] = []
    var toWrite: [Request] = []
    /// The lists of the requests whose effects the syncer performs.
    var syncing: Set<ListID> = []
    /// Lists whose end is in `toWrite`, or is being written.
    var ending: Set<ListID> = []
    /// Lists whose first row the syncer may get.
    var accepted: [ListID] = []
    /// Lists whose results files the syncer has not closed yet.
    var ended: [ListID] = []
    /// Some requests in `toWrite` came from the syncer, where they rested if necessary.
    var hasRested = false
    /// Set once; answers every later request.
    var failure: Failure?
    var isClosing = false
    var isSyncerDone = false
    var isWriterDone = false
    var closers: [Reply<Void>] = []
    var counts = RecorderCounts()

    /// The request is the end of a list whose changes wait for their effects.
    func isAhead(_ request: Request) -> Bool {
      guard let list = request.end else { return false }
      return syncing.contains(list)
        || toSync.contains { $0.changes.contains { $0.list == list } }
    }

    mutating func note(_ request: Request) {
      if let list = request.end { ending.insert(list) }
    }
  }

  /// The state of the writer's thread. The arrays hold one group; their memory is reused.
  private struct Writer {
    var journal: Journal
    var pace = GroupPace()
    var judge = GroupJudge()
    var requests: [Request] = []
    /// The transitions within the rules, in order.
    var legal: [Transition] = []
    /// For each request, whether all of its changes are legal.
    var isWhole: [Bool] = []
    var refused = 0
  }

  private let time: any Timekeeper
  /// The file system of STATE.
  let stateDevice: UInt64
  private let state = Mutex(State())
  private let book: Mutex<Ledger>
  /// For files and folders that no record waits for.
  let groups: GroupSyncer
  private let syncerSignal = ThreadSignal()
  private let writerSignal = ThreadSignal()
  private let died: @Sendable (Failure) -> Void
  private let lost: @Sendable (Failure) -> Void
  /// The results of photos, for reading.
  package let results: ResultRows
  /// The last records.
  package let tail: RecordTail

  private init(
    time: any Timekeeper, stateDevice: UInt64, ledger: Ledger, results: ResultRows,
    tail: RecordTail, died: @escaping @Sendable (Failure) -> Void,
    lost: @escaping @Sendable (Failure) -> Void
  ) {
    self.time = time
    groups = GroupSyncer(time: time)
    self.stateDevice = stateDevice
    book = Mutex(ledger)
    self.results = results
    self.tail = tail
    self.died = died
    self.lost = lost
  }

  /// Recovers, begins a fresh segment and starts both threads. The caller must hold STATE/lock.
  /// `died` is called at most once, on the writer's thread, when no more records can be written, and `lost` when
  /// the file of a segment was lost and a new one has all records.
  package static func open(
    _ state: any Folder, time: any Timekeeper, settings: JournalSettings,
    lost: @escaping @Sendable (Failure) -> Void = { _ in },
    died: @escaping @Sendable (Failure) -> Void
  ) throws(Failure) -> (Recorder, Recovery) {
    let start = try RecorderStart.run(state, settings)
    let results = ResultRows(lists: start.lists)
    let recorder = Recorder(
      time: time, stateDevice: try asMachine { () throws(SystemError) in try state.device() },
      ledger: start.recovery.ledger, results: results,
      tail: RecordTail(after: start.journal.sequence), died: died, lost: lost)
    let effects = DurableEffects(
      state, rows: results, isSynced: settings.isSynced, mostResults: settings.openResults)
    let journal = start.journal
    do throws(SystemError) {
      try OwnThread.start("syncer") { recorder.sync(effects) }
      try OwnThread.start("journal") { recorder.write(journal) }
      try recorder.groups.start(
        DurableEffects(state, rows: results, isSynced: settings.isSynced, mostResults: 1))
    } catch { throw error.machineFailure }
    return (recorder, start.recovery)
  }

  // MARK: Requests

  /// Returns when all effects and then all changes are durable. The changes are recorded together, in their
  /// order. A cancelled task also waits: a request is always finished.
  ///
  /// Raises `Failure.overtaken` when a change is against the rules after all earlier recorded and queued
  /// changes. That change is not written; the other changes of the call are. The effects have happened
  /// nevertheless, except the effects of a change of a list that is over: it gets no row and no print after its end,
  /// and its end does not overtake the changes whose effects are being made durable.
  package func record(
    _ changes: [Change], by user: UInt32? = nil, after effects: [Effect] = []
  ) async throws(Failure) {
    let result = await Reply.wait { reply in
      record(changes, by: user, after: effects) { reply.give($0) }
    }
    try result.get()
  }

  /// The same for callers without a task. `answer` runs on one of the recorder's threads, or before this call
  /// returns; it must be short.
  package func record(
    _ changes: [Change], by user: UInt32? = nil, after effects: [Effect] = [],
    answer: @escaping Answer
  ) {
    let request = Request(
      time: time.wallTime(), changes: changes, user: user, effects: effects, answer: answer)
    let next = state.withLock { state -> (ring: ThreadSignal?, failure: Failure?) in
      if let failure = state.failure { return (nil, failure) }
      if state.isClosing { return (nil, .cancelled) }
      for case .accepted(let list, _) in changes { state.accepted.append(list) }
      if effects.isEmpty, !state.isAhead(request) {
        state.note(request)
        state.toWrite.append(request)
        return (state.toWrite.count == 1 ? writerSignal : nil, nil)
      }
      state.toSync.append(request)
      return (state.toSync.count == 1 ? syncerSignal : nil, nil)
    }
    next.ring?.ring()
    if let failure = next.failure { answer(.failure(failure)) }
  }

  /// Reads the ledger under its lock. `body` must be short, and should return numbers rather than lists.
  package func ledger<R: Sendable>(_ body: (Ledger) -> R) -> R {
    book.withLock { body($0) }
  }

  /// A number for a list that is about to be accepted or rejected; it is not issued again in this run.
  package func newList() -> ListID {
    book.withLock { ledger in
      let list = ledger.nextList
      ledger.reserve(upTo: list)
      return list
    }
  }

  /// New lists get higher numbers than this one. Not recorded: the caller repeats this after a restart.
  package func reserve(upTo list: ListID) { book.withLock { $0.reserve(upTo: list) } }

  /// Marks a final list whose files are in their final place: the ledger may forget it when it is old, and the
  /// syncer closes its results file. Not recorded: the caller repeats this after a restart.
  package func archived(_ list: ListID) {
    book.withLock { $0.archived(list) }
    let isFirst = state.withLock { state in
      state.ended.append(list)
      return state.ended.count == 1
    }
    if isFirst { syncerSignal.ring() }
  }

  /// Sets the number of archived lists of a user to remember, which does not fall below the built-in one.
  package func keep(lists: Int) {
    book.withLock { $0.mostArchived = max(lists, Ledger.finalListsKept) }
  }

  /// Forgets a final list whose files are gone. Not recorded: the next snapshot omits the list, and the
  /// caller repeats this after a restart.
  package func forget(_ list: ListID) { book.withLock { $0.forget(list) } }

  /// No list takes over the originals of the cancelled list any more.
  package func dropBequest(of list: ListID) { book.withLock { $0.dropBequest(of: list) } }

  package var counts: RecorderCounts { state.withLock { $0.counts } }

  /// Takes no more requests, finishes the queued ones, and ends the threads.
  package func close() async {
    await groups.close()
    await Reply.wait { reply in
      let isDone = state.withLock { state in
        state.isClosing = true
        if !state.isWriterDone { state.closers.append(reply) }
        return state.isWriterDone
      }
      if isDone { reply.give() }
      syncerSignal.ring()
      writerSignal.ring()
    }
  }

  // MARK: The syncer's thread

  private func sync(_ effects: DurableEffects) {
    var effects = effects
    var requests: [Request] = []
    var (accepted, ended): ([ListID], [ListID]) = ([], [])
    var pace = GroupPace()
    var isLast = false
    while !isLast {
      syncerSignal.wait()
      rest(pace, syncerSignal) { $0.isClosing }
      // No request and no ring follows once `isClosing` is set.
      isLast = state.withLock { state in
        swap(&state.toSync, &requests)
        for request in requests {
          for change in request.changes { state.syncing.insert(change.list) }
        }
        swap(&state.accepted, &accepted)
        swap(&state.ended, &ended)
        return state.isClosing
      }
      effects.expect(accepted)
      effects.close(ended)
      (accepted, ended) = ([], [])
      refuseLate(&requests)
      if requests.isEmpty {
        passOn(&requests)
        continue
      }
      pace.begin(requests.count, at: time.uptime())
      let begin = time.uptime()
      let failures = effects.perform(requests.lazy.map(\.effects))
      let span = time.uptime() - begin
      state.withLock { $0.counts.add(effects: span) }
      if failures.isEmpty {
        passOn(&requests)
      } else {
        var durable = requests.indices.filter { failures[$0] == nil }.map { requests[$0] }
        passOn(&durable)
        for (place, request) in requests.enumerated() {
          if let failure = failures[place] { request.answer(.failure(failure)) }
        }
      }
      requests.removeAll(keepingCapacity: true)
    }
    state.withLock { $0.isSyncerDone = true }
    writerSignal.ring()
  }

  /// Answers requests for lists that are over, before their effects.
  private func refuseLate(_ requests: inout [Request]) {
    var ends = state.withLock { $0.ending }
    let isOver = book.withLock { ledger in
      requests.map { request in
        // The end of a list and what comes after it may be in one group.
        defer { if let list = request.end { ends.insert(list) } }
        if request.effects.isEmpty { return false }
        return request.changes.contains {
          ends.contains($0.list) || ledger[$0.list]?.state.isFinal == true
        }
      }
    }
    guard isOver.contains(true) else { return }
    let late = requests.indices.filter { isOver[$0] }.map { requests[$0] }
    requests = requests.indices.filter { !isOver[$0] }.map { requests[$0] }
    refuse(late, .overtaken)
  }

  /// Answers requests without changes, and passes the others on to the writer.
  private func passOn(_ requests: inout [Request]) {
    requests.removeAll { request in
      guard request.changes.isEmpty else { return false }
      request.answer(.success(()))
      return true
    }
    let isFirst = state.withLock { state in
      state.syncing.removeAll(keepingCapacity: true)
      guard !requests.isEmpty else { return false }
      for request in requests { state.note(request) }
      defer { state.hasRested = true }
      if state.toWrite.isEmpty {
        swap(&state.toWrite, &requests)
      } else {
        state.toWrite += requests
      }
      return !state.hasRested
    }
    if isFirst { writerSignal.ring() }
  }

  /// Waits for more requests before the next group when groups follow each other closely. A change of the
  /// state that `isHurried` reads must ring `signal`.
  private func rest(
    _ pace: GroupPace, _ signal: ThreadSignal, unless isHurried: (State) -> Bool
  ) {
    var rest = pace.rest(at: time.uptime())
    while rest > .zero, !state.withLock({ isHurried($0) }), signal.wait(atMost: rest) {
      rest = pace.rest(at: time.uptime())
    }
  }

  // MARK: The journal writer's thread

  private func write(_ journal: Journal) {
    var writer = Writer(journal: journal)
    var isLast = false
    while !isLast {
      writerSignal.wait()
      // Requests from the syncer have rested there.
      rest(writer.pace, writerSignal) { $0.hasRested || $0.isClosing }
      let failure = state.withLock { state in
        swap(&state.toWrite, &writer.requests)
        state.hasRested = false
        isLast = state.isSyncerDone
        return state.failure
      }
      if let failure {
        refuse(writer.requests, failure)
      } else if !writer.requests.isEmpty {
        writer.pace.begin(writer.requests.count, at: time.uptime())
        writeGroup(&writer)
      }
      state.withLock { state in
        for request in writer.requests { if let list = request.end { state.ending.remove(list) } }
      }
      writer.requests.removeAll(keepingCapacity: true)
    }
    writer.journal.close()
    let closers = state.withLock { state in
      state.isWriterDone = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.give() }
  }

  /// Records all queued requests with one write and one sync.
  private func writeGroup(_ writer: inout Writer) {
    // Only this thread applies transitions, so the judgement holds until they are applied.
    book.withLock { judge(&writer, $0) }
    do throws(Journal.Trouble) {
      let begin = time.uptime()
      try writer.journal.append(writer.legal) { book.withLock { $0 } }
      if let loss = writer.journal.takeLoss() { lost(loss) }
      book.withLock { ledger in
        for transition in writer.legal { ledger.apply(transition) }
        ledger.refuse(writer.refused)
      }
      let first = writer.journal.sequence - UInt64(writer.legal.count) + 1
      tail.add(writer.legal, from: first)
      let span = time.uptime() - begin
      state.withLock { $0.counts.add(writer.legal, in: span) }
      for (request, isWhole) in zip(writer.requests, writer.isWhole) {
        request.answer(isWhole ? .success(()) : .failure(.overtaken))
      }
    } catch {
      switch error {
      case .waits(let failure): refuse(writer.requests, failure)
      case .over(let failure):
        state.withLock { $0.failure = failure }
        refuse(writer.requests, failure)
        died(failure)
      }
    }
  }

  private func refuse(_ requests: [Request], _ failure: Failure) {
    for request in requests { request.answer(.failure(failure)) }
  }

  private func judge(_ writer: inout Writer, _ ledger: Ledger) {
    writer.legal.removeAll(keepingCapacity: true)
    writer.isWhole.removeAll(keepingCapacity: true)
    writer.refused = 0
    for request in writer.requests {
      var refused = 0
      for change in request.changes {
        if writer.judge.isLegal(change, ledger) {
          writer.legal.append(Transition(time: request.time, change, by: request.user))
        } else {
          refused += 1
        }
      }
      writer.isWhole.append(refused == 0)
      writer.refused += refused
    }
    writer.judge.forget()
  }
}
