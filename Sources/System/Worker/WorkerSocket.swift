// SPDX-License-Identifier: Apache-2.0
// The worker's only way to the outside: descriptor 3, where requests come in with their files and
// answers go out. Raises `SystemError`; a packet that is no request ends the worker, which is the
// daemon's business to notice.

import Linux
import Vocabulary

struct WorkerSocket: ~Copyable {
  private let socket: PacketSocket

  /// Takes over descriptor 3, which whoever starts a worker has put there.
  init() { socket = PacketSocket(owning: Descriptor(owning: 3)) }

  struct Delivery {
    let request: WorkerRequest
    let input: any OpenFile
    let output: any OpenFile
  }

  /// nil once the daemon has closed its end.
  func next() throws(SystemError) -> Delivery? {
    let (bytes, files) = try socket.wait(atMost: WorkerRequest.maximumSize)
    if bytes.isEmpty { return nil }
    // Left to itself a broken request's files stay open: the process ends.
    guard let request = WorkerRequest(decoding: bytes), files.count == 2 else {
      throw SystemError(code: 71, call: "recvmsg", thing: "request")  // EPROTO
    }
    return Delivery(
      request: request,
      input: LinuxFile(owning: Descriptor(owning: files[0]), thing: "what came in"),
      output: LinuxFile(owning: Descriptor(owning: files[1]), thing: "what goes out"))
  }

  func send(_ answer: WorkerAnswer) throws(SystemError) { try socket.send(answer.encoded) }
}
