// SPDX-License-Identifier: Apache-2.0
// A worker's life: it enters its sandbox, reports the layers, then serves one request after the other until
// the daemon closes the socket. Single-threaded and synchronous; a request's files are closed after it.

import Linux
package import Vocabulary

package enum WorkerLoop {
  /// Reads the property list in the first file and writes a catalog to the second.
  package typealias ReadList = (any OpenFile, any OpenFile, ListLimits) throws(Failure) -> Void
  /// Develops the original in the first file into the second, with a thumbnail in a third.
  package typealias Develop =
    (any OpenFile, any OpenFile, Thumbnail.Order?, DevelopOrder) throws(Failure) -> Developed

  /// Returns the exit code of the process. `words` is the command line without the program's name.
  package static func run(
    words: [String], readList: ReadList, develop: Develop
  ) -> Int32 {
    guard let options = WorkerOptions(words: words) else { return exitUsage }
    let socket = WorkerSocket()
    let layers = Sandbox.enter(options)
    do throws(SystemError) {
      try socket.send(WorkerAnswer(number: 0, body: .ready(layers)))
      while let delivery = try socket.next() {
        Sandbox.limitProcessor(to: delivery.request.timeout)
        let body = serve(delivery, readList, develop)
        try socket.send(WorkerAnswer(number: delivery.request.number, body: body))
      }
      return 0
    } catch { return exitBroken }
  }

  /// EX_USAGE and EX_IOERR of sysexits.h.
  package static let exitUsage: Int32 = 64
  private static let exitBroken: Int32 = 74

  private static func serve(
    _ delivery: WorkerSocket.Delivery, _ readList: ReadList, _ develop: Develop
  ) -> WorkerAnswer.Body {
    let (input, output) = (delivery.input, delivery.output)
    do throws(Failure) {
      switch delivery.request.body {
      case .readList(let limits):
        try readList(input, output, limits)
        return .listRead
      case .develop(let order, let height):
        let thumbnail = delivery.thumbnail.map { Thumbnail.Order(file: $0, height: height) }
        return .developed(try develop(input, output, thumbnail, order))
      }
    } catch { return .failed(error) }
  }
}
