// SPDX-License-Identifier: Apache-2.0
// A handler whose searches go on until their task is cancelled.

import Linux
import Steer
import Support

final class EndlessDaemon: ControlService {
  /// The searches that have begun, and that have ended.
  let (begun, ended) = (EventBoard(0), EventBoard(0))

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply {
    guard case .find = call else { return .status(Samples.status) }
    let (calls, cancels) = AsyncStream<Void>.makeStream()
    begun.change { $0 += 1 }
    // A stream ends with its task.
    for await _ in calls {}
    withExtendedLifetime(cancels) {}
    ended.change { $0 += 1 }
    return .found(FindReport())
  }
}
