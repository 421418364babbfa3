// SPDX-License-Identifier: Apache-2.0
// One real worker in its usual sandbox, used without a pool, since its process number is needed:
// the kernel reports its peak memory.

import Linux
import Support
import Testing
import Vocabulary

@testable import Worker

final class LoneWorker {
  private let child: ChildProcess

  init(owner: UInt32?, memory: UInt64) throws {
    let options = WorkerOptions(
      owner: owner ?? 0, readsLists: owner == nil, nice: 0, memory: memory, output: 1 << 30)
    child = try ChildProcess(
      path: try WorkerBench.program("darkroom-worker"), words: options.words)
    guard case .ready = try next() else { throw CancellationError() }
  }

  deinit {
    child.kill()
    _ = try? Poll.wait([Poll.Watch(child.descriptor)], for: Patience.time)
    _ = child.reap()
  }

  func develop(_ original: [UInt8], _ order: DevelopOrder) throws -> WorkerAnswer.Body {
    try ask(.develop(order, thumbnail: 0), order.timeout, about: original)
  }

  func readList(_ list: [UInt8]) throws -> WorkerAnswer.Body {
    try ask(.readList(ListLimits()), Patience.time, about: list)
  }

  private func ask(
    _ body: WorkerRequest.Body, _ timeout: Duration, about bytes: [UInt8]
  ) throws -> WorkerAnswer.Body {
    let request = WorkerRequest(number: 1, timeout: timeout, body: body)
    let (input, output) = (try ScratchFile.make(bytes), try ScratchFile.make())
    try child.socket.send(request.encoded, files: [input.descriptor, output.descriptor])
    return try next()
  }

  private func next() throws -> WorkerAnswer.Body {
    _ = try Poll.wait([Poll.Watch(child.socket.descriptor)], for: Patience.time)
    let bytes = try child.socket.take(atMost: WorkerAnswer.maximumSize)
    return try #require(WorkerAnswer(decoding: bytes)).body
  }

  /// The peak of its resident memory until now, in bytes.
  func peak() throws -> Int {
    let folder = try LinuxFolder.open(path: "/proc/\(child.number)")
    let status = try folder.open(FileName(literal: "status"), .read)
    let text = String(decoding: try status.read(at: 0, upTo: 8192), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return try #require(number.flatMap { Int($0) }) * 1024
  }
}
