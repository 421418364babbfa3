// SPDX-License-Identifier: Apache-2.0
// One worker as the pool's thread holds it: process, socket, log. Belongs to that thread alone.
// Raises `SystemError` where it cannot be started or spoken to.

import Linux
import Vocabulary

final class WorkerProcess {
  /// A worker has little to say; one that says more is not listened to any longer.
  private static let maximumLogBytes = 8192
  private static let maximumLine = 300

  private let child: ChildProcess
  private var unfinishedLine: [UInt8] = []
  private var logBytes = 0
  /// What is still listened to: a dead one's socket would wake us without end.
  private(set) var listensToSocket = true
  private(set) var listensToLog = true

  init(path: String, options: WorkerOptions) throws(SystemError) {
    child = try ChildProcess(path: path, words: options.words)
  }

  var number: Int32 { child.number }

  var watches: [Poll.Watch] {
    var all = [Poll.Watch(child.descriptor)]
    if listensToSocket { all.append(Poll.Watch(child.socket.descriptor)) }
    if listensToLog { all.append(Poll.Watch(child.log.number)) }
    return all
  }

  enum Word: Equatable {
    case answer(WorkerAnswer)
    case nonsense
    case hungUp
    case nothing
  }

  /// The next thing it has said.
  func listen() -> Word {
    guard listensToSocket else { return .nothing }
    do throws(SystemError) {
      let packet = try child.socket.take(atMost: WorkerAnswer.maximumSize)
      if packet.isEmpty {
        listensToSocket = false
        return .hungUp
      }
      return WorkerAnswer(decoding: packet).map(Word.answer) ?? .nonsense
    } catch {
      if error.code == 11 { return .nothing }
      if error.code == 90 { return .nonsense }
      listensToSocket = false
      return .hungUp
    }
  }

  func send(_ request: WorkerRequest, _ input: Int32, _ output: Int32) throws(SystemError) {
    try child.socket.send(request.encoded, files: [input, output])
  }

  func kill() {
    child.kill()
    listensToSocket = false
  }

  func reap() -> ExitStatus? { child.reap() }

  /// Whole lines from its log; what is left when it ends counts as one.
  func readLog() -> [String] {
    guard listensToLog, let bytes = child.log.readAvailable(atMost: 4096) else { return [] }
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
