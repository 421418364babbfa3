// SPDX-License-Identifier: Apache-2.0
// The queue of files that wait to become lists: which of them may be worked on side by side.

import Testing
import Vocabulary

@testable import Accept

@Suite struct ClaimQueueTests {
  private func file(
    _ name: String, inode: UInt64, size: UInt64 = 100, of owner: UInt32 = 0,
    kind: FileStatus.Kind = .file
  ) throws -> Candidate {
    Candidate(
      key: Candidate.Key(try #require(FileName(name))),
      status: FileStatus(
        kind: kind, device: 1, inode: inode, size: size, owner: owner, mode: 0o644, modified: 0,
        changed: 0))
  }

  private func queue(_ files: [Candidate]) -> ClaimQueue {
    var queue = ClaimQueue(most: 4) { String($0.text.prefix(200)).lowercased() }
    for file in files { queue.add(.attempt(file, .lease)) }
    return queue
  }

  private func name(_ task: ClaimQueue.Task) -> String {
    if case .again(let order, _) = task { return "again \(order.earlier)" }
    return task.candidate.map { "\($0.name)" } ?? ""
  }

  /// The names of all files that may begin now.
  private func begin(_ queue: inout ClaimQueue, unless held: Candidate.Key? = nil) -> [String] {
    var names: [String] = []
    while let task = queue.next(unless: held) { names.append(name(task)) }
    return names
  }

  @Test func `four files begin at once, in order, and each end lets the next one begin`() throws {
    let files = try (1...6).map { try file("\($0).plist", inode: UInt64($0)) }
    var queue = queue(files)
    #expect(begin(&queue) == ["1.plist", "2.plist", "3.plist", "4.plist"])
    #expect(!queue.isEmpty)
    queue.ended(.attempt(files[2], .lease))
    #expect(begin(&queue) == ["5.plist"])
    for file in files[..<5] { queue.ended(.attempt(file, .lease)) }
    #expect(begin(&queue) == ["6.plist"])
    queue.ended(.attempt(files[5], .lease))
    #expect(queue.isEmpty)
  }

  @Test func `a retry list and its list follow each other`() throws {
    let files = try [
      file("barn.plist", inode: 1), file("barn.retry.plist", inode: 2),
      file("barn~17.RETRY.json", inode: 3), file("barns.retry.plist", inode: 4),
    ]
    var queue = queue(files)
    #expect(begin(&queue) == ["barn.plist", "barns.retry.plist"])
    queue.ended(.attempt(files[0], .lease))
    #expect(begin(&queue) == ["barn.retry.plist"])
    queue.ended(.attempt(files[1], .lease))
    #expect(begin(&queue) == ["barn~17.RETRY.json"])
  }

  @Test func `a user's file waits for one of another user's files, not for all of them`() throws {
    let theirs = try (1...20).map { try file("\($0).plist", inode: UInt64($0), of: 7) }
    var queue = queue(theirs)
    #expect(begin(&queue) == ["1.plist", "2.plist", "3.plist", "4.plist"])
    queue.add(.attempt(try file("mine.plist", inode: 30, of: 8), .lease))
    queue.add(.attempt(try file("also mine.plist", inode: 31, of: 8), .lease))
    for file in theirs[..<4] { queue.ended(.attempt(file, .lease)) }
    #expect(begin(&queue) == ["5.plist", "mine.plist", "6.plist", "also mine.plist"])
  }

  @Test
  func `the rolls of a user follow each other, and hold up nobody else's, whatever the names`()
    throws
  {
    let theirs = try (1...3).map { try file("\($0)", inode: UInt64($0), of: 7, kind: .folder) }
    var queue = queue(theirs)
    queue.add(.finishRolls(of: 7))
    #expect(begin(&queue) == ["1"] && queue.rollOwners == [7])
    let mine = try file("1", inode: 30, of: 8, kind: .folder)
    queue.add(.attempt(mine, .lease))
    queue.add(.finishRolls(of: 9))
    queue.add(.attempt(try file("1.plist", inode: 31, of: 9), .lease))
    // A list of its owner that has its name waits for the folder.
    queue.add(.attempt(try file("1.csv", inode: 32, of: 7), .lease))
    #expect(begin(&queue) == ["1", "", "1.plist"] && queue.rollOwners == [7, 8, 9])
    var order: [String] = []
    for end in theirs {
      queue.ended(.attempt(end, .lease))
      order += begin(&queue)
    }
    #expect(order == ["2", "3", ""])
  }

  @Test func `long rolls leave places to short ones, and rolls leave all places to lists`() throws {
    func roll(_ owner: UInt32, gibibytes: UInt64) throws -> Candidate {
      try file(
        "\(owner)", inode: UInt64(owner), size: gibibytes << 30 + 1, of: owner, kind: .folder)
    }
    var queue = queue(try (1...3).map { try roll($0, gibibytes: 1) })
    queue.add(.finishRolls(of: 4))
    #expect(begin(&queue) == ["1", "2"])
    for owner in 5...7 as ClosedRange<UInt32> {
      queue.add(.attempt(try roll(owner, gibibytes: 0), .lease))
    }
    #expect(begin(&queue) == ["5", "6"])
    for number in 10...14 as ClosedRange<UInt64> {
      queue.add(.attempt(try file("\(number).plist", inode: number), .lease))
    }
    #expect(begin(&queue) == ["10.plist", "11.plist", "12.plist", "13.plist"])
    queue.ended(.attempt(try roll(1, gibibytes: 1), .lease))
    #expect(begin(&queue) == ["3"])
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (16, 2)])
  func `two long lists of two users are read at once, and short ones keep a place`(
    _ most: Int, _ longs: Int
  ) throws {
    let long = UInt64(2 << 20)
    var queue = ClaimQueue(most: most) { $0.text }
    for (number, owner) in [7, 7, 8, 9].enumerated() {
      let name = "\(owner) \(number).plist"
      queue.add(
        .attempt(try file(name, inode: UInt64(number), size: long, of: UInt32(owner)), .lease))
    }
    #expect(begin(&queue) == ["7 0.plist", "8 2.plist"].prefix(longs).map { $0 })
    queue.add(.attempt(try file("short.plist", inode: 9, of: 7), .lease))
    #expect(begin(&queue) == (most == 1 ? [] : ["short.plist"]))
    queue.ended(.attempt(try file("7 0.plist", inode: 0, size: long, of: 7), .lease))
    #expect(begin(&queue).first == (longs == 1 ? "8 2.plist" : "9 3.plist"))
  }

