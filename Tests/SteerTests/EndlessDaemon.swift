// SPDX-License-Identifier: Apache-2.0
// Handlers whose searches go on until their task is cancelled, and whose calls wait for a test.

import Linux
import Steer
import Support

final class EndlessDaemon: ControlService {
  /// The searches that have begun, and that have ended.
  let (begun, ended) = (EventBoard(0), EventBoard(0))

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    guard call is FindOrder else { return .answer(StatusReply(Samples.status)) }
    let (calls, cancels) = AsyncStream<Void>.makeStream()
    begun.change { $0 += 1 }
    // A stream ends with its task.
    for await _ in calls {}
    withExtendedLifetime(cancels) {}
    ended.change { $0 += 1 }
    return .answer(FindReport())
  }
}

/// Its calls, except a status, wait until they may end, and note whether they are cancelled then.
final class PatientDaemon: ControlService {
  let (begun, mayEnd) = (EventBoard(0), EventBoard(false))
  let cancelled = EventBoard([Bool]())

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    if call is StatusOrder { return .answer(StatusReply(Samples.status)) }
    begun.change { $0 += 1 }
    _ = await mayEnd.wait { $0 }
    let isCancelled = Task.isCancelled
    cancelled.change { $0.append(isCancelled) }
    return .unread
  }
}
