// SPDX-License-Identifier: Apache-2.0
// The workers that `develop` and `check` use without the daemon, and the reading of what they wrote.
// Raises `worker.missing` where there is none.

internal import Linux
internal import Vocabulary

package enum LocalWorkers {
  static func make() throws(Failure) -> any Workers {
    throw missing(try path())
  }

  static func open(_ catalog: any OpenFile, _ limits: ListLimits) throws(Failure) -> CheckedList {
    throw missing(try path())
  }

  /// Where the worker can be, seen from the tool: installed beside it, or built beside it.
  package static func places(of program: String) -> [String] {
    let parts = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let folder = parts.joined(separator: "/")
    let parent = parts.dropLast().joined(separator: "/")
    return ["\(parent)/libexec/darkroom/darkroom-worker", "\(folder)/darkroom-worker"]
  }

  private static func path() throws(Failure) -> String {
    let places = places(of: Surroundings.program ?? "")
    for place in places where (try? Surroundings.openNamed(place)) != nil { return place }
    throw missing(places[0])
  }

  private static func missing(_ place: String) -> Failure {
    Failure(
      .machine, code: "worker.missing",
      reason: "the worker cannot be used: \(Printable.text(place))",
      advice: "install darkroom with its darkroom-worker")
  }
}
