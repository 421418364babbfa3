// SPDX-License-Identifier: Apache-2.0
// One transfer as requested by its caller, and the commands to the loop.
// Concurrency model: the loop's thread writes `gauge`, any thread reads it; the lock is held for a few
// additions.

import Linux
import Synchronization
import Vocabulary

final class TransferJob: Sendable {
  let ticket: UInt64
  let request: TransferRequest
  let sink: any TransferSink
  let gauge: Mutex<TransferGauge>
  /// Passed to the sink, which calls it when it has room again.
  let goOn: @Sendable () -> Void
  let whenOver: @Sendable (Result<TransferReply, Failure>) -> Void

  var url: PhotoURL { request.url }

  init(
    ticket: UInt64, request: TransferRequest, sink: any TransferSink,
    goOn: @escaping @Sendable () -> Void,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) {
    (self.ticket, self.request) = (ticket, request)
    (self.sink, self.goOn, self.whenOver) = (sink, goOn, whenOver)
    gauge = Mutex(TransferGauge(request.url))
  }
}

enum TransferCommand: Sendable {
  case start(TransferJob)
  case cancel(UInt64)
  /// The sink of a paused transfer has room.
  case goOn(UInt64)
  case prioritize(UInt64, TransferDemand)
  case change(TransferSettings)
  /// Answered when the last transfer is over and the thread is about to end.
  case stop(Reply<Void>)

  /// Answers a command that comes after the loop's end.
  func refuse() {
    switch self {
    case .start(let job): job.whenOver(.failure(.cancelled))
    case .stop(let reply): reply.give()
    case .cancel, .goOn, .prioritize, .change: break
    }
  }
}
