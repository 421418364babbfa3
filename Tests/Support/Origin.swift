// SPDX-License-Identifier: Apache-2.0
// Runs `origin.py` for tests: starts it, controls its gates, reads its log, ends it. Concurrency
// model: `state` guards the callers that wait for answers; one thread reads answers and resumes
// them.

import Foundation
import Linux
import Synchronization

package final class Origin: Sendable {
  private struct State {
    var last = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var isOver = false
  }

  package let port: Int
  package let address: String
  private let process: HelperProcess
  private let log: String
  private let state = Mutex(State())

  /// `folder` is served, `log` gets a line for each request; `entry` precedes the command, and `more` follows it.
  package init(
    folder: String, log: String, address: String = "127.0.0.1", port wish: Int = 0,
    certificate: String? = nil, key: String? = nil, entry: [String] = [],
    more: [String] = []
  ) throws {
    let script = Repository.path("Tests/Support/origin.py")
    var arguments = entry + ["python3", script, "--folder", folder]
    arguments += ["--log", log, "--bind", address, "--port", "\(wish)"]
    if let certificate, let key { arguments += ["--certificate", certificate, "--key", key] }
    process = try HelperProcess(arguments + more)
    self.log = log
    self.address = address
    guard let line = process.readLine(), let port = Int(line.dropFirst("port ".count)) else {
      throw OriginProblem(text: "the origin did not start")
    }
    self.port = port
    try OwnThread.start("origin") { self.listen() }
  }

  package func url(_ path: String, host: String? = nil, scheme: String = "http") -> String {
    "\(scheme)://\(host ?? address):\(port)\(path)"
  }

  /// Lets every request through the gate, now and later.
  package func release(_ gate: String) async { await ask("release \(gate)") }

  /// Returns once this number of requests has come to the gate.
  package func arrivals(at gate: String, _ count: Int = 1) async {
    await ask("wait \(gate) \(count)")
  }

  /// Returns once this number of clients has left while waiting at the gate.
  package func departures(at gate: String, _ count: Int = 1) async {
    await ask("gone \(gate) \(count)")
  }

  /// The most requests that were served at one time.
  package func peak() async -> Int {
    await ask("peak all")
    let lines = requests().filter { $0.hasPrefix("peak ") }
    return lines.last.flatMap { Int($0.dropFirst("peak ".count)) } ?? -1
  }

  /// The requests that have ended, as `GET /a.jpg 200 512`.
  package func requests() -> [String] {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  package func stop() { process.closeInput() }

  /// Stops it; returns once it serves nothing.
  package func end() async {
    await withCheckedContinuation { continuation in
      if enroll(continuation) == nil { continuation.resume() } else { stop() }
    }
  }

  /// The number of the answer, with which it resumes, as it does at the end; nil after that.
  private func enroll(_ continuation: CheckedContinuation<Void, Never>) -> Int? {
    state.withLock { state in
      if state.isOver { return nil }
      state.last += 1
      state.waiting[state.last] = continuation
      return state.last
    }
  }

  private func ask(_ words: String) async {
    await withCheckedContinuation { continuation in
      guard let number = enroll(continuation) else { return continuation.resume() }
      process.write("\(number) \(words)\n")
      // A wait without an answer ends here, and the expectations of the test fail.
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Patience.seconds)) {
        [weak self] in
        self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
      }
    }
  }

  private func listen() {
    while let line = process.readLine() {
      guard let number = Int(line.dropFirst("done ".count)) else { continue }
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    let left = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in left { continuation.resume() }
  }
}

package struct OriginProblem: Error {
  package let text: String

  package init(text: String) { self.text = text }
}
