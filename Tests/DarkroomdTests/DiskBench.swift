// SPDX-License-Identifier: Apache-2.0
// The record and the folders of the daemon on a simulated disk, whose calls a test makes fail.

import Linux
import Record
import Support
import Vocabulary

@testable import darkroomd

final class DiskBench: ListBench {
  let disk = SimulatedDisk()
  let clock = SimulatedClock(uptime: .seconds(1000))
  let folders: StateFolders
  let recorder: Recorder
  let index = ListIndex()
  let lists: OpenLists
  let told: ToldLines
  let changes = ChangeSignal()

  private init() throws {
    let root = disk.rootFolder
    func folder(_ name: StaticString) throws -> any Folder {
      try root.folder(FileName(literal: name), creating: true)
    }
    folders = try StateFolders(
      state: folder("state"), prints: folder("prints"), done: folder("done"),
      failed: folder("failed"))
    (recorder, _) = try Recorder.open(
      folders.state, time: clock,
      settings: JournalSettings(stateID: "a", bootID: "b", segmentBytes: 1 << 20)
    ) { _ in }
    lists = OpenLists(folders, most: 64)
    told = try ToldLines()
  }

  static func use(_ body: (DiskBench) async throws -> Void) async throws {
    let bench = try DiskBench()
    do { try await body(bench) } catch {
      await bench.close()
      throw error
    }
    await bench.close()
  }

  /// Ends the threads of the record, also on a disk that still fails.
  private func close() async {
    disk.fail(nil)
    await recorder.close()
  }

  func narrator(_ settings: Settings.Report = Settings.Report()) -> Narrator {
    Narrator(
      told.reporter, recorder: recorder, index: index, clock: clock, changes: changes,
      settings: settings)
  }
}

extension SimulatedDisk.Fault {
  /// Every such call fails as on a damaged disk.
  static func broken(_ call: SimulatedDisk.Call) -> Self {
    Self(call, code: SystemError.Name.inputOutput.rawValue, isPermanent: true)
  }
}

/// A folder of a disk that fails every call.
func brokenFolder() -> any Folder {
  let disk = SimulatedDisk()
  disk.fail(.init(nil, code: SystemError.Name.inputOutput.rawValue, isPermanent: true))
  return disk.rootFolder
}
