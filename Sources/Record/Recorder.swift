// SPDX-License-Identifier: Apache-2.0
// Where a transition becomes durable. The caller waits until its effects and then its records are on
// the disk; many callers share one sync. Raises a `Failure` of kind `machine` when this machine cannot
// take it: nothing of the call is in the ledger then, and the caller keeps it until there is room.
//
// Concurrency model: two threads of its own. The syncer makes effects durable and passes requests on;
// the journal writer alone holds the `Journal`, appends, syncs, and changes the ledger. `state` guards
// the two queues, `ledger` the ledger; neither lock is held while the other is taken, nor while the
// disk works, nor while anybody is called. Both threads sleep until they are rung and, where many
// callers come, a moment longer (`GroupPace`): no request waits for that in both queues.

internal import Linux
import Synchronization
package import Vocabulary

package final class Recorder: Sendable {
  package typealias Answer = @Sendable (Result<Bool, Failure>) -> Void

  private struct Request: Sendable {
    let time: UInt64
    let changes: [Change]
    let effects: [Effect]
    let answer: Answer
  }

  private struct State {
    var toSync: [Request] = []
    var toWrite: [Request] = []
    /// Some of `toWrite` has been with the syncer, and has rested there if it had to.
    var hasRested = false
    /// Set once; from then on every request is answered with it.
    var failure: Failure?
    var isClosing = false
    var isSyncerDone = false
    var isWriterDone = false
    var closers: [CheckedContinuation<Void, Never>] = []
    var counts = RecorderCounts()
  }

  /// What the writer's thread holds; the arrays are of one group, and their room is used again.
  private struct Writer {
    var journal: Journal
    var pace = GroupPace()
    var judge = GroupJudge()
    var requests: [Request] = []
    /// What may be written, in order.
    var legal: [Transition] = []
    /// For each request, whether all of its changes may.
    var isWhole: [Bool] = []
    var refused = 0
  }

  private let time: any Timekeeper
  private let state = Mutex(State())
  private let book: Mutex<Ledger>
  private let syncerSignal = ThreadSignal()
  private let writerSignal = ThreadSignal()
  private let durable: @Sendable ([Transition]) -> Void
  private let died: @Sendable (Failure) -> Void
  /// What came of photos; for reading.
  package let results: ResultRows

  private init(
    time: any Timekeeper, ledger: Ledger, results: ResultRows,
    durable: @escaping @Sendable ([Transition]) -> Void,
    died: @escaping @Sendable (Failure) -> Void
  ) {
    self.time = time
    book = Mutex(ledger)
    self.results = results
    self.durable = durable
    self.died = died
  }

  /// Recovers, begins a fresh segment and starts both threads. The caller holds STATE/lock.
  /// `durable` is called on the writer's thread, in order, with what has been recorded and was within
  /// the rules; `died` at most once, when nothing can be recorded any more.
  package static func open(
    _ state: any Folder, time: any Timekeeper, settings: JournalSettings,
    durable: @escaping @Sendable ([Transition]) -> Void,
    died: @escaping @Sendable (Failure) -> Void
  ) throws(Failure) -> (Recorder, Recovery) {
    let start = try RecorderStart.run(state, settings)
    let results = ResultRows(lists: start.lists)
    let recorder = Recorder(
      time: time, ledger: start.recovery.ledger, results: results, durable: durable, died: died)
    let effects = DurableEffects(state, rows: results, isSynced: settings.isSynced)
    let journal = start.journal
    OwnThread.start("syncer") { recorder.sync(effects) }
    OwnThread.start("journal") { recorder.write(journal) }
    return (recorder, start.recovery)
  }

  // MARK: Asking

  /// Returns when all effects and then all changes are durable; the changes stand together, in their
  /// order. A cancelled task waits like any other: what was handed over is finished.
  ///
  /// True when every change was within the rules and is recorded. A change that is not, given what is
  /// recorded and queued before it, is neither written nor reported; the others of the call are. Its
  /// effects have happened all the same: a print may have appeared, a row may have been written.
  @discardableResult
  package func record(
    _ changes: [Change], after effects: [Effect] = []
  ) async throws(Failure) -> Bool {
    let result = await withCheckedContinuation { continuation in
      record(changes, after: effects) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// The same for callers without a task. Answers on one of the recorder's threads, or at once: do
  /// little there.
  package func record(
    _ changes: [Change], after effects: [Effect] = [], answer: @escaping Answer
  ) {
    let request = Request(
      time: time.wallTime(), changes: changes, effects: effects, answer: answer)
    let next = state.withLock { state -> (ring: ThreadSignal?, failure: Failure?) in
      if let failure = state.failure { return (nil, failure) }
      if state.isClosing { return (nil, .cancelled) }
      if effects.isEmpty {
        state.toWrite.append(request)
        return (state.toWrite.count == 1 ? writerSignal : nil, nil)
      }
      state.toSync.append(request)
      return (state.toSync.count == 1 ? syncerSignal : nil, nil)
    }
    next.ring?.ring()
    if let failure = next.failure { answer(.failure(failure)) }
  }

  /// Reads the ledger under its lock: be short, and take numbers out rather than whole lists.
  package func ledger<R: Sendable>(_ body: (Ledger) -> R) -> R {
    book.withLock { body($0) }
  }

  /// A number for a list that is about to be accepted or rejected; never given twice.
  package func newList() -> ListID {
    book.withLock { ledger in
      let list = ledger.nextList
      ledger.reserve(upTo: list)
      return list
    }
  }

  /// The list is final and so are its files: it may be forgotten once it is old. Not recorded: whoever
  /// knows it tells it again after a restart.
  package func archived(_ list: ListID) { book.withLock { $0.archived(list) } }

  /// The list is final and its files are gone. Not recorded: a snapshot without it is written in time,
  /// and whoever knows it tells it again after a restart.
  package func forget(_ list: ListID) { book.withLock { $0.forget(list) } }

  package var counts: RecorderCounts { state.withLock { $0.counts } }

  /// Finishes what was handed over, then ends both threads; nothing is taken any more.
  package func close() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isDone = state.withLock { state in
        state.isClosing = true
        if !state.isWriterDone { state.closers.append(continuation) }
        return state.isWriterDone
      }
      if isDone { continuation.resume() }
      syncerSignal.ring()
      writerSignal.ring()
    }
  }

  // MARK: The syncer's thread

  private func sync(_ effects: DurableEffects) {
    var effects = effects
    var requests: [Request] = []
    var pace = GroupPace()
    var isLast = false
    while !isLast {
      syncerSignal.wait()
      rest(pace, syncerSignal) { $0.isClosing }
      // Nothing comes after what is there when it closes, nor another ring.
      isLast = state.withLock { state in
        swap(&state.toSync, &requests)
        return state.isClosing
      }
      if requests.isEmpty { continue }
      pace.begin(requests.count, at: time.uptime())
      let failures = effects.perform(requests.lazy.map(\.effects))
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

  private func passOn(_ requests: inout [Request]) {
    guard !requests.isEmpty else { return }
    let isFirst = state.withLock { state in
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

  /// Lets more come before the next group begins, where groups follow each other closely. Whoever
  /// changes what `isHurried` looks at rings.
  private func rest(
    _ pace: GroupPace, _ signal: ThreadSignal, unless isHurried: (State) -> Bool
  ) {
    while true {
      let rest = pace.rest(at: time.uptime())
      guard rest > .zero, !state.withLock({ isHurried($0) }), signal.wait(atMost: rest) else {
        return
      }
    }
  }

  // MARK: The journal writer's thread

  private func write(_ journal: Journal) {
    var writer = Writer(journal: journal)
    var isLast = false
    while !isLast {
      writerSignal.wait()
      // What the syncer has passed on has had its rest.
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
      writer.requests.removeAll(keepingCapacity: true)
    }
    writer.journal.close()
    let closers = state.withLock { state in
      state.isWriterDone = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  /// Whatever came together goes with one write and one sync.
  private func writeGroup(_ writer: inout Writer) {
    // Only this thread changes lists: what is judged now holds until it is applied.
    book.withLock { judge(&writer, $0) }
    do throws(Journal.Trouble) {
      try writer.journal.append(writer.legal) { book.withLock { $0 } }
      book.withLock { ledger in
        for transition in writer.legal { ledger.apply(transition) }
        ledger.refuse(writer.refused)
      }
      state.withLock { $0.counts.add(records: writer.legal.count) }
      for (request, isWhole) in zip(writer.requests, writer.isWhole) {
        request.answer(.success(isWhole))
      }
      if !writer.legal.isEmpty { durable(writer.legal) }
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
          writer.legal.append(Transition(time: request.time, change))
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

/// How much has been recorded, and how often the disk was waited for.
package struct RecorderCounts: Equatable, Sendable {
  package private(set) var records: UInt64 = 0
  package private(set) var groups: UInt64 = 0

  mutating func add(records: Int) {
    guard records > 0 else { return }
    self.records += UInt64(records)
    groups += 1
  }
}
