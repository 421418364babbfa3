// SPDX-License-Identifier: Apache-2.0
// The news about waiting files: when it is told, and how often.

import Testing
import Vocabulary

@testable import Accept

@Suite struct WaitNewsTests {
  private static func file(_ phase: WaitingFile.Phase, of owner: UInt32 = 1) -> WaitingFile {
    let entry = DropWorld.entry("a.plist", version: 1)
    let status = FileStatus(
      kind: .file, device: 1, inode: 1, size: 1, owner: owner, mode: 0o644, modified: 1, changed: 1)
    var file = WaitingFile(Candidate(key: entry.key, status: status), since: .zero)
    file.phase = phase
    return file
  }

  private static func trouble(
    _ code: String, _ reason: String = "", of owner: UInt32 = 1
  ) -> WaitingFile {
    let failure = Failure(.machine, code: code, reason: reason)
    return file(.troubled(failure, next: .zero, pause: Backoff(.zero, to: .zero)), of: owner)
  }

  @Test("A wait is reported once, again for another reason, and once when it is over")
  func once() {
    var news = WaitNews()
    let key = DropWorld.entry("a.plist", version: 1).key
    let seen = [
      Self.trouble("disk.full", "pwrite"), Self.file(.busy), Self.trouble("disk.full", "mkdirat"),
      Self.file(.settling), Self.trouble("system.5"), Self.file(.quiet), Self.file(.quiet),
    ]
    let codes = seen.compactMap { news.look(key, $0) }.map { $0.failure?.code ?? "over" }
    #expect(codes == ["disk.full", "system.5", "over"])
    #expect(news.look(key, nil) == nil)
  }

  @Test("The wait of a file that is taken back is over")
  func takenBack() {
    var news = WaitNews()
    let key = DropWorld.entry("a.plist", version: 1).key
    _ = news.look(key, Self.trouble("disk.full"))
    #expect(news.forget(all: { _ in true }) == [])
    #expect(news.forget(all: { _ in false }) == [.init(name: key.name, failure: nil)])
  }

  @Test("Of very many waiting files only some are reported; as one goes, another is")
  func bounded() {
    var news = WaitNews()
    let keys = (0..<200).map { DropWorld.entry("\($0).plist", version: 1).key }
    let told = keys.compactMap { news.look($0, Self.trouble("disk.full")) }
    #expect(told.count == WaitNews.maximum / 2)
    _ = news.look(keys[0], nil)
    #expect(keys.compactMap { news.look($0, Self.trouble("disk.full")) }.count == 1)
    // The same file of another user does not count twice.
    _ = news.look(keys[0], Self.trouble("system.5", of: 2))
    _ = news.look(keys[0], nil)
    #expect(keys.compactMap { news.look($0, Self.trouble("disk.full")) }.count == 1)
  }

  @Test("The files of some users do not hide the files of another")
  func shared() {
    var news = WaitNews()
    var counts: [Int] = []
    for user in 1...6 as ClosedRange<UInt32> {
      let keys = (0..<200).map { DropWorld.entry("\(user) \($0).plist", version: 1).key }
      counts.append(
        keys.count { news.look($0, Self.trouble("list.unreadable", of: user)) != nil })
    }
    #expect(counts == [50, 25, 13, 6, 3, 2])
  }
}
