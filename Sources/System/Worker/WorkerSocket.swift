// SPDX-License-Identifier: Apache-2.0
// The worker's socket: descriptor 3, which brings requests with their files and takes answers.
// Raises `SystemError`; an invalid request ends the worker, and the daemon notices its end.

import Linux
import Vocabulary

struct WorkerSocket: ~Copyable {
  /// While the kernel lacks memory for a packet, the call is repeated for about five seconds: an end of the
  /// worker would be the picture's fault.
  private static let tries = 100
  private static let pause = Duration.milliseconds(50)

  private let socket: PacketSocket

  /// Takes ownership of descriptor 3, which the daemon has opened for the worker.
  init() { socket = PacketSocket(owning: Descriptor(owning: 3)) }

  struct Delivery {
    let request: WorkerRequest
    let input: any OpenFile
    let output: any OpenFile
    let thumbnail: (any OpenFile)?
  }

  /// The next request; nil once the daemon has closed its end.
  func next() throws(SystemError) -> Delivery? {
    let (bytes, files) = try patiently { () throws(SystemError) in
      try socket.wait(atMost: WorkerRequest.maximumSize)
    }
    if bytes.isEmpty { return nil }
    // The files of a broken request stay open: the process ends anyway.
    guard let request = WorkerRequest(decoding: bytes), files.count == request.body.files
    else {
      throw SystemError(.badProtocol, call: "recvmsg", thing: "request")
    }
    return Delivery(
      request: request,
      input: LinuxFile(owning: Descriptor(owning: files[0]), thing: "the input file"),
      output: LinuxFile(owning: Descriptor(owning: files[1]), thing: "the output file"),
      thumbnail: files.count < 3
        ? nil : LinuxFile(owning: Descriptor(owning: files[2]), thing: "the thumbnail"))
  }

  func send(_ answer: WorkerAnswer) throws(SystemError) {
    let bytes = answer.encoded
    try patiently { () throws(SystemError) in try socket.send(bytes) }
  }

  private func patiently<Value>(
    _ act: () throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    for _ in 1..<Self.tries {
      do throws(SystemError) { return try act() } catch {
        switch error.name {
        case .again, .outOfMemory, .noBuffers: _ = try? Poll.wait([], for: Self.pause)
        default: throw error
        }
      }
    }
    return try act()
  }
}
