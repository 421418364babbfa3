// SPDX-License-Identifier: Apache-2.0
// A child process, and our ends of its packet socket and its log; apart from /dev/null the child holds
// no other descriptor. The owner must `reap` it once its `descriptor` is readable.
// Raises `SystemError`, including if the program cannot be executed.

internal import CLinux
package import Vocabulary

package struct ChildProcess: ~Copyable, Sendable {
  package let number: Int32
  /// The other end is the child's descriptor 3.
  package let socket: PacketSocket
  /// The child's standard error; reading never waits.
  package let log: Descriptor
  private let handle: Descriptor

  /// Readable once the process has ended.
  package var descriptor: Int32 { handle.number }

  /// `path` must be absolute; `words` are the arguments after the program's name.
  package init(path: String, words: [String]) throws(SystemError) {
    let (ours, theirs) = try unsafe Self.pair("socketpair") { unsafe dr_packet_pair($0) }
    let socket = PacketSocket(owning: Descriptor(owning: ours))
    let childSocket = Descriptor(owning: theirs)
    let (reader, writer) = try unsafe Self.pair("pipe") { unsafe dr_pipe($0) }
    let log = Descriptor(owning: reader)
    let childLog = Descriptor(owning: writer)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let bytes = ([name] + words + [""]).flatMap { (word: String) -> [CChar] in
      word.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    var child = dr_child()
    try Calls.run("posix_spawn", path) {
      unsafe dr_child_start(path, bytes, childSocket.number, childLog.number, &child)
    }
    number = child.process
    handle = Descriptor(owning: child.handle)
    self.socket = socket
    self.log = log
  }

  static func pair(
    _ call: StaticString, _ make: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(SystemError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try Calls.run(call, "child process") { unsafe make(&ends) }
    return (ends[0], ends[1])
  }

  /// Sends SIGKILL through the pidfd, so never to another process that got the same number.
  package func kill() { _ = dr_child_kill(handle.number) }

  /// The processor time it has used, before it is reaped; nil if the kernel does not tell.
  package var processorTime: Duration? {
    let used = dr_child_nanoseconds(number)
    return used < 0 ? nil : .nanoseconds(used)
  }

  /// The exit status; nil while the process runs.
  package func reap() -> ExitStatus? { ExitStatus(of: dr_child_reap(handle.number)) }
}

/// How a process ended.
package enum ExitStatus: Equatable, Sendable {
  case code(Int32)
  case signal(Int32)
  case unknown

  package static let killed = ExitStatus.signal(9)

  /// From `dr_child_reap`; nil while the process runs.
  init?(of result: Int32) {
    if result == -11 { return nil }
    // Below zero: no longer our child, since other code has collected its exit status.
    self = result < 0 ? .unknown : result < 256 ? .code(result) : .signal(result - 256)
  }

  /// Fits "the worker …".
  package var words: String {
    switch self {
    case .code(let code): "exited with code \(code)"
    case .signal(let number): "was killed by \(Self.name(number))"
    case .unknown: "ended"
    }
  }

  private static func name(_ signal: Int32) -> String {
    switch signal {
    case 4, 5, 6: "a failed internal check (signal \(signal))"
    case 7, 11: "an invalid memory access (signal \(signal))"
    case 8: "an invalid division (signal 8)"
    case 9: "the kernel or an operator (signal 9)"
    case 15: "an operator (signal 15)"
    case 24: "its processor time limit"
    case 31: "its sandbox (signal 31)"
    default: "signal \(signal)"
    }
  }
}

extension ThisProcess {
  /// Ends the process after flushing its output buffers.
  package static func end(with code: Int32) -> Never { dr_end(code) }

  /// Time since boot, without sleep.
  package static func awakeTime() -> Duration { .nanoseconds(Int64(dr_awake_nanoseconds())) }
}
