// SPDX-License-Identifier: Apache-2.0
// Users drop, overwrite, rename, link, delete and chmod files in the inbox of a real daemon, which is
// stopped, killed and started again meanwhile. A simple model knows how often each content may and must
// become a list.

import Foundation
import Support
import Testing

@Suite struct InboxStormTests {
  /// The inbox as its users know it. Every content is unique.
  private struct Model {
    struct Content {
      /// The number of names it ever had in the folder: it may become as many lists.
      var names = 1
      /// Overwritten, deleted or replaced by a user: it need not become a list.
      var isLost = false
      var isWhole = true
    }

    var contents: [String: Content] = [:]
    var holders: [String: String] = [:]
    var last = 0

    mutating func add(_ name: String, isWhole: Bool) -> (String, [UInt8]) {
      lose(name)
      last += 1
      let mark = "mark-\(last)-"
      contents[mark] = Content(isWhole: isWhole)
      holders[name] = mark
      let text = PhotoListText.dictionary([("Photo", "file:///nowhere/\(mark).jpg")])
      return (mark, isWhole ? text : Array(text.prefix(text.count / 2)))
    }

    /// Overwrites in place: every hard link shows the new content.
    mutating func overwrite(_ name: String, isWhole: Bool) -> (String, [UInt8]) {
      let old = holders[name]
      let links = holders.filter { $0.value == old && $0.key != name }.map(\.key)
      for link in links { lose(link) }
      let (mark, bytes) = add(name, isWhole: isWhole)
      for link in links { holders[link] = mark }
      contents[mark]?.names += links.count
      return (mark, bytes)
    }

    mutating func lose(_ name: String) {
      guard let mark = holders.removeValue(forKey: name) else { return }
      // The content may still exist under another name.
      if !holders.values.contains(mark) { contents[mark]?.isLost = true }
    }
  }

  private static func act(
    _ model: inout Model, _ name: String, _ other: String, _ random: inout SimulatedRandom,
    _ inbox: String
  ) throws {
    let path = "\(inbox)/\(name)"
    let otherPath = "\(inbox)/\(other)"
    switch random.number(below: 10) {
    case 0...3:
      let (_, bytes) = model.add(name, isWhole: !random.oneIn(5))
      let draft = "\(inbox)/../arriving-\(name)"
      #expect(FileManager.default.createFile(atPath: draft, contents: Data(bytes)))
      #expect(unsafe rename(draft, path) == 0)
    case 4:
      let file = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
      guard file >= 0 else { return }
      let (_, bytes) = model.overwrite(name, isWhole: !random.oneIn(5))
      let count = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
      #expect(count == bytes.count)
      close(file)
    case 5:
      guard name != other, unsafe rename(path, otherPath) == 0 else { return }
      model.lose(other)
      guard let mark = model.holders.removeValue(forKey: name) else { return }
      model.holders[other] = mark
      model.contents[mark]?.names += 1
    case 6:
      guard let mark = model.holders[name], unsafe link(path, otherPath) == 0 else { return }
      model.holders[other] = mark
      model.contents[mark]?.names += 1
    case 7:
      if unsafe unlink(path) == 0 { model.lose(name) }
    // Several names of a file that others may write would wait (`LinkedDropTests`).
    default: unsafe chmod(path, random.oneIn(2) ? 0o600 : 0o644)
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `no content is lost, and none becomes more lists than it had names`(
    seed: UInt64
  ) async throws {
    try await DaemonBench.use { bench in
      var random = SimulatedRandom(seed: seed)
      var model = Model()
      let inbox = "\(bench.root)/inbox"
      var daemon = try await bench.start()
      for round in 1...10 {
        // Fifteen users a round, each with two names of their own.
        for step in 1...60 {
          let user = random.number(below: 15)
          let names = ["r\(round)-u\(user)-a.plist", "r\(round)-u\(user)-b.plist"]
          let first = random.number(below: 2)
          try Self.act(&model, names[first], names[1 - first], &random, inbox)
          guard step % 20 == 0 else { continue }
          switch random.number(below: 4) {
          case 0:
            await daemon.cut()
            daemon = try await bench.launch("darkroomd", ["--root", bench.root])
          case 1:
            daemon.send(SIGCONT)
            try await bench.stop(daemon)
            daemon = try await bench.start()
          case 2: daemon.send(SIGSTOP)
          default: daemon.send(SIGCONT)
          }
        }
        daemon.send(SIGCONT)
      }
      try await bench.stop(daemon)
      #expect(try await bench.runUntilIdle().code == 3, "none of these photos exists")
      try check(model, bench)
    }
  }

  private func check(_ model: Model, _ bench: DaemonBench) throws {
    #expect(bench.names("inbox").allSatisfy { $0 == ".claim" }, "\(bench.names("inbox"))")
    #expect(bench.names("inbox/.claim") == [".lock"])
    var became: [String: Int] = [:]
    for list in bench.names("state/lists") {
      for mark in marks(bench.text("state/lists/\(list)/list.plist")) {
        became[mark, default: 0] += 1
      }
    }
    for name in bench.names("failed")
    where name.hasSuffix(".plist") && !name.hasSuffix(".retry.plist") {
      for mark in marks(bench.text("failed/\(name)")) { became[mark, default: 0] += 1 }
    }
    for (mark, content) in model.contents {
      let count = became[mark] ?? 0
      #expect(count <= content.names, "\(mark) is \(count) lists of \(content)")
      // Half a list may be cut before its mark. A rejected file keeps its bytes.
      if !content.isLost, content.isWhole { #expect(count >= 1, "\(mark) is lost: \(content)") }
    }
    #expect(became.keys.allSatisfy { model.contents[$0] != nil })
  }

  private func marks(_ text: String?) -> Set<String> {
    Set((text ?? "").matches(of: /mark-[0-9]+-/).map { String($0.output) })
  }
}
