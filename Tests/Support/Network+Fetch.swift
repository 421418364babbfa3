// SPDX-License-Identifier: Apache-2.0
// A transfer that the requesting task awaits, and that is cancelled with the task.

import Synchronization
package import Vocabulary

extension Network {
  package func fetch(_ request: TransferRequest, into file: any OpenFile) async throws(Failure)
    -> TransferReply
  {
    try await fetch(request, into: FileSink(file))
  }

  package func fetch(
    _ request: TransferRequest, into sink: any TransferSink
  ) async throws(Failure) -> TransferReply {
    let desk = TicketDesk()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (answer: CheckedContinuation<Result<TransferReply, Failure>, Never>) in
        if desk.isCancelled { return answer.resume(returning: .failure(.cancelled)) }
        let ticket = begin(request, into: sink) { answer.resume(returning: $0) }
        if desk.note(ticket) { cancel(ticket) }
      }
    } onCancel: {
      if let ticket = desk.cancel() { cancel(ticket) }
    }
    return try result.get()
  }
}

/// Remembers a cancellation that comes before there is a transfer to cancel.
private final class TicketDesk: Sendable {
  private let state = Mutex<(ticket: TransferTicket?, isCancelled: Bool)>((nil, false))

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func note(_ ticket: TransferTicket) -> Bool {
    state.withLock { state in
      state.ticket = ticket
      return state.isCancelled
    }
  }

  func cancel() -> TransferTicket? {
    state.withLock { state in
      state.isCancelled = true
      return state.ticket
    }
  }
}
