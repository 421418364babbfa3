// SPDX-License-Identifier: Apache-2.0
// The news about waiting files: when it is told, and how often.

import Testing
import Vocabulary

@testable import Accept

@Suite struct WaitNewsTests {
  private static func file(_ phase: WaitingFile.Phase) -> WaitingFile {
    let entry = DropWorld.entry("a.plist", version: 1)
    let status = FileStatus(
      kind: .file, device: 1, inode: 1, size: 1, owner: 1, mode: 0o644, modified: 1, changed: 1)
    var file = WaitingFile(Candidate(key: entry.key, status: status), since: .zero)
    file.phase = phase
    return file
  }

  private static func trouble(_ code: String, _ reason: String = "") -> WaitingFile {
    let failure = Failure(.machine, code: code, reason: reason)
    return file(.troubled(failure, next: .zero, pause: Backoff(.zero, to: .zero)))
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
    #expect(told.count == WaitNews.maximum)
    _ = news.look(keys[0], nil)
    #expect(keys.compactMap { news.look($0, Self.trouble("disk.full")) }.count == 1)
  }
}
