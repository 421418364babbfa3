// SPDX-License-Identifier: Apache-2.0
// The rest of the daemon, scripted: a list is good when it ends in "end", and remembers what was
// recorded, as a disk would.

import Accept
import Synchronization
import Vocabulary

final class ScriptedReception: Reception {
  struct State {
    var last: UInt64 = 0
    var recorded: [ListID: AboutFile] = [:]
    var accepts = 0
    var reads = 0
    /// Whether each was the last.
    var deaths: [Bool] = []
    var rejected: [(list: ListID, name: FileName, code: String)] = []
    var ignored: [String: IgnoredReason] = [:]
    var troubles: [String?] = []
    var setAside: [ListID] = []
    var skipped: [ListID] = []
    /// Whether lists stay at work for ever; else they are over at once.
    var knowsTwins = false
    var repeated: [ListID] = []
    var fullness: Failure?
    var surveys: [String] = []
    var overflows: [Int] = []
    /// As `NAME: code` and `NAME: over`.
    var waits: [String] = []
    /// What the next read ends with, once.
    var readFailure: Failure?
    /// Runs once after the list is read, and once before it is recorded.
    var onPrepare: (@Sendable () -> Void)?
    var onAccept: (@Sendable () -> Void)?
  }

  let state = Mutex(State())
  let cut: Cut
  /// Names as they are accepted or rejected.
  let events: AsyncStream<String>
  private let feed: AsyncStream<String>.Continuation

  init(_ cut: Cut = Cut()) {
    self.cut = cut
    (events, feed) = AsyncStream.makeStream()
  }

  var recorded: [ListID: AboutFile] { state.withLock { $0.recorded } }
  var names: [String] { recorded.values.map { "\($0.name)" }.sorted() }
  var rejectedCodes: [String] { state.withLock { $0.rejected.map(\.code) } }

  var waits: [String] { state.withLock { $0.waits } }

  func nextNumber() -> ListID {
    state.withLock { state in
      state.last += 1
      return ListID(state.last)
    }
  }

  func isRecorded(_ list: ListID) -> Bool { state.withLock { $0.recorded[list] != nil } }

  func twin(of name: FileName, owner: UInt32, sha256: String) -> ListID? {
    guard state.withLock({ $0.knowsTwins }) else { return nil }
    return recorded.first { $0.value.name == name && $0.value.sha256 == sha256 }?.key
  }

  func repeated(_ name: FileName, of list: ListID) {
    state.withLock { $0.repeated.append(list) }
    feed.yield("repeated \(name)")
  }

  func readList(_ list: any OpenFile, catalog: any OpenFile) async throws(Failure) {
    let failure = state.withLock { state in
      defer { state.readFailure = nil }
      return state.readFailure
    }
    if let failure {
      state.withLock { $0.reads += 1 }
      throw failure
    }
    do throws(SystemError) {
      try cut.step("read list")
      let bytes = try list.read(at: 0, upTo: 1 << 20)
      state.withLock { $0.reads += 1 }
      if bytes.elementsEqual("killer".utf8) { throw SystemError(code: -1, call: "", thing: "") }
      guard bytes.reversed().starts(with: "end".utf8.reversed()) else {
        throw SystemError(code: 0, call: "parse", thing: "list")
      }
      try catalog.write(Array("catalog of ".utf8) + bytes, at: 0)
    } catch {
      if error.code == -1 {
        throw Failure(.passing, code: "worker.died", reason: "the worker ended with signal 11")
      }
      if error.code != 0 { throw machine(error) }
      throw Failure(.final, code: "list.syntax", reason: "line 1: no end", advice: "Add it")
    }
  }

  func prepare(_ draft: ListDraft) async throws(Failure) -> ListTerms {
    let act = state.withLock { state in
      defer { state.onPrepare = nil }
      return state.onPrepare
    }
    act?()
    return ListTerms(photos: 3, serviceClass: .utility, settings: "Filter=sepia(0.8)\n")
  }

  func accept(
    _ list: ListID, _ acceptance: Acceptance, _ about: AboutFile
  ) async throws(Failure) {
    let act = state.withLock { state in
      defer { state.onAccept = nil }
      return state.onAccept
    }
    act?()
    do throws(SystemError) {
      try cut.step("record accepted")
      state.withLock { state in
        state.accepts += 1
        state.recorded[list] = about
      }
      try cut.step("answer accepted")
    } catch { throw machine(error) }
    feed.yield("accepted \(about.name)")
  }

  func reject(_ list: ListID, name: FileName, _ failure: Failure) async throws(Failure) {
    do throws(SystemError) {
      try cut.step("record rejected")
      state.withLock { $0.rejected.append((list, name, failure.code)) }
      try cut.step("answer rejected")
    } catch { throw machine(error) }
    feed.yield("rejected \(name)")
  }

  func workerDied(_ list: ListID, name: FileName, _ failure: Failure, isLast: Bool) {
    state.withLock { $0.deaths.append(isLast) }
  }

  func ignored(_ name: FileName, _ reason: IgnoredReason) {
    state.withLock { $0.ignored["\(name)"] = reason }
    feed.yield("ignored \(name)")
  }

  func waits(_ name: FileName, _ failure: Failure?) {
    state.withLock { $0.waits.append("\(name): \(failure?.code ?? "over")") }
  }

  func skipped(_ list: ListID, _ failure: Failure) {
    state.withLock { $0.skipped.append(list) }
  }

  func fullness() -> Failure? { state.withLock { $0.fullness } }

  func inboxSurveyed(_ nature: InboxNature, _ words: String) {
    state.withLock { $0.surveys.append(words) }
  }

  func inboxOverflowed(_ names: Int) { state.withLock { $0.overflows.append(names) } }

  func inboxTroubled(_ failure: Failure?) {
    state.withLock { $0.troubles.append(failure?.code) }
    feed.yield("trouble \(failure?.code ?? "over")")
  }

  func setAside(_ list: ListID, _ failure: Failure) {
    state.withLock { $0.setAside.append(list) }
  }

  /// Waits until every one of these has happened.
  func wait(for wanted: Set<String>) async {
    var wanted = wanted
    for await event in events {
      wanted.remove(event)
      if wanted.isEmpty { return }
    }
  }

  private func machine(_ error: SystemError) -> Failure {
    Failure(.machine, code: "system.\(error.code)", reason: error.description)
  }
}
