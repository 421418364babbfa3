// SPDX-License-Identifier: Apache-2.0
// Of pictures in the inbox itself, those that the disk has room for: the smallest first, so that a large one holds up
// no other. The next roll has the rest. Raises an `Attempt` if there is room for none.

internal import Vocabulary

struct RollRoom {
  let roll: Roll
  /// Why there is no room for copies of this size; nil if there is. Room for a size is room for every smaller one.
  let lack: (UInt64) -> Failure?

  func fitting() throws(Attempt) -> Roll {
    let ascending = roll.pictures.sorted { $0.status.size < $1.status.size }
    var sums: [UInt64] = []
    var copies = Roll.Copies()
    for picture in ascending {
      let size = copies.needsCopy(picture.status) ? picture.status.size : 0
      let (sum, overflows) = (sums.last ?? 0).addingReportingOverflow(size)
      sums.append(overflows ? .max : sum)
    }
    let count = count(of: sums)
    // Without a failure there is room meanwhile.
    guard count > 0 else { throw failure(ascending)?.lackOfRoom ?? .changed }
    return Roll(roll.key, roll.folder, pictures: Array(ascending.prefix(count)))
  }

  /// How many of the ascending sums there is room for; it asks the file system a few times only.
  private func count(of sums: [UInt64]) -> Int {
    var range = 0..<sums.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = lack(sums[middle]) == nil ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  private func failure(_ ascending: [Roll.Picture]) -> Failure? {
    guard let first = ascending.first, let failure = lack(first.status.size) else { return nil }
    let others = ascending.count - 1
    let also = others == 0 ? "" : "; \(others) more \(others == 1 ? "is" : "are") no smaller"
    return Failure(
      failure.kind, code: failure.code,
      reason: "there is no room for the picture \(Roll.text(first.path)): \(failure.reason)\(also)",
      advice: failure.advice)
  }
}

extension Failure {
  /// Pictures that no room on this disk would be enough for are a mistake of their owner.
  var lackOfRoom: Attempt { kind == .final ? .unreadable(self) : attempt }
}
