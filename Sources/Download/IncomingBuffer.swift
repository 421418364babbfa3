// SPDX-License-Identifier: Apache-2.0
// The bytes of one transfer between the network's thread, which adds them, and a writer on the disk pool,
// which takes them in portions. At most two portions are in memory: the writer has one while the other
// fills. When both are full, the network pauses. A small body stays in memory and needs no writer. A value:
// its owner performs the steps after unlocking.

import Vocabulary

struct IncomingBuffer {
  typealias Ending = Result<TransferReply, Failure>

  /// The entity of the bytes that follow, and their offset.
  struct Announcement: Equatable {
    let entity: EntityFacts
    let offset: UInt64
  }

  /// The writer's next work, in the order of the fields.
  struct Portion: Equatable {
    var announcement: Announcement?
    var bytes: [UInt8] = []
    /// Set in the last portion.
    var ending: Ending?
  }

  /// The acts that follow from an event.
  struct Step: Equatable {
    var startsWriter = false
    /// For the waiting writer.
    var portion: Portion?
    /// The paused network may continue.
    var resumes = false
  }

  enum End: Equatable {
    case step(Step)
    /// All bytes of the transfer. No writer was started, and nothing is on disk.
    case inMemory([UInt8], Ending)
  }

  private enum Writer: Equatable {
    /// → starting
    case none
    /// Will take these bytes first. → busy, waiting, refused
    case starting([UInt8])
    /// → waiting, failed
    case busy
    /// → busy
    case waiting
    /// A write failed: the writer only waits for the ending.
    case failed(Failure, isWaiting: Bool)
    /// No writer can be started.
    case refused(Failure)
  }

  private enum Transfer: Equatable {
    /// → paused, over
    case running
    /// → running, over
    case paused
    case over(Ending)
  }

  /// A whole body of at most this many bytes stays in memory.
  static let memorySize = 32768

  private let portionSize: Int
  /// The partial file already has bytes on disk.
  private let isReopened: Bool
  private var announcement: Announcement?
  private var filling: [UInt8] = []
  /// Empty memory returned by the writer, for reuse.
  private var spare: [UInt8] = []
  private var writer = Writer.none
  /// No bytes have come for a moment: the writer takes what there is.
  private var isResting = false
  private var transfer = Transfer.running

  init(portionSize: Int, isReopened: Bool) {
    (self.portionSize, self.isReopened) = (portionSize, isReopened)
  }

  // MARK: the network's events

  mutating func begin(_ new: Announcement) {
    announcement = new
    guard new.offset == 0 else { return }
    filling = []
    if case .starting = writer { writer = .starting([]) }
  }

  /// Returns nil when there is no room: the transfer is then paused until a step resumes it.
  mutating func take(_ bytes: [UInt8]) throws(Failure) -> Step? {
    isResting = false
    switch writer {
    case .failed(let failure, _), .refused(let failure): throw failure
    case _ where filling.count + bytes.count <= portionSize:
      add(bytes)
      return Step()
    case .none:
      writer = .starting(filling)
      filling = bytes
      filling.reserveCapacity(portionSize)
      return Step(startsWriter: true)
    case .waiting:
      let portion = portion()
      add(bytes)
      return Step(portion: portion)
    case .starting, .busy:
      transfer = .paused
      return nil
    }
  }

  /// A body that still fits into memory stays there.
  mutating func rest() -> Step {
    guard !filling.isEmpty, transfer == .running else { return Step() }
    isResting = true
    switch writer {
    case .none where filling.count > Self.memorySize:
      writer = .starting([])
      return Step(startsWriter: true)
    case .waiting: return Step(portion: portion())
    case .none, .starting, .busy, .failed, .refused: return Step()
    }
  }

  mutating func end(_ ending: Ending) -> End {
    let ending = judged(ending)
    transfer = .over(ending)
    if case .failure(let failure) = ending, failure.kind == .final { drop() }
    switch writer {
    case .none:
      guard needsWriter(ending) else { return .inMemory(filling, ending) }
      writer = .starting([])
      return .step(Step(startsWriter: true))
    case .refused: return .inMemory([], ending)
    case .waiting, .failed(_, isWaiting: true): return .step(Step(portion: portion()))
    case .starting, .busy, .failed(_, isWaiting: false): return .step(Step())
    }
  }

  // MARK: the writer's events

  /// The writer has finished its portion and returns its memory. A step without a portion makes it wait.
  mutating func next(_ memory: inout [UInt8]) -> Step {
    // Many transfers can rest at once: a resting one holds no memory.
    memory.removeAll(keepingCapacity: !isResting)
    swap(&spare, &memory)
    if case .starting(let first) = writer, !first.isEmpty {
      let rest = filling
      filling = first
      let portion = portion(isLast: rest.isEmpty)
      filling = rest
      return Step(portion: portion)
    }
    switch transfer {
    case .over: return Step(portion: portion())
    case .paused:
      transfer = .running
      return Step(portion: portion(), resumes: true)
    case .running where filling.count >= portionSize || (isResting && !filling.isEmpty):
      return Step(portion: portion())
    case .running:
      wait()
      return Step()
    }
  }

  /// The writer could not write: the transfer ends with this failure.
  mutating func fail(_ failure: Failure) -> Step {
    writer = .failed(failure, isWaiting: false)
    return giveUp()
  }

  /// No writer can be started: the transfer ends with this failure.
  mutating func refuse(_ failure: Failure) -> End {
    writer = .refused(failure)
    let step = giveUp()
    if case .over(let ending) = transfer { return .inMemory([], ending) }
    return .step(step)
  }

  // MARK: inside

  /// Most bodies arrive in one piece, which is stored without a copy.
  private mutating func add(_ bytes: [UInt8]) {
    if filling.capacity == 0 {
      filling = bytes
      return
    }
    if filling.count + bytes.count > Self.memorySize { filling.reserveCapacity(portionSize) }
    filling += bytes
  }

  /// Takes everything that is buffered.
  private mutating func portion(isLast: Bool = true) -> Portion {
    var portion = Portion(announcement: announcement, bytes: filling)
    if isLast, case .over(let ending) = transfer { portion.ending = ending }
    (announcement, filling) = (nil, [])
    swap(&filling, &spare)
    if case .failed(let failure, _) = writer {
      writer = .failed(failure, isWaiting: false)
    } else {
      writer = .busy
    }
    return portion
  }

  private mutating func wait() {
    if case .failed(let failure, _) = writer {
      writer = .failed(failure, isWaiting: true)
    } else {
      writer = .waiting
    }
  }

  private mutating func drop() {
    filling = []
    if case .starting = writer { writer = .starting([]) }
  }

  private mutating func giveUp() -> Step {
    drop()
    switch transfer {
    case .over(let ending): transfer = .over(judged(ending))
    case .paused:
      transfer = .running
      return Step(resumes: true)
    case .running: break
    }
    return Step()
  }

  /// A failure of the writer takes precedence over the network's result, except over a cancellation.
  private func judged(_ ending: Ending) -> Ending {
    switch writer {
    case .failed(let failure, _), .refused(let failure):
      if case .failure(let known) = ending, known.kind == .cancelled { return ending }
      return .failure(failure)
    case .none, .starting, .busy, .waiting: return ending
    }
  }

  /// After a failure, bytes that another attempt can resume are kept on disk.
  private func needsWriter(_ ending: Ending) -> Bool {
    if isReopened { return true }
    switch ending {
    case .success: return filling.count > Self.memorySize
    case .failure:
      return !filling.isEmpty && announcement?.offset == 0
        && announcement?.entity.strongValidator != nil
    }
  }
}
