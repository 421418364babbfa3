// SPDX-License-Identifier: Apache-2.0
// Runs a pool through many kinds of misbehaviour, and counts the leftovers: descriptors and children.
// It has its own process, since tests that run beside it open and close files.

import Linux
import Vocabulary
import Worker

enum LeftoverCheck {
  private static let commands = [
    "echo", "crash", "garbage", "hang", "exit", "descriptor", "hangup", "huge", "damaged",
  ]

  /// Returns 0 without leftovers, 1 with descriptors, 2 with children, 3 after an error, 64 without
  /// a folder.
  static func run() async -> Int32 {
    guard let folder = CommandLine.arguments.dropFirst(2).first else { return 64 }
    do throws(SystemError) {
      let files = try LinuxFolder.open(path: folder)
      // The runtime opens some descriptors at the first task, so one round runs before the count.
      let first = try await workedPool(files, rounds: 0..<1)
      let before = try descriptors()
      let second = try await workedPool(files, rounds: 1..<4)
      let after = try descriptors()
      let children = try children()
      withExtendedLifetime((first, second)) {}
      print("descriptors: \(before) before, \(after) after; children: \(children)")
      // The second pool still holds the descriptor that wakes it.
      return children > 0 ? 2 : after == before + 1 ? 0 : 1
    } catch {
      print(error)
      return 3
    }
  }

  private static func workedPool(
    _ files: LinuxFolder, rounds: Range<UInt64>
  ) async throws(SystemError) -> WorkerPool {
    let pool = try WorkerPool.alone(settings())
    for round in rounds { try await work(pool, files, round) }
    pool.shutdown()
    await pool.ended()
    try awaitThread()
    return pool
  }

  /// The thread of the pool closes its last descriptor when it ends, which is after the pool's end.
  private static func awaitThread() throws(SystemError) {
    let threads = try LinuxFolder.open(path: "/proc/self/task")
    for _ in 0..<30_000 {
      let isThere = try threads.names().contains { name in
        let thread = try? threads.folder(name, creating: false)
        let title = try? thread?.open(FileName(literal: "comm"), .read).read(at: 0, upTo: 16)
        return title.map { $0 == Array("workers\n".utf8) } ?? false
      }
      if !isThere { return }
      _ = try? Poll.wait([], for: .milliseconds(1))
    }
  }

  private static func settings() throws(SystemError) -> WorkerSettings {
    WorkerSettings(path: try ThisProcess.ownPath(), width: 3)
  }

  private static func work(
    _ pool: WorkerPool, _ folder: LinuxFolder, _ round: UInt64
  ) async throws(SystemError) {
    var files: [(any OpenFile, any OpenFile)] = []
    for (place, command) in commands.enumerated() {
      let original = try folder.open(FileName(number: round * 1000 + UInt64(place)), .create)
      let print = try folder.open(FileName(number: round * 1000 + 500 + UInt64(place)), .create)
      try original.write(Array(command.utf8), at: 0)
      files.append((original, print))
    }
    await withTaskGroup { group in
      for (place, (original, print)) in files.enumerated() {
        let order = DevelopOrder(
          owner: UInt32(place % 2), serviceClass: .default, filter: .standard,
          maximumPixels: 1000, maximumMemory: 1 << 20, timeout: .milliseconds(300))
        group.addTask { _ = try? await pool.develop(original, into: print, order) }
      }
    }
  }

  private static func descriptors() throws(SystemError) -> Int {
    try LinuxFolder.open(path: "/proc/self/fd").names().count
  }

  private static func children() throws(SystemError) -> Int {
    let threads = try LinuxFolder.open(path: "/proc/self/task")
    var count = 0
    for name in try threads.names() {
      // A thread that has ended meanwhile has no children.
      guard let thread = try? threads.folder(name, creating: false),
        let list = try? thread.open(FileName(literal: "children"), .read),
        let text = try? list.read(at: 0, upTo: 4096)
      else { continue }
      count += text.split(separator: 0x20).count
    }
    return count
  }
}
