// SPDX-License-Identifier: Apache-2.0
// The way in which prints are made in a folder that other processes also print into: once, as far as its file system
// can keep that. Raises `StartFailure`. Every call waits for a disk.

import Linux
import Output
import Vocabulary

enum SharedPrints {
  /// - Parameter isMarked: of a folder that nodes share; nil for another. One without its mark is not tried.
  static func ways(
    _ places: Places, isPart: Bool, isMarked: Bool?
  ) throws(StartFailure) -> PrintWays {
    let way = isMarked == false ? nil : try way(places, isPart: isPart)
    return isMarked == nil ? PrintWays(way ?? .replace) : PrintWays(trying: places.mark)
  }

  /// A folder of one daemon has its prints replaced. Tasks of one list can share any folder, since their ranges tell
  /// them apart. A node needs one that is fit: another node takes its photos over.
  static func way(_ places: Places, isPart: Bool) throws(StartFailure) -> PrintWay {
    if places.mark.isEmpty { return .replace }
    do throws(StartFailure) { return try check(places) } catch {
      guard isPart, error.trouble == nil, error.code == ExitCode.configuration else { throw error }
      say("\(error.words); tasks whose ranges overlap replace each other's prints")
      return .replace
    }
  }

  /// Raises the reason why the folder is unfit.
  static func check(_ places: Places) throws(StartFailure) -> PrintWay {
    let found = try StartFailure.unlessOnDisk("with the folder of prints") {
      () throws(SystemError) in
      try PrintWay.once(in: LinuxFolder.open(path: places.prints), mark: places.mark)
    }
    switch found {
    case .way(let way): return way
    case .unfit(let reason):
      throw StartFailure(
        ExitCode.configuration,
        "the file system of \(places.prints) cannot keep the first of two prints of a photo: \(reason)"
      )
    }
  }
}
