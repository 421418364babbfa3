// SPDX-License-Identifier: Apache-2.0
// Photos that name the same URL at the same time: one transfer, and an original for each.

import Digests
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Download

struct FlightTests {
  let fresh: FreshFolder
  let incoming: FreshFolder
  let url = "https://photos.example.org/a.jpg"
  let entity = EntityFacts(etag: "\"v1\"", total: 3, place: "https://photos.example.org:443/a.jpg")

  init() throws {
    fresh = try FreshFolder()
    incoming = try FreshFolder()
  }

  private func downloader(_ network: ScriptedNetwork) -> RunningDownloader {
    RunningDownloader(
      network: network, partials: PartialShelf(incoming.folder, clock: SimulatedClock()))
  }

  /// One size stays in memory, the other becomes a partial file.
  static let sizes = [3, IncomingBuffer.memorySize + 1]

  private func body(_ size: Int) -> [UInt8] { (0..<size).map { UInt8($0 % 251) } }

  private func photo(_ number: UInt32) -> PhotoID { PhotoID(list: ListID(1), number: number) }

  private func start(
    _ number: UInt32, _ downloader: RunningDownloader, _ priority: ServiceClass = .default,
    checksum: SHA256Digest? = nil
  ) -> Task<Result<Original, Failure>, Never> {
    Task {
      do throws(Failure) {
        return .success(
          try await downloader.download(
            photo(number), from: url, into: fresh.folder, priority: priority, checksum: checksum))
      } catch { return .failure(error) }
    }
  }

  /// Returns when this number of photos waits for the one transfer.
  private func boarded(_ count: Int, _ downloader: RunningDownloader) async {
    while downloader.progress().first?.photos.count != count { await Task.yield() }
  }

  @Test(arguments: sizes)
  func `five photos with one URL get one transfer and five originals`(size: Int) async throws {
    let network = ScriptedNetwork(.body(body(size)).held)
    let downloader = downloader(network)
    let tasks = (1...5).map { start($0, downloader) }
    await boarded(5, downloader)
    network.release()
    for (place, task) in tasks.enumerated() {
      let original = try await task.value.get()
      #expect(original.contents.size == UInt64(size))
      #expect(original.name == Original.name(of: photo(UInt32(place + 1))))
      #expect(fresh.bytes(of: "\(original.name)") == body(size))
      // Each original can be removed alone.
      try fresh.folder.remove(original.name)
    }
    #expect(network.requests.count == 1)
    #expect(try incoming.folder.names().isEmpty)
    #expect(downloader.isQuiet)
  }

  @Test func `a landed file is taken by a photo that is alone with it, by none of several`() throws
  {
    var table = FlightTable()
    let url = try PhotoURL(parsing: url)
    let first = table.board(photo(1), url, .default).boarding
    let second = table.board(photo(2), url, .default).boarding
    let attempt = try #require(table.attempt(of: first)).attempt
    _ = table.begun(attempt, TransferTicket(1), .default)
    // While it flies, once it has landed, after the first has left, and after the second has taken it.
    var taken = [table.takeAlone(first)]
    let landing = Landing([1], from: url, TransferReply(status: 200, size: 1))
    _ = table.over(attempt, .success(landing))
    taken += [table.takeAlone(first), table.takeAlone(second)]
    _ = table.leave(first)
    taken += [table.takeAlone(first), table.takeAlone(second), table.takeAlone(second)]
    #expect(taken == [false, false, false, false, true, false])
    // Whoever comes now waits for another attempt.
    let isTold = table.board(photo(3), url, .default).turn != nil
    #expect(!isTold)
  }

  @Test func `each photo of a shared transfer has its own checksum`() async throws {
    let network = ScriptedNetwork(.body([1, 2, 3]).held)
    let downloader = downloader(network)
    let right = start(1, downloader, checksum: SHA256.digest(of: [1, 2, 3]))
    await network.asked(1)
    let wrong = start(2, downloader, checksum: SHA256.digest(of: []))
    await boarded(2, downloader)
    network.release()
    #expect(try await right.value.get().contents.size == 3)
    let failure = await #expect(throws: Failure.self) { try await wrong.value.get() }
    #expect(failure?.code == "download.sha256")
    #expect(fresh.bytes(of: "000000001") == [1, 2, 3])
    #expect(fresh.bytes(of: "000000002") == nil)
    #expect(try incoming.folder.names().isEmpty)
  }

