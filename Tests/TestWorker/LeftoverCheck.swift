// SPDX-License-Identifier: Apache-2.0
// Works a pool through every kind of misbehaviour and counts what is left: descriptors, children. In a
// process of its own, since tests that run beside it open and close files.

import Linux
import Vocabulary
import Worker

enum LeftoverCheck {
  private static let commands = [
    "echo", "crash", "garbage", "hang", "exit", "descriptor", "hangup", "huge", "damaged",
  ]

  /// 0 when nothing was left over; else what kind of thing was.
  static func run() async -> Int32 {
    guard let folder = CommandLine.arguments.dropFirst(2).first else { return 64 }
    do throws(SystemError) {
      let files = try LinuxFolder.open(path: folder)
      // The runtime opens some descriptors of its own at the first task: one round before counting.
      let first = try await workedPool(files, rounds: 0..<1)
      let before = try descriptors()
      let second = try await workedPool(files, rounds: 1..<4)
      let after = try descriptors()
      let children = try children()
      withExtendedLifetime((first, second)) {}
      print("descriptors: \(before) before, \(after) after; children: \(children)")
      // The second pool still has what wakes it.
      return children > 0 ? 2 : after == before + 1 ? 0 : 1
    } catch {
      print(error)
      return 3
    }
  }

  private static func workedPool(
    _ files: LinuxFolder, rounds: Range<UInt64>
  ) async throws(SystemError) -> WorkerPool {
    let pool = try WorkerPool(settings: settings()) { _ in }
    for round in rounds { try await work(pool, files, round) }
    pool.shutdown()
    await pool.ended()
    return pool
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
          list: ListID(UInt64(place % 2)), serviceClass: .default, filter: .standard,
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
      // A thread that has ended since has no children.
      guard let thread = try? threads.folder(name, creating: false),
        let list = try? thread.open(FileName(literal: "children"), .read),
        let text = try? list.read(at: 0, upTo: 4096)
      else { continue }
      count += text.split(separator: 0x20).count
    }
    return count
  }
}
