// SPDX-License-Identifier: Apache-2.0
// One worker as the pool's loop sees it: process, socket, log. Belongs to the loop's task alone. Raises
// `SystemError` if it cannot be started or reached.

import Linux
import Vocabulary

final class WorkerProcess {
  /// A worker logs little; the rest of a longer log is not read.
  private static let maximumLogBytes = 8192
  private static let maximumLine = 300

  /// Executed on another thread, then handed over.
  final class Child: Sendable {
    let process: ChildProcess

    init(path: String, options: WorkerOptions) throws(SystemError) {
      process = try ChildProcess(path: path, words: options.words)
    }
  }

  private let handle: Child
  private var unfinishedLine: [UInt8] = []
  private var logBytes = 0
  /// False after the end or a kill: a dead worker's socket stays readable and would wake the loop forever.
  private(set) var listensToSocket = true
  private(set) var listensToLog = true
  /// Killed by the pool.
  private(set) var isKilled = false
  /// Its processor time when the request was sent.
  private var spentBefore = Duration.zero

  init(_ handle: Child) { self.handle = handle }

  var number: Int32 { handle.process.number }

  var watches: [Poll.Watch] {
    var all = [Poll.Watch(handle.process.descriptor)]
    if listensToSocket { all.append(Poll.Watch(handle.process.socket.descriptor)) }
    if listensToLog { all.append(Poll.Watch(handle.process.log.number)) }
    return all
  }

  enum Word: Equatable {
    case answer(WorkerAnswer)
    case nonsense
    case hungUp
    /// This machine cannot receive it.
    case broken(SystemError)
    case nothing
  }

  /// The worker's next packet.
  func listen() -> Word {
    guard listensToSocket else { return .nothing }
    do throws(SystemError) {
      let packet = try handle.process.socket.take(atMost: WorkerAnswer.maximumSize)
      if packet.isEmpty {
        listensToSocket = false
        return .hungUp
      }
      return WorkerAnswer(decoding: packet).map(Word.answer) ?? .nonsense
    } catch {
      switch error.name {
      case .again: return .nothing
      case .messageTooLong: return .nonsense
      default: break
      }
      listensToSocket = false
      return error.name == .connectionReset ? .hungUp : .broken(error)
    }
  }

  func send(_ request: WorkerRequest, _ files: [Int32]) throws(SystemError) {
    spentBefore = handle.process.processorTime ?? .zero
    try handle.process.socket.send(request.encoded, files: files)
  }

  /// The processor time since the request; nil if it is not known.
  var spent: Duration? { handle.process.processorTime.map { $0 - spentBefore } }

  func kill() {
    handle.process.kill()
    isKilled = true
    listensToSocket = false
  }

  func reap() -> ExitStatus? { handle.process.reap() }

  /// Whole lines of the log; an unfinished line counts when the log ends.
  func readLog() -> [String] {
    guard listensToLog, let bytes = handle.process.log.readAvailable(atMost: 4096) else {
      return []
    }
    logBytes += bytes.count
    unfinishedLine += bytes
    var lines = unfinishedLine.split(separator: 0x0A, omittingEmptySubsequences: false)
    let rest = lines.removeLast()
    unfinishedLine = Array(rest)
    if bytes.isEmpty || logBytes > Self.maximumLogBytes {
      listensToLog = false
      lines.append(rest)
      unfinishedLine = []
    }
    return lines.filter { !$0.isEmpty }.map { Printable.text($0, limit: Self.maximumLine) }
  }
}