  @Test func `a failure fails every photo of a shared transfer`() async throws {
    let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
    let network = ScriptedNetwork(.failing(broken, after: [1]).held)
    let downloader = downloader(network)
    let tasks = (1...3).map { start($0, downloader) }
    await boarded(3, downloader)
    network.release()
    for task in tasks { await #expect(throws: broken) { try await task.value.get() } }
    #expect(network.requests.count == 1)
    #expect(downloader.isQuiet)
  }

  @Test func `a photo that leaves, even the first, does not disturb the others`() async throws {
    let network = ScriptedNetwork(.body([1, 2, 3]).held)
    let downloader = downloader(network)
    let first = start(1, downloader)
    await network.asked(1)
    let second = start(2, downloader)
    await boarded(2, downloader)
    first.cancel()
    await #expect(throws: Failure.cancelled) { try await first.value.get() }
    #expect(network.cancelled.isEmpty)
    network.release()
    #expect(try await second.value.get().contents.size == 3)
    #expect(fresh.bytes(of: "000000001") == nil)
  }

  @Test(arguments: [false, true])
  func `when the last photo leaves, the transfer stops and its bytes are kept`(waits: Bool)
    async throws
  {
    let network = ScriptedNetwork(
      .sent([[1, 2]], entity).held, .part([3], whole: 3, entity))
    let downloader = downloader(network)
    let tasks = (1...2).map { start($0, downloader) }
    await boarded(2, downloader)
    network.trickle()
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: Failure.cancelled) { try await task.value.get() } }
    #expect(network.cancelled == [TransferTicket(1)])
    // The next photo need not wait until the bytes are kept.
    while waits, !downloader.isQuiet { await Task.yield() }
    let third = start(3, downloader)
    #expect(try await third.value.get().contents.size == 3)
    #expect(network.requests.last?.scope == .rest(of: entity, from: 2))
    #expect(fresh.bytes(of: "000000003") == [1, 2, 3])
  }

  @Test func `a transfer has the priority of its most urgent photo`() async throws {
    let network = ScriptedNetwork(.body([1]).held)
    let downloader = downloader(network)
    let slow = start(1, downloader, .background)
    await boarded(1, downloader)
    let urgent = start(2, downloader, .userInteractive)
    await boarded(2, downloader)
    let other = start(3, downloader, .default)
    await boarded(3, downloader)
    urgent.cancel()
    _ = await urgent.value
    network.release()
    _ = try await (slow.value.get(), other.value.get())
    #expect(network.requests.map(\.priority) == [.background])
    #expect(network.changes.map(\.priority) == [.userInteractive, .default])
  }

  @Test func `a transfer has the turns of the owners of all its photos`() throws {
    var table = FlightTable()
    let url = try PhotoURL(parsing: url)
    let ticket = TransferTicket(1)
    let first = table.board(photo(1), of: 1000, url, .background).boarding
    let early = table.board(photo(2), of: 2000, url, .background)
    let attempt = try #require(table.attempt(of: first)).attempt
    var acts = [early.act, table.begun(attempt, ticket, .background, of: 1000)]
    acts.append(table.board(photo(3), of: 1000, url, .background).act)
    let urgent = table.board(photo(4), of: 3000, url, .default)
    acts += [urgent.act, table.leave(urgent.boarding).act, table.leave(first).act]
    acts.append(table.leave(early.boarding).act)
    let both = FlightTable.Act.change(ticket, TransferDemand(.background, of: [1000, 2000]))
    let all = FlightTable.Act.change(ticket, TransferDemand(.default, of: [1000, 2000, 3000]))
    let last = FlightTable.Act.change(ticket, TransferDemand(.background, of: [1000]))
    #expect(acts == [.nothing, both, .nothing, all, both, .nothing, last])
  }

  @Test func `a web page in place of a photo fails every photo of the transfer`() async throws {
    let network = ScriptedNetwork(.body(Array("<html>".utf8)).held)
    let downloader = downloader(network)
    let tasks = (1...2).map { start($0, downloader) }
    await boarded(2, downloader)
    network.release()
    for task in tasks {
      let failure = await #expect(throws: Failure.self) { try await task.value.get() }
      #expect(failure?.code == "download.html")
    }
    #expect(try incoming.folder.names().isEmpty)
    #expect(try fresh.folder.names().isEmpty)
  }

  @Test(arguments: sizes)
  func `without hard links each photo gets a copy`(size: Int) async throws {
    let network = ScriptedNetwork(.body(body(size)).held)
    let lonely = LonelyFolder(incoming.folder)
    let partials = PartialShelf(lonely, clock: SimulatedClock())
    let downloader = RunningDownloader(network: network, partials: partials)
    let tasks = (1...3).map { start($0, downloader) }
    await boarded(3, downloader)
    network.release()
    for (place, task) in tasks.enumerated() {
      #expect(try await task.value.get().contents.size == UInt64(size))
      #expect(fresh.bytes(of: "00000000\(place + 1)") == body(size))
    }
    // A body in memory has no name yet, so no link is tried.
    #expect((lonely.refusals > 0) == (size > IncomingBuffer.memorySize))
    #expect(try incoming.folder.names().isEmpty)
  }

  @Test(arguments: sizes, [false, true])
  func `a storm of photos that come and go is served without remains`(size: Int, isLonely: Bool)
    async throws
  {
    let network = BusyNetwork(size: size)
    let lonely = LonelyFolder(incoming.folder)
    let folder: any Folder = isLonely ? lonely : incoming.folder
    let downloader = RunningDownloader(
      network: network, partials: PartialShelf(folder, clock: SimulatedClock()))
    await withTaskGroup(of: Void.self) { group in
      for number in 1...400 as ClosedRange<UInt32> {
        group.addTask {
          let task = Task {
            try await downloader.download(
              photo(number), from: "http://h/\(number % 7)", into: fresh.folder,
              priority: ServiceClass(rawValue: UInt8(number % 5)) ?? .default)
          }
          if number.isMultiple(of: 3) { task.cancel() }
          for _ in 0..<(number % 11) { await Task.yield() }
          if number.isMultiple(of: 4) { task.cancel() }
          if let original = try? await task.value {
            #expect(fresh.bytes(of: "\(original.name)") == Array(repeating: 7, count: size))
          } else {
            #expect(number.isMultiple(of: 3) || number.isMultiple(of: 4))
          }
        }
      }
    }
    while !downloader.isQuiet { await Task.yield() }
    #expect(network.isIdle)
    #expect((lonely.refusals > 0) == (isLonely && size > IncomingBuffer.memorySize))
    #expect(try incoming.folder.names().isEmpty)
  }
}
