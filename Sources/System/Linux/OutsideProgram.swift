// SPDX-License-Identifier: Apache-2.0
// An administrator's program, run to its end: without arguments or shell, in a separate session. Promises: the
// program ends within its time, or it is killed. Its process group is killed in any case, so that no process stays
// behind. The end of the output is kept; the rest is read and dropped. Raises `SystemError` if it cannot be started.
// Concurrency: the calling thread waits.

internal import CLinux
package import Vocabulary

package enum OutsideProgram {
  /// The bytes of the output that are kept.
  package static let mostOutput = 4096
  /// A killed process that waits for a dead disk does not end; the caller continues without it.
  private static let patience = Duration.seconds(5)

  package enum End: Equatable, Sendable {
    case ended(ExitStatus)
    case tooLong
    case stopped
  }

  package struct Outcome: Equatable, Sendable {
    package let end: End
    /// The last bytes that it wrote to its standard output and error.
    package let output: [UInt8]
  }

  /// - Parameters:
  ///   - variables: the whole environment, `NAME=value` each, without NUL.
  ///   - stop: the program is killed when this descriptor is readable.
  package static func run(
    _ path: String, variables: [[UInt8]], for limit: Duration, until stop: Int32
  ) throws(SystemError) -> Outcome {
    try RunningProgram(path, variables).run(for: limit, until: stop)
  }

  private struct RunningProgram: ~Copyable {
    private let number: Int32
    private let handle: Descriptor
    private let output: Descriptor
    private var kept: [UInt8] = []

    init(_ path: String, _ variables: [[UInt8]]) throws(SystemError) {
      let (reader, writer) = try unsafe ChildProcess.pair("pipe") { unsafe dr_pipe($0) }
      let output = Descriptor(owning: reader)
      let log = Descriptor(owning: writer)
      let bytes = (variables + [[]]).flatMap { $0 + [0] }.map(CChar.init(bitPattern:))
      var child = dr_child()
      try Calls.run("posix_spawn", path) {
        unsafe dr_program_start(path, bytes, log.number, &child)
      }
      number = child.process
      handle = Descriptor(owning: child.handle)
      self.output = output
    }

    consuming func run(for limit: Duration, until stop: Int32) throws(SystemError) -> Outcome {
      let end: End?
      do throws(SystemError) { end = try wait(for: limit, until: stop) } catch {
        finish()
        throw error
      }
      let status = finish()
      readRest()
      return Outcome(end: end ?? .ended(status), output: kept)
    }

    /// Nil if it ended by itself.
    private mutating func wait(for limit: Duration, until stop: Int32) throws(SystemError) -> End? {
      let due = ThisProcess.awakeTime() + limit
      var isOpen = true
      while true {
        let left = due - ThisProcess.awakeTime()
        guard left > .zero else { return .tooLong }
        var watches = [Poll.Watch(handle.number), Poll.Watch(stop)]
        if isOpen { watches.append(Poll.Watch(output.number)) }
        let found = try Poll.wait(watches, for: left)
        if found.count > 2, found[2].isReady { isOpen = read() != 0 }
        // A stop of the whole unit may have killed the program as well.
        if found[1].isReady { return .stopped }
        if found[0].isReadable { return nil }
      }
    }

    /// Kills the group while its first process is not reaped, so never another group of that number.
    @discardableResult
    private func finish() -> ExitStatus {
      _ = dr_group_kill(number)
      _ = try? Poll.wait([Poll.Watch(handle.number)], for: OutsideProgram.patience)
      return ExitStatus(of: dr_child_reap(handle.number)) ?? .unknown
    }

    /// A process that has left the group may still write: reads a few pieces only.
    private mutating func readRest() {
      var left = 16
      while left > 0, let count = read(), count > 0 { left -= 1 }
    }

    /// The number of bytes read: 0 at the end, nil if there are none at the moment.
    private mutating func read() -> Int? {
      guard let bytes = output.readAvailable(atMost: 16 * OutsideProgram.mostOutput) else {
        return nil
      }
      kept = (kept + bytes).suffix(OutsideProgram.mostOutput)
      return bytes.count
    }
  }
}
