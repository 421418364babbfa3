// SPDX-License-Identifier: Apache-2.0
// A transfer as a test likes to have it: awaited by the task that asked, and cancelled with it.

import Synchronization
package import Vocabulary

extension Network {
  package func fetch(_ request: TransferRequest, into file: any OpenFile) async throws(Failure)
    -> TransferReply
  {
    let desk = TicketDesk()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (answer: CheckedContinuation<Result<TransferReply, Failure>, Never>) in
        if desk.isCancelled { return answer.resume(returning: .failure(.cancelled)) }
        let ticket = begin(request, into: file) { answer.resume(returning: $0) }
        if desk.note(ticket) { cancel(ticket) }
      }
    } onCancel: {
      if let ticket = desk.cancel() { cancel(ticket) }
    }
    return try result.get()
  }
}

/// A cancellation may come before there is anything to cancel.
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