  @Test func `one long list is read at a time, and short ones overtake those that wait`() throws {
    let long = UInt64(2 << 20)
    let files = try [
      file("a.plist", inode: 1, size: long), file("b.plist", inode: 2, size: long),
      file("c.plist", inode: 3),
    ]
    var queue = queue(files)
    #expect(begin(&queue) == ["a.plist", "c.plist"])
    queue.ended(.attempt(files[2], .lease))
    #expect(begin(&queue).isEmpty)
    queue.ended(.attempt(files[0], .lease))
    #expect(begin(&queue) == ["b.plist"])
  }

  @Test func `a.plist and a.PLIST take turns, and so do two names of one file`()
    throws
  {
    let files = try [
      file("a.plist", inode: 1), file("a.PLIST", inode: 2), file("b.plist", inode: 1),
      file("c.plist", inode: 3),
    ]
    var queue = queue(files)
    #expect(begin(&queue) == ["a.plist", "c.plist"])
    queue.ended(.attempt(files[0], .lease))
    #expect(begin(&queue) == ["a.PLIST", "b.plist"])
  }

  @Test func `lists that would print into one folder take turns`() throws {
    let long = String(repeating: "x", count: 200)
    func raw(_ byte: UInt8, _ inode: UInt64) throws -> Candidate {
      let name = try #require(FileName(bytes: Array("caf".utf8) + [byte] + Array(".txt".utf8)))
      let status = try file("x.txt", inode: inode).status
      return Candidate(key: Candidate.Key(name), status: status)
    }
    let files = try [
      file("\(long)1.plist", inode: 1), file("\(long)2.plist", inode: 2),
      raw(0xE9, 3), raw(0xE8, 4),
      file("Trip.txt", inode: 5), file("trip.txt", inode: 6),
    ]
    var queue = queue(files)
    #expect(begin(&queue).map { $0.prefix(1) } == ["x", "c", "T"])
    for file in [files[0], files[2], files[4]] { queue.ended(.attempt(file, .lease)) }
    #expect(begin(&queue).map { $0.prefix(1) } == ["x", "c", "t"])
  }

  @Test func `a file is not tried while it is read ahead`() throws {
    let files = try [file("a.plist", inode: 1), file("b.plist", inode: 2)]
    var queue = queue(files)
    #expect(begin(&queue, unless: files[0].key) == ["b.plist"])
    #expect(begin(&queue) == ["a.plist"])
  }

  @Test func `lists of one name take turns, whether one was dropped or repeats another`() throws {
    let barn = try file("barn.csv", inode: 1)
    let again = ClaimQueue.Task.again(RepeatOrder(ListID(4), of: 0), stem: Array("barn".utf8))
    var queue = ClaimQueue(most: 4) { String($0.text.prefix(200)).lowercased() }
    for task in [again, again, .attempt(barn, .lease)] { queue.add(task) }
    queue.add(.again(RepeatOrder(ListID(5), of: 0), stem: Array("cow".utf8)))
    #expect(begin(&queue) == ["again 4", "again 5"])
    queue.ended(again)
    #expect(begin(&queue) == ["again 4"])
    queue.ended(again)
    #expect(begin(&queue) == ["barn.csv"])
  }
}
