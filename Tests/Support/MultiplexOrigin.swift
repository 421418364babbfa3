// SPDX-License-Identifier: Apache-2.0
// An origin that speaks HTTP/2, if a program for it is installed.

import Foundation

package final class MultiplexOrigin: Sendable {
  package let port: Int
  private let process: HelperProcess
  private let log: String

  /// Serves the subfolder `served` with `key` and `certificate` from the folder; nil if no program here
  /// can.
  package static func start(_ fresh: FreshFolder) async -> MultiplexOrigin? {
    try? await ProgramStarter.shared.get().run { try MultiplexOrigin(fresh) }
  }

  private init(_ fresh: FreshFolder) throws {
    log = "\(fresh.path)/multiplex.log"
    process = try HelperProcess([
      "python3", Repository.path("Tests/Support/multiplex.py"), "\(fresh.path)/served",
      "\(fresh.path)/key", "\(fresh.path)/certificate", log,
    ])
    guard let line = process.readLine(), let port = Int(line.dropFirst("port ".count)) else {
      throw OriginProblem(text: "no program here speaks HTTP/2")
    }
    self.port = port
  }

  /// The number of connections with a request; each has a number in the log.
  package func connections() -> Int {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    let numbers = text.split(separator: "\n").filter { $0.contains("recv HEADERS frame") }
      .compactMap { line in line.split(separator: "]").first.map(String.init) }
    return Set(numbers).count
  }

  package func stop() { process.closeInput() }
}
