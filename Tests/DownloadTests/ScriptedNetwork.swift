// SPDX-License-Identifier: Apache-2.0
// A network that does what the test says: writes these pieces, then answers or fails.

import Synchronization
import Vocabulary

final class ScriptedNetwork: Network {
  struct Turn: Sendable {
    var pieces: [[UInt8]] = []
    var result: Result<TransferReply, Failure>
  }

  private let turns: Mutex<[Turn]>
  private let asked = Mutex<[TransferRequest]>([])

  init(_ turns: Turn...) { self.turns = Mutex(turns) }

  var requests: [TransferRequest] { asked.withLock { $0 } }

  func fetch(_ request: TransferRequest, into file: any OpenFile) async throws(Failure)
    -> TransferReply
  {
    asked.withLock { $0.append(request) }
    let turn = turns.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let turn else { throw Failure(.final, code: "script.over", reason: "nothing is left") }
    var offset: UInt64 = 0
    do throws(SystemError) {
      for piece in turn.pieces {
        try file.write(piece, at: offset)
        offset += UInt64(piece.count)
      }
    } catch { throw error.machineFailure }
    return try turn.result.get()
  }
}

extension ScriptedNetwork.Turn {
  /// A body in pieces, answered as it was sent.
  static func body(_ pieces: [UInt8]...) -> Self {
    let size = UInt64(pieces.joined().count)
    let reply = TransferReply(status: 200, size: size, contentType: "image/jpeg")
    return Self(pieces: pieces, result: .success(reply))
  }

  static func failing(_ failure: Failure, after pieces: [UInt8]...) -> Self {
    Self(pieces: pieces, result: .failure(failure))
  }
}
