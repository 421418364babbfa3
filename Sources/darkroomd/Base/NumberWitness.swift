// SPDX-License-Identifier: Apache-2.0
// The highest list number that may be reported, kept in `done`, outside the state folder: it shows that a state
// folder from a backup is older. Written soon after the record and at the stop, without a sync: it may lag
// behind the record, but is never ahead of it. Raises nothing.
// Concurrency model: one atomic number; the task in `run` alone writes the file.

import Files
import Linux
import Synchronization
import Vocabulary

final class NumberWitness: Sendable {
  private static let prefix = ".darkroom-"
  private static let longest = 32
  /// Many lists at once cause few writes.
  private static let pause = Duration.milliseconds(100)

  private let done: any Folder
  private let reported = Atomic<UInt64>(0)
  private let changes = ChangeSignal()

  init(_ done: any Folder) { self.done = done }

  private static func name(_ id: String) -> FileName { FileName(made: prefix + id) }

  /// Call when a list of this number is recorded.
  func note(_ list: ListID) {
    let (before, _) = reported.max(list.number, ordering: .relaxed)
    if list.number > before { changes.changed() }
  }

  /// Runs until it is cancelled.
  func run(as id: String, on clock: any Timekeeper) async {
    while !Task.isCancelled {
      let seen = changes.version
      await flush(as: id)
      await changes.change(after: seen)
      await clock.rest(Self.pause)
    }
  }

  /// Call when no more lists are recorded: the state folder may be restored while the daemon is stopped.
  func flush(as id: String) async {
    let list = reported.load(ordering: .relaxed)
    if list > 0 { await onDisk { try? write(list, as: id) } }
  }

  private func write(_ list: UInt64, as id: String) throws(SystemError) {
    let file = try done.open(Self.name(id), .ensure)
    // Padded, so that a shorter number overwrites a longer one completely.
    var bytes: [UInt8] = []
    bytes.append(decimal: list, digits: 20)
    try file.write(bytes + [0x0A], at: 0)
  }

  /// The contents of the files in `done`.
  struct Reported {
    /// Nil if none was reported.
    var highest: ListID?
    /// The first file that could not be read: a higher number may have been reported.
    var unread: SystemError?
  }

  /// The highest number reported under `id`, or under any id if `id` is nil. May wait for the disk.
  func read(_ id: String?) -> Reported {
    var reported = Reported()
    for name in names(id, &reported) {
      do throws(SystemError) {
        guard let bytes = try done.contents(of: name, upTo: Self.longest),
          let number = UInt64(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
        else { continue }
        reported.highest = max(reported.highest ?? ListID(0), ListID(number))
      } catch { reported.unread = reported.unread ?? error }
    }
    return reported
  }

  private func names(_ id: String?, _ reported: inout Reported) -> [FileName] {
    if let id { return [Self.name(id)] }
    do throws(SystemError) {
      return try done.names().filter { $0.bytes.starts(with: Array(Self.prefix.utf8)) }
    } catch {
      // Without the folder nothing is known to have been reported.
      if !error.isMissing { reported.unread = error }
      return []
    }
  }
}
