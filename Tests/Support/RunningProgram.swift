// SPDX-License-Identifier: Apache-2.0
// A program of this package or of the system while it runs: what it says, line by line, and how it ends.
// It never outlives the test: `DaemonBench` ends it, its own end does, or the kernel when we are gone.
// Concurrency model: `board` holds what was heard; two threads read its outputs, a third waits for its end.
// `isThere` guards its number: nobody signals it once it may be another's.

import Foundation
internal import Linux
import Synchronization

package struct ProgramEnd: Sendable, Equatable, CustomStringConvertible {
  /// The exit code, or 128 and the number of the signal.
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

  /// - Parameter user: who it runs as, where we are root.
  package static func start(
    _ arguments: [String], as user: UInt32? = nil, environment: [String: String] = [:]
  ) async throws -> RunningProgram {
    try await ProgramStarter.shared.run {
      try RunningProgram(arguments, as: user, environment: environment)
    }
  }

  private init(_ arguments: [String], as user: UInt32?, environment: [String: String]) throws {
    name = arguments.first.map { String($0.split(separator: "/").last ?? "") } ?? ""
    let (output, errors) = (Pipe(), Pipe())
    let identity = user.map { ["--reuid", "\($0)", "--regid", "\($0)", "--clear-groups"] } ?? []
    // What a supervisor tells its services is not for our children.
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
    listen(output.fileHandleForReading) { $0.output += $1 }
    listen(errors.fileHandleForReading) { $0.errors += $1 }
    OwnThread.start("awaiter") { [weak self, board, pid] in
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
  ) {
    OwnThread.start("listener") { [board] in
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
  /// What it wrote to its standard error by now.
  package var errors: String { board.value.errorText }
  /// What it wrote to its standard output by now.
  package var output: String { String(decoding: board.value.output, as: UTF8.self) }

  /// Does nothing once it has ended.
  package func send(_ signal: Int32) { isThere.withLock { if $0 { kill(pid, signal) } } }

  /// Returns once none of its threads runs any more: the signal alone does not wait for that.
  package func halt() async throws {
    send(SIGSTOP)
    let tasks = "/proc/\(pid)/task"
    let isHalted = {
      try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { task in
        // A thread that has ended meanwhile runs no more.
        guard let line = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
        else { return true }
        return line[(line.lastIndex(of: ")") ?? line.startIndex)...].hasPrefix(") T")
      }
    }
    guard try await Patience.sees({ try !isRunning || isHalted() }) else {
      throw ProgramProblem("\(name) does not stand still")
    }
  }

  /// Returns once it has said so on its standard error, so often; throws where it ended without.
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

  /// As a power cut ends it.
  package func cut() async {
    send(SIGKILL)
    _ = await board.wait { $0.code != nil }
  }
}
