// SPDX-License-Identifier: Apache-2.0
// Measures the free space after each download, acceptance and reload, and twice a second while it is short
// and there is work. During a shortage the cache is emptied and downloads wait; no photo fails. Raises
// nothing: a folder that cannot be measured is left out.
// Concurrency model: the measures belong to the task in `run`; other tasks ring.

import Linux
import Vocabulary

final class SpaceWatch: Sendable {
  /// The pause between measures while room is short and there is work.
  private static let interval = Duration.milliseconds(500)
  /// Rings within this time lead to one measure.
  private static let shortest = Duration.milliseconds(100)

  static let stateName = "the state folder"

  private let folders: [(name: String, folder: any Folder)]
  private let clock: any Timekeeper
  private let settings: LiveSettings
  private let bell = ChangeSignal()

  init(_ folders: StateFolders, clock: any Timekeeper, settings: LiveSettings) {
    self.folders =
      [(Self.stateName, folders.state)]
      + (folders.store == nil ? [("the folder of prints", folders.prints)] : [])
    self.clock = clock
    self.settings = settings
  }

  /// Call when free space may have changed.
  func look() { bell.changed() }

  /// Runs until it is cancelled. Measures at once.
  /// - Parameter makeRoom: removes files that can be downloaded again, before downloads have to wait.
  /// - Parameter tell: called with the first measure, then with the shortage when it begins and with nil
  ///   when it is over.
  func run(
    hasWork: () -> Bool, makeRoom: () -> Void, telling tell: (Failure?) -> Void
  ) async {
    var floor = SpaceFloor()
    var isFirst = true
    while !Task.isCancelled {
      let seen = bell.version
      let setting = settings.current.download.freeSpace
      guard var measures = await lookOnDisk({ [self] in measures() }) else { return }
      if floor.low == nil, SpaceFloor.isShort(measures, setting: setting) {
        await onDisk { makeRoom() }
        guard let again = await lookOnDisk({ [self] in self.measures() }) else { return }
        measures = again
      }
      // A folder that cannot be measured does not end a shortage; a failed write there is reported by
      // its writer.
      let isKnown = measures.count == folders.count || floor.low == nil
      let isNews = isKnown && floor.take(measures, setting: setting)
      if isNews || isFirst { tell(floor.failure(setting: setting)) }
      isFirst = false
      await clock.rest(Self.shortest)
      if floor.low != nil, hasWork() {
        await bell.change(after: seen, within: Self.interval, on: clock)
      } else {
        await bell.change(after: seen)
      }
    }
  }

  /// Waits for the disk.
  func measures() -> [SpaceFloor.Measure] {
    folders.compactMap { name, folder in
      guard let room = try? folder.room() else { return nil }
      return SpaceFloor.Measure(name: name, free: room.free, total: room.total)
    }
  }
}
