// SPDX-License-Identifier: Apache-2.0
// Serves a caller's message in the caller's turn: parses it, asks the loop whether it is still wanted, and has the call
// answered. Raises nothing: what is wrong with a message is its answer.
// Concurrency: immutable; each message has a task.

internal import Vocabulary

struct CallDesk: Sendable {
  private let handler: any ControlService
  private let router: ControlRouter
  /// Notes the calls that have no answer yet.
  private let pulse: (any Pulse)?

  init(_ handler: any ControlService, _ router: ControlRouter, _ pulse: (any Pulse)?) {
    (self.handler, self.router, self.pulse) = (handler, router, pulse)
  }

  func serve(_ message: [UInt8], from peer: ControlPeer, _ line: ReplyLine) async {
    pulse?.begin("a message of user \(peer.user)", at: line.client)
    defer { pulse?.end(line.client) }
    let request: ControlRequest
    do throws(BadMessage) { request = try ControlRequest(reading: message) } catch {
      _ = await line.parsed(.failure(error))
      return
    }
    switch router.route(request) {
    case .answer(let answer):
      let terms = ControlSession.Terms(isOneway: request.oneway, endsWithCaller: request.more)
      if await line.parsed(.success(terms)) { line.finish(answer) }
    case .call(let call, let view):
      let method = type(of: call)
      pulse?.begin("\(method.name) of user \(peer.user)", at: line.client)
      var peer = peer
      peer.view = view
      let terms = ControlSession.Terms(
        isOneway: request.oneway, endsWithCaller: !method.isChange)
      guard await line.parsed(.success(terms)) else { return }
      if request.oneway {
        // The reply to another call would be dropped.
        if method.isChange { _ = await handler.handle(call, from: peer) }
        await line.finish(.unread)
      } else if request.more, method.isStream {
        await line.finish(await handler.stream(call, from: peer, to: line.stream(of: call)))
      } else if await line.room(for: call) {
        await line.finish(await handler.handle(call, from: peer))
      } else {
        await line.finish(.unread)
      }
    }
  }
}
