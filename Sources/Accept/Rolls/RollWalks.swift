// SPDX-License-Identifier: Apache-2.0
// Which folders without pictures a sweep looks through again: the folders whose watch rang, and after a while the
// others, beginning with the one that was looked through the longest ago. Such a folder may have very many files, and
// every sweep of the inbox would take seconds, so a user's folders have a limit for each while. A value.

internal import Vocabulary

struct RollWalks: Sendable {
  /// Changes below a folder, or of another machine, do not ring.
  static let interval: Duration = .seconds(60)
  /// Entries of all folders of a user that are looked through again in the interval.
  static let limit = Roll.maximumEntries

  /// Not looked through since.
  private var rung: Set<Candidate.Key> = []
  private var walked: [UInt32: Int] = [:]
  private var begun: Duration?

  /// - Parameter files: all folders without pictures.
  /// - Parameter names: the folders whose watch rang since the last call.
  mutating func choose(
    _ files: [WaitingFile], rung names: Set<FileName>, at now: Duration
  ) -> Set<Candidate.Key> {
    let isWhole = begun.map { now - $0 >= Self.interval } ?? true
    if isWhole {
      begun = now
      walked = [:]
    }
    rung.formUnion(names.map { Candidate.Key($0) })
    rung.formIntersection(files.map(\.candidate.key))
    let wanted = files.filter { isWhole || rung.contains($0.candidate.key) }
    var chosen: Set<Candidate.Key> = []
    for file in wanted.sorted(by: { $0.walkedAt < $1.walkedAt }) {
      let owner = file.candidate.status.owner
      let before = walked[owner, default: 0]
      // The first has its turn, however large it is.
      if before > 0, before + file.entries > Self.limit { continue }
      walked[owner] = before + max(1, file.entries)
      chosen.insert(file.candidate.key)
    }
    rung.subtract(chosen)
    return chosen
  }
}
