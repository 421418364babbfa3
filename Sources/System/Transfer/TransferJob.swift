// SPDX-License-Identifier: Apache-2.0
// What is asked of the loop, and how it answers.
// Concurrency model: the loop's thread keeps `gauge` up to date, anybody reads it; the lock is held for a
// few additions.

import Synchronization
import Vocabulary

final class TransferJob: Sendable {
  let ticket: UInt64
  let url: PhotoURL
  let request: TransferRequest
  let file: any OpenFile
  let gauge: Mutex<TransferGauge>
  let whenOver: @Sendable (Result<TransferReply, Failure>) -> Void

  init(
    ticket: UInt64, url: PhotoURL, request: TransferRequest, file: any OpenFile,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) {
    (self.ticket, self.url, self.request) = (ticket, url, request)
    (self.file, self.whenOver) = (file, whenOver)
    gauge = Mutex(TransferGauge(url))
  }
}

enum TransferCommand: Sendable {
  case start(TransferJob)
  case cancel(UInt64)
  case prioritize(UInt64, ServiceClass)
  case change(TransferSettings)
  /// Resumed once nothing of the loop is left.
  case stop(CheckedContinuation<Void, Never>)
}
