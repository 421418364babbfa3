// SPDX-License-Identifier: Apache-2.0
// The buffer between the network and the disk, as a value: order, pauses, ends and failures.

import Support
import Testing
import Vocabulary

@testable import Download

struct IncomingBufferTests {
  typealias Buffer = IncomingBuffer

  let entity = EntityFacts(etag: "\"v1\"", place: "p")
  let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
  let gone = Failure(.final, code: "http.404", reason: "it is not there")
  let full = Failure(.machine, code: "disk.full", reason: "no room")

  private func buffer(reopened: Bool = false, at offset: UInt64 = 0) -> Buffer {
    var buffer = Buffer(portionSize: 65536, isReopened: reopened)
    buffer.begin(announced(offset))
    return buffer
  }

  private func announced(_ offset: UInt64 = 0) -> Buffer.Announcement {
    Buffer.Announcement(entity: entity, offset: offset)
  }

  private func bytes(_ count: Int, _ value: UInt8 = 1) -> [UInt8] {
    [UInt8](repeating: value, count: count)
  }

  private func reply(_ size: UInt64) -> Buffer.Ending {
    .success(TransferReply(status: 200, size: size))
  }

  private func next(_ buffer: inout Buffer) -> Buffer.Step {
    var memory: [UInt8] = []
    return buffer.next(&memory)
  }

