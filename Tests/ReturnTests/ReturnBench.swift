// SPDX-License-Identifier: Apache-2.0
// The folders through which lists are returned, with lists as Accept leaves them.

import Files
import Linux
import Return
import Support
import Synchronization
import Vocabulary

final class ReturnBench: Sendable {
  static let name = FileName(literal: "barn.plist")

  let scratch: FreshFolder
  let cut = Cut()
  /// Stays free on a disk.
  let floor = Mutex<UInt64>(0)
  let lists: LinuxFolder
  let done: LinuxFolder
  let failed: LinuxFolder

  init() throws {
    scratch = try FreshFolder()
    lists = try scratch.folder.openFolder(FileName(literal: "lists"), creating: true)
    done = try scratch.folder.openFolder(FileName(literal: "done"), creating: true)
    failed = try scratch.folder.openFolder(FileName(literal: "failed"), creating: true)
  }

  /// A bench with one list.
  convenience init(_ text: String) throws {
    try self.init()
    try add(1, text)
  }

  @discardableResult
  func add(
    _ number: UInt64, _ text: String = "a end", _ drop: ListMarks.Drop? = .claimed
  ) throws -> LinuxFolder {
    let folder = try folder(number, creating: true)
    try folder.put(ListFolder.list, text)
    if let drop { try ListMarks.note(drop, in: folder) }
    return folder
  }

  func folder(_ number: UInt64, creating: Bool = false) throws -> LinuxFolder {
    try lists.openFolder(FileName(number: number), creating: creating)
  }

  func standing(_ number: UInt64 = 1) throws -> ListMarks {
    try ListMarks(of: folder(number))
  }

  /// The returns; `cut` can cut each of their steps.
  var returns: ReturnFolder { returns(OwnSyncs()) }

  func returns(_ groups: OwnSyncs) -> ReturnFolder {
    ReturnFolder(
      done: CutFolder(done, cut), failed: CutFolder(failed, cut), lists: CutFolder(lists, cut),
      groups: groups, copies: CopyRoom { _ in self.floor.withLock { $0 } })
  }

  /// Returns the failure if there will never be results.
  @discardableResult
  func giveBack(
    _ number: UInt64 = 1, named name: FileName? = ReturnBench.name, of sum: FileCopy.Sum? = nil,
    telling outcome: OutcomeSource? = nil
  ) async throws -> Failure? {
    var lack: Failure?
    try await returns.giveBack(
      ListID(number), named: name, of: sum, telling: outcome, lacking: { lack = $0 })
    return lack
  }

  /// The start after a crash.
  func restart() throws {
    cut.set(.never, at: 0)
    try returns.sweep()
  }
}
