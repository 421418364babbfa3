// SPDX-License-Identifier: Apache-2.0
// Runs `proxy.py` for tests: starts it, sets its mode, reads its log, ends it. Concurrency: immutable; the helper has a
// lock of its own.

import Foundation

package final class TestProxy: Sendable {
  package let port: Int
  private let process: HelperProcess
  private let log: String

  /// - Parameter port: 0 for any.
  package init(
    in fresh: FreshFolder, port: Int = 0, login: String? = nil, certificate: String? = nil,
    key: String? = nil
  ) throws {
    log = "\(fresh.path)/proxy.log"
    var arguments = [
      "python3", Repository.path("Tests/Support/proxy.py"), "--log", log, "--port", "\(port)",
    ]
    if let login { arguments += ["--login", login] }
    if let certificate, let key { arguments += ["--certificate", certificate, "--key", key] }
    process = try HelperProcess(arguments)
    guard let line = process.readLine(), let port = Int(line.dropFirst("port ".count)) else {
      throw CocoaError(.fileReadUnknown)
    }
    self.port = port
  }

  /// See `proxy.py`. In force when this returns.
  package func set(_ mode: String) {
    process.write("\(mode)\n")
    _ = process.readLine()
  }

  /// The requests, as `CONNECT host:443`.
  package func requests() -> [String] {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// Returns when it has ended.
  package func stop() {
    process.closeInput()
    while process.readLine() != nil {}
  }
}
