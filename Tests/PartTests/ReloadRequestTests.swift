// SPDX-License-Identifier: Apache-2.0
// `darkroomd --reload` and its exit code, against a real control socket.

import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

/// A daemon that gives one answer to every call.
private struct OneAnswer: ControlService {
  let reply: ControlReply

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply { reply }
}

@Suite struct ReloadRequestTests {
  private let folder: SocketFolder

  init() throws { folder = try SocketFolder() }

  /// Sends the request on a thread of its own: it waits for the answer.
  private func send() async throws -> Int32 {
    var options = try CommandLineOptions([])
    (options.task, options.root) = (.reload, folder.path)
    let sent = options
    return await Reply.wait { reply in
      #expect(throws: Never.self) {
        try OwnThread.start("caller") { reply.give(ReloadRequest.send(sent)) }
      }
    }
  }

  /// The exit code of a request that is answered so.
  private func code(of reply: ControlReply) async throws -> Int32 {
    let server = try ControlServer(
      path: Places.below(folder.path).control, version: "1", clock: SimulatedClock())
    let end = ChangeSignal()
    try Reactor.start("control") { reactor in
      await server.run(OneAnswer(reply: reply), on: reactor)
      end.changed()
    }
    let code = try await send()
    server.stop()
    await end.change(after: 0)
    return code
  }

  @Test func `without a daemon the request fails as busy`() async throws {
    #expect(try await send() == ExitCode.busy)
  }

  @Test func `settings in force are a success, also with notes`() async throws {
    #expect(try await code(of: .reloaded(notes: [])) == ExitCode.done)
    #expect(try await code(of: .reloaded(notes: ["Sync takes effect later"])) == ExitCode.done)
  }

  @Test func `a refusal of the daemon is an error of the configuration`() async throws {
    let refusals: [ControlError] = [
      .reloadFailed(why: "darkroomd.conf:3: there is no setting 'Attemps'"),
      .permissionDenied(why: "only root and the daemon's own user may reload it"),
    ]
    for refusal in refusals {
      #expect(try await code(of: .failed(refusal)) == ExitCode.configuration)
    }
  }
}
