// SPDX-License-Identifier: Apache-2.0
// Where a transition becomes durable. The caller waits until its effects and then its records are on
// the disk; many callers share one sync. Raises a `Failure` of kind `machine` when this machine cannot
// take it: nothing of the call is in the ledger then, and the caller keeps it until there is room.
//
// Concurrency model: two threads of its own. The syncer makes effects durable and passes requests on;
// the journal writer alone holds the `Journal`, appends, syncs, and changes the ledger. `state` guards
// the two queues, `ledger` the ledger; neither lock is held while the other is taken, nor while the
// disk works, nor while anybody is called. Both threads sleep until they are rung.

internal import Linux
import Synchronization
package import Vocabulary

package final class Recorder: Sendable {
  package typealias Answer = @Sendable (Result<Bool, Failure>) -> Void

  private struct Request: Sendable {
    let transitions: [Transition]
    let effects: [Effect]
    let answer: Answer
  }

  private struct State {
    var toSync: [Request] = []
    var toWrite: [Request] = []
    /// Set once; from then on every request is answered with it.
    var failure: Failure?
    var isClosing = false
    var isSyncerDone = false
    var isWriterDone = false
    var closers: [CheckedContinuation<Void, Never>] = []
    var counts = RecorderCounts()
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
    let now = time.wallTime()
    let request = Request(
      transitions: changes.map { Transition(time: now, $0) }, effects: effects, answer: answer)
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
    }
  }

  // MARK: The syncer's thread

  private func sync(_ effects: DurableEffects) {
    var effects = effects
    while true {
      syncerSignal.wait()
      let (requests, isOver) = state.withLock { state in
        defer { state.toSync = [] }
        return (state.toSync, state.isClosing && state.toSync.isEmpty)
      }
      if isOver { break }
      let failures = effects.perform(requests.map(\.effects))
      passOn(zip(requests, failures).compactMap { $1 == nil ? $0 : nil })
      for (request, failure) in zip(requests, failures) {
        if let failure { request.answer(.failure(failure)) }
      }
    }
    state.withLock { $0.isSyncerDone = true }
    writerSignal.ring()
  }

  private func passOn(_ requests: [Request]) {
    guard !requests.isEmpty else { return }
    let wasEmpty = state.withLock { state in
      defer { state.toWrite += requests }
      return state.toWrite.isEmpty
    }
    if wasEmpty { writerSignal.ring() }
  }

  // MARK: The journal writer's thread

  private func write(_ journal: Journal) {
    var journal = journal
    while true {
      writerSignal.wait()
      let (requests, failure, isOver) = state.withLock { state in
        defer { state.toWrite = [] }
        return (state.toWrite, state.failure, state.isSyncerDone && state.toWrite.isEmpty)
      }
      if isOver { break }
      if let failure {
        for request in requests { request.answer(.failure(failure)) }
      } else if !requests.isEmpty {
        write(requests, &journal)
      }
    }
    journal.close()
    let closers = state.withLock { state in
      state.isWriterDone = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  /// Whatever queued while the last sync ran goes with one write and one sync.
  private func write(_ requests: [Request], _ journal: inout Journal) {
    let transitions = requests.flatMap(\.transitions)
    // Only this thread changes lists: what is judged now holds until it is applied.
    let verdicts = book.withLock { $0.judge(transitions) }
    let legal = zip(transitions, verdicts).compactMap { $1 ? $0 : nil }
    do throws(Journal.Trouble) {
      try journal.append(legal) { book.withLock { $0 } }
      book.withLock { ledger in
        for transition in legal { ledger.apply(transition) }
        ledger.refuse(transitions.count - legal.count)
      }
      state.withLock { $0.counts.add(records: legal.count) }
      var verdict = verdicts[...]
      for request in requests {
        request.answer(.success(verdict.prefix(request.transitions.count).allSatisfy(\.self)))
        verdict.removeFirst(request.transitions.count)
      }
      if !legal.isEmpty { durable(legal) }
    } catch {
      switch error {
      case .waits(let failure): for request in requests { request.answer(.failure(failure)) }
      case .over(let failure):
        state.withLock { $0.failure = failure }
        for request in requests { request.answer(.failure(failure)) }
        died(failure)
      }
    }
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