  /// Takes pieces of libcurl's size; returns whether the last one was taken.
  private func fill(_ buffer: inout Buffer, _ pieces: Int, _ value: UInt8 = 1) throws -> Bool {
    for _ in 1..<pieces { #expect(try buffer.take(bytes(16384, value)) == Buffer.Step()) }
    return try buffer.take(bytes(16384, value)) != nil
  }

  @Test(arguments: [0, 1, 16384, 32768])
  func `a short body stays in memory to its end`(count: Int) throws {
    var buffer = buffer()
    for _ in 0..<2 where count > 0 {
      #expect(try buffer.take(bytes(count / 2 + count % 2)) == Buffer.Step())
    }
    let size = (count / 2 + count % 2) * 2
    guard case .inMemory(let left, let ending) = buffer.end(reply(UInt64(size))) else {
      Issue.record("it needs no writer")
      return
    }
    #expect(left == bytes(size) && ending == reply(UInt64(size)))
  }

  @Test func `a longer body that fits one portion is written at its end`() throws {
    var buffer = buffer()
    #expect(try buffer.take(bytes(32769)) == Buffer.Step())
    #expect(buffer.end(reply(32769)) == .step(Buffer.Step(startsWriter: true)))
    let portion = Buffer.Portion(
      announcement: announced(), bytes: bytes(32769), ending: reply(32769))
    #expect(next(&buffer) == Buffer.Step(portion: portion))
  }

  @Test func `a full portion starts the writer, and two full ones pause the network`() throws {
    var buffer = buffer()
    #expect(try fill(&buffer, 4, 1))
    #expect(try buffer.take(bytes(16384, 2)) == Buffer.Step(startsWriter: true))
    #expect(try fill(&buffer, 3, 2))
    #expect(try buffer.take(bytes(1, 3)) == nil)
    let first = Buffer.Portion(announcement: announced(), bytes: bytes(65536, 1))
    #expect(next(&buffer) == Buffer.Step(portion: first))
    // The first is written: the second goes to the disk, and the network resumes.
    let second = Buffer.Portion(bytes: bytes(65536, 2))
    #expect(next(&buffer) == Buffer.Step(portion: second, resumes: true))
    #expect(try buffer.take(bytes(1, 3)) == Buffer.Step())
    #expect(next(&buffer) == Buffer.Step())
    let last = Buffer.Portion(bytes: bytes(1, 3), ending: reply(131_073))
    #expect(buffer.end(reply(131_073)) == .step(Buffer.Step(portion: last)))
  }

  @Test func `a writer that waits is woken by the next full portion`() throws {
    var buffer = buffer()
    #expect(try fill(&buffer, 5, 1))
    _ = next(&buffer)
    #expect(next(&buffer) == Buffer.Step())
    #expect(try fill(&buffer, 3, 1))
    let portion = Buffer.Portion(bytes: bytes(65536))
    #expect(try buffer.take(bytes(16384, 2)) == Buffer.Step(portion: portion))
  }

  @Test func `while the network rests, waiting bytes go to the disk and memory is given back`()
    throws
  {
    var buffer = buffer()
    #expect(try buffer.take(bytes(32768)) == Buffer.Step())
    // A small body stays in memory.
    #expect(buffer.rest() == Buffer.Step())
    #expect(try buffer.take(bytes(1)) == Buffer.Step())
    #expect(buffer.rest() == Buffer.Step(startsWriter: true))
    let first = Buffer.Portion(announcement: announced(), bytes: bytes(32769))
    #expect(next(&buffer) == Buffer.Step(portion: first))
    #expect(next(&buffer) == Buffer.Step())
    #expect(try buffer.take(bytes(5, 2)) == Buffer.Step())
    #expect(buffer.rest() == Buffer.Step(portion: Buffer.Portion(bytes: bytes(5, 2))))
    // Bytes that came while the writer was busy follow when it is not.
    #expect(try buffer.take(bytes(6, 3)) == Buffer.Step())
    #expect(buffer.rest() == Buffer.Step())
    #expect(next(&buffer) == Buffer.Step(portion: Buffer.Portion(bytes: bytes(6, 3))))
    var memory = bytes(65536)
    memory.reserveCapacity(65536)
    #expect(buffer.next(&memory) == Buffer.Step())
    #expect(memory.capacity == 0)
  }

  @Test func `an answer that replaces another drops the bytes that are not on the disk yet`()
    throws
  {
    var buffer = buffer()
    #expect(try fill(&buffer, 5, 1))
    buffer.begin(announced())
    _ = try buffer.take([7])
    #expect(buffer.end(reply(1)) == .step(Buffer.Step()))
    let portion = Buffer.Portion(announcement: announced(), bytes: [7], ending: reply(1))
    #expect(next(&buffer) == Buffer.Step(portion: portion))
  }

  @Test func `the rest of a partial file is appended to it, however short it is`() throws {
    var buffer = buffer(reopened: true, at: 500)
    _ = try buffer.take([1, 2])
    #expect(buffer.end(reply(502)) == .step(Buffer.Step(startsWriter: true)))
    let portion = Buffer.Portion(announcement: announced(500), bytes: [1, 2], ending: reply(502))
    #expect(next(&buffer) == Buffer.Step(portion: portion))
  }

  @Test(arguments: [Failure.Kind.passing, .machine, .cancelled, .final], [true, false])
  func `a failure keeps bytes that can be resumed, and no others`(
    kind: Failure.Kind, isTagged: Bool
  ) throws {
    let failure = Failure(kind, code: "some.code", reason: "it went wrong")
    var buffer = Buffer(portionSize: 65536, isReopened: false)
    buffer.begin(.init(entity: isTagged ? entity : EntityFacts(), offset: 0))
    _ = try buffer.take([1, 2])
    let end = buffer.end(.failure(failure))
    if isTagged, kind != .final {
      #expect(end == .step(Buffer.Step(startsWriter: true)))
      let portion = Buffer.Portion(
        announcement: announced(), bytes: [1, 2], ending: .failure(failure))
      #expect(next(&buffer).portion == portion)
    } else if case .inMemory(_, let ending) = end {
      #expect(ending == .failure(failure))
    } else {
      Issue.record("the disk has nothing to do")
    }
  }

  @Test func `a failed write resumes a paused network, which then ends with it`() throws {
    var buffer = buffer()
    #expect(try fill(&buffer, 5))
    #expect(try fill(&buffer, 3))
    _ = next(&buffer)
    #expect(try buffer.take([9]) == nil)
    #expect(buffer.fail(full) == Buffer.Step(resumes: true))
    #expect(next(&buffer) == Buffer.Step())
    #expect(throws: full) { try buffer.take([9]) }
    let last = Buffer.Portion(ending: .failure(full))
    #expect(buffer.end(.failure(full)) == .step(Buffer.Step(portion: last)))
  }

  @Test(arguments: [true, false])
  func `a failed write overrules every ending but a cancellation`(isOver: Bool) throws {
    for ending in [reply(81920), .failure(broken), .failure(gone), .failure(.cancelled)] {
      var buffer = buffer()
      #expect(try fill(&buffer, 5))
      _ = next(&buffer)
      if isOver { #expect(buffer.end(ending) == .step(Buffer.Step())) }
      #expect(buffer.fail(full) == Buffer.Step())
      if !isOver { #expect(buffer.end(ending) == .step(Buffer.Step())) }
      let expected = ending == .failure(.cancelled) ? ending : .failure(full)
      #expect(next(&buffer) == Buffer.Step(portion: Buffer.Portion(ending: expected)))
    }
  }

  @Test(arguments: [true, false])
  func `without a writer the transfer ends at once`(isOver: Bool) throws {
    var buffer = buffer()
    #expect(try fill(&buffer, 3))
    let end = Buffer.End.inMemory([], .failure(.cancelled))
    if isOver {
      #expect(buffer.end(reply(49152)) == .step(Buffer.Step(startsWriter: true)))
      #expect(buffer.refuse(.cancelled) == end)
    } else {
      #expect(try fill(&buffer, 2))
      #expect(buffer.refuse(.cancelled) == .step(Buffer.Step()))
      #expect(throws: Failure.cancelled) { try buffer.take([9]) }
      #expect(buffer.end(.failure(.cancelled)) == end)
    }
  }

  /// A network and a writer that act in any order.
  @Test(arguments: 0..<500 as Range<UInt64>)
  func `all bytes come in order, with one ending, however the two sides interleave`(seed: UInt64)
    throws
  {
    var world = BufferWorld(seed: seed)
    while try world.act() {}
    world.judge()
  }
}

/// Drives a buffer as the two threads do, one event at a time.
private struct BufferWorld {
  private enum Writer { case none, started, busy(IncomingBuffer.Portion), waiting, over }

  private static let portion = 1000

  private var random: SimulatedRandom
  private var buffer: IncomingBuffer
  private var writer = Writer.none
  private var isPaused = false
  private var isOver = false
  private var left: Int
  private var taken: [UInt8] = []
  private var written: [UInt8] = []
  private var endings: [IncomingBuffer.Ending] = []
  private var hasFailed = false
  private let mayFail: Bool
  private let isReopened: Bool
  private let trouble = Failure(.machine, code: "disk.full", reason: "no room")

  init(seed: UInt64) {
    random = SimulatedRandom(seed: seed)
    isReopened = random.oneIn(4)
    mayFail = random.oneIn(3)
    left = random.number(below: random.oneIn(2) ? 3000 : 20_000)
    buffer = IncomingBuffer(portionSize: Self.portion, isReopened: isReopened)
    buffer.begin(.init(entity: EntityFacts(etag: "\"v1\""), offset: isReopened ? 5 : 0))
  }

  /// Returns false when nothing is left to do.
  mutating func act() throws -> Bool {
    var acts: [(inout Self) throws -> Void] = []
    if !isOver, !isPaused { acts.append { try $0.bring() } }
    if !isOver, isPaused, random.oneIn(20) { acts.append { $0.end(.failure(.cancelled)) } }
    switch writer {
    case .started, .busy: acts.append { $0.write() }
    case .none, .waiting, .over: break
    }
    guard let act = acts.randomElement(using: &random) else { return false }
    try act(&self)
    return true
  }

  private mutating func bring() throws {
    if left == 0 { return end(.success(TransferReply(status: 200, size: UInt64(taken.count)))) }
    if random.oneIn(100) {
      return end(.failure(Failure(.passing, code: "connect.reset", reason: "it broke")))
    }
    let count = 1 + random.number(below: min(left, 300))
    let piece = (0..<count).map { UInt8(truncatingIfNeeded: taken.count + $0) }
    do throws(Failure) {
      guard let step = try buffer.take(piece) else {
        isPaused = true
        return
      }
      taken += piece
      left -= count
      perform(step)
    } catch {
      #expect(hasFailed && error == trouble)
      end(.failure(error))
    }
  }

  private mutating func end(_ ending: IncomingBuffer.Ending) {
    isOver = true
    isPaused = false
    switch buffer.end(ending) {
    case .step(let step): perform(step)
    case .inMemory(let bytes, let ending):
      guard case .none = writer else {
        Issue.record("the writer has it")
        return
      }
      if case .success = ending { #expect(bytes == taken) }
      endings.append(ending)
    }
  }

  private mutating func write() {
    if case .busy(let portion) = writer {
      if mayFail, !hasFailed, random.oneIn(8) {
        hasFailed = true
        writer = .started
        return perform(buffer.fail(trouble))
      }
      written += portion.bytes
      if let ending = portion.ending {
        endings.append(ending)
        writer = .over
        return
      }
    }
    writer = .waiting
    var memory: [UInt8] = []
    perform(buffer.next(&memory))
  }

  private mutating func perform(_ step: IncomingBuffer.Step) {
    if step.startsWriter {
      guard case .none = writer else {
        Issue.record("a second writer")
        return
      }
      writer = .started
    }
    if let portion = step.portion {
      guard case .waiting = writer else {
        Issue.record("the writer does not wait")
        return
      }
      #expect(portion.bytes.count <= Self.portion)
      writer = .busy(portion)
    }
    if step.resumes {
      #expect(isPaused)
      isPaused = false
    }
  }

  func judge() {
    #expect(isOver && endings.count == 1)
    #expect(taken.starts(with: written))
    if case .success? = endings.first {
      #expect(!hasFailed)
      if case .over = writer { #expect(written == taken) } else { #expect(written.isEmpty) }
    }
    if hasFailed, endings.first != .failure(.cancelled) {
      #expect(endings.first == .failure(trouble))
    }
  }
}
