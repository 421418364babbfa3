// SPDX-License-Identifier: Apache-2.0
// A running program of this package or of the system: its output and its end. It never outlives the tests:
// `DaemonBench` ends it, its deinit does, or the kernel when the tests are gone. Concurrency model: `board`
// holds the output; two threads read it, a third waits for the end. `isThere` guards the process number,
// which gets no signal once it may be reused.

import Foundation
internal import Linux
import Synchronization

package struct ProgramEnd: Sendable, Equatable, CustomStringConvertible {
  /// The exit code, or 128 plus the number of the signal.
  package let code: Int32
  package let output: String
  package let errors: String

  package var description: String { "code \(code)\n\(output)\n\(errors)" }
}

package struct ProgramProblem: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

package final class RunningProgram: Sendable {
  private struct Heard: Sendable {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var open = 2
    var code: Int32?

    var isOver: Bool { code != nil && open == 0 }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  package let pid: Int32
  private let board = EventBoard(Heard())
  private let isThere = Mutex(true)
  package let name: String

  /// - Parameter user: the user that it runs as, which needs root.
  package static func start(
    _ arguments: [String], as user: UInt32? = nil, environment: [String: String] = [:]
  ) async throws -> RunningProgram {
    try await ProgramStarter.shared.get().run {
      try RunningProgram(arguments, as: user, environment: environment)
    }
  }

  private init(_ arguments: [String], as user: UInt32?, environment: [String: String]) throws {
    name = arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
    let (output, errors) = (Pipe(), Pipe())
    let identity = user.map { ["--reuid", "\($0)", "--regid", "\($0)", "--clear-groups"] } ?? []
    // Variables of a supervisor are not meant for our children.
    let strange = ["NOTIFY_SOCKET", "JOURNAL_STREAM", "WATCHDOG_USEC", "WATCHDOG_PID"]
    pid = try ChildProgram.start(
      ["setpriv", "--pdeathsig", "KILL"] + identity + arguments,
      ChildProgram.Streams(
        output: output.fileHandleForWriting.fileDescriptor,
        errors: errors.fileHandleForWriting.fileDescriptor),
      environment: ProcessInfo.processInfo.environment
        .filter { !strange.contains($0.key) }.merging(environment) { $1 })
    try output.fileHandleForWriting.close()
    try errors.fileHandleForWriting.close()
    try listen(output.fileHandleForReading) { $0.output += $1 }
    try listen(errors.fileHandleForReading) { $0.errors += $1 }
    try OwnThread.start("awaiter") { [weak self, board, pid] in
      ChildProgram.awaitEnd(of: pid)
      let code = self?.reap() ?? ChildProgram.waitForEnd(of: pid)
      board.change { $0.code = code }
    }
  }

  deinit { send(SIGKILL) }

  private func reap() -> Int32 {
    isThere.withLock { isThere in
      isThere = false
      return ChildProgram.waitForEnd(of: pid)
    }
  }

  private func listen(
    _ handle: FileHandle, _ add: @escaping @Sendable (inout Heard, [UInt8]) -> Void
  ) throws {
    try OwnThread.start("listener") { [board] in
      while true {
        let bytes = handle.readSome()
        if bytes.isEmpty { break }
        board.change { add(&$0, bytes) }
      }
      try? handle.close()
      board.change { $0.open -= 1 }
    }
  }

  package var isRunning: Bool { board.value.code == nil }
  /// Its standard error until now.
  package var errors: String { board.value.errorText }
  /// Its standard output until now.
  package var output: String { String(decoding: board.value.output, as: UTF8.self) }

  /// Does nothing once the program has ended.
  package func send(_ signal: Int32) { isThere.withLock { if $0 { kill(pid, signal) } } }

  /// Stops the program; returns once none of its threads runs, for which the signal alone does not
  /// wait.
  package func halt() async throws {
    send(SIGSTOP)
    let tasks = "/proc/\(pid)/task"
    let isHalted = {
      try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
        // A thread that has ended meanwhile does not run any more.
        guard let line = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
        else { return true }
        return line[(line.lastIndex(of: ")") ?? line.startIndex)...].hasPrefix(") T")
      }
    }
    guard try await Patience.sees({ try !isRunning || isHalted() }) else {
      throw ProgramProblem("\(name) does not stand still")
    }
  }

  /// Returns once the words have appeared this often on standard error; throws if they do not.
  package func says(_ words: String, times: Int = 1) async throws {
    let isThere: @Sendable (Heard) -> Bool = { heard in
      heard.errorText.components(separatedBy: words).count > times
    }
    _ = await board.wait { isThere($0) || $0.isOver }
    if isThere(board.value) { return }
    throw ProgramProblem("\(name) did not say '\(words)'; it said:\n\(errors)")
  }

  /// Waits for its end.
  package func end(seconds: Int = Patience.seconds) async throws -> ProgramEnd {
    let isOver = await board.wait(seconds: seconds) { $0.isOver }
    let heard = board.value
    guard isOver, let code = heard.code else {
      throw ProgramProblem("\(name) did not end; it said:\n\(errors)")
    }
    return ProgramEnd(
      code: code, output: String(decoding: heard.output, as: UTF8.self), errors: heard.errorText)
  }

  /// Ends it as a power cut would.
  package func cut() async {
    send(SIGKILL)
    _ = await board.wait { $0.code != nil }
  }
}
