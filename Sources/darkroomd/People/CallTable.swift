// SPDX-License-Identifier: Apache-2.0
// Where each method of the control interface meets its handler. The compiler compares the message and the reply of each
// row; a test compares the rows with `ControlInterface.methods`.

import Steer

struct CallTable: Sendable {
  struct Row: Sendable {
    /// It does not wait for the labels of the lists.
    let isEarly: Bool
    /// With a stream, for a call that set `more`.
    let answer:
      @Sendable (
        ControlCalls, any ControlMethod, ControlPeer, ReplyStream?
      ) async throws(ControlError) -> any MessageValue
  }

  private typealias Answering<Method: ControlMethod> =
    (Method, ControlPeer) async throws(ControlError) -> Method.Answer
  private typealias Streaming<Method: ControlMethod> =
    (Method, ControlPeer, ReplyStream) async throws(ControlError) -> Method.Answer

  static let all = CallTable()

  private(set) var rows: [ObjectIdentifier: Row] = [:]

  subscript(call: any ControlMethod) -> Row? { rows[ObjectIdentifier(type(of: call))] }

  private init() {
    addQueries()
    addChanges()
    addMachine()
  }

  private mutating func addQueries() {
    on(ListsOrder.self) { calls, _, peer throws(ControlError) in
      ListsReply(try await calls.views.summaries(for: peer))
    }
    on { $0.aged }
    on(InboxOrder.self) { calls, _, peer in InboxReply(await calls.views.inboxReport(for: peer)) }
    on(WhyOrder.self) { calls, order, peer throws(ControlError) in
      try await WhyView(views: calls.views, keeper: calls.keeper).why(order, for: peer)
    }
    on({ $0.views.show }, stream: { $0.follow })
    on({ $0.views.watch }, stream: { $0.watch })
    on({ $0.views.followed }, stream: { $0.followSteps })
    on { $0.pages.open }
    on { $0.pages.redeem }
    on { $0.pages.states }
    on { $0.pages.colours }
    on { $0.pages.find }
    on { $0.pages.picture }
    on { $0.forecast }
  }

  private mutating func addChanges() {
    on(PauseOrder.self) { calls, order, peer throws(ControlError) in
      try await calls.change(order.list, .pause, peer)
    }
    on(ResumeOrder.self) { calls, order, peer throws(ControlError) in
      try await calls.change(order.list, .resume, peer)
    }
    on(CancelOrder.self) { calls, order, peer throws(ControlError) in
      try await calls.change(order.list, .cancel, peer)
    }
    on(SetQualityOrder.self) { calls, order, peer throws(ControlError) in
      try await calls.change(order.list, .quality(order.level), peer)
    }
    on { $0.focus }
    on { $0.unfocus }
    on { $0.retry }
    on { $0.remove }
    on { $0.sheet }
  }

  private mutating func addMachine() {
    on(StatusOrder.self, early: true) { calls, _, peer in StatusReply(calls.status(for: peer)) }
    on(SettingsOrder.self, early: true) { calls, _, _ in
      SettingsReply(calls.views.settingSummaries())
    }
    on(MetricsOrder.self, early: true) { calls, _, _ in await calls.metrics() }
    on(ReloadOrder.self, early: true) { calls, _, peer throws(ControlError) in
      try await calls.reload(peer)
    }
    on({ $0.cache }, early: true)
    on({ $0.flush }, early: true)
    on(NodesOrder.self, early: true) { calls, _, _ throws(ControlError) in
      try await calls.nodeCalls().report()
    }
    on(DrainOrder.self, early: true) { calls, order, peer throws(ControlError) in
      let mayDrain = peer.mayReload(daemonOf: calls.user)
      return NodeReply(try await calls.nodeCalls().drain(order, mayDrain: mayDrain))
    }
  }

  /// - Parameter answer: a function of `ControlCalls` or of one of its parts.
  private mutating func on<Method: ControlMethod>(
    _ answer: @escaping @Sendable (ControlCalls) -> Answering<Method>, early isEarly: Bool = false,
    stream: (@Sendable (ControlCalls) -> Streaming<Method>)? = nil
  ) {
    rows[ObjectIdentifier(Method.self)] = Row(isEarly: isEarly) {
      calls, call, peer, caller throws(ControlError) in
      guard let order = call as? Method else { throw .methodNotImplemented(Method.name) }
      if let stream, let caller { return try await stream(calls)(order, peer, caller) }
      return try await answer(calls)(order, peer)
    }
  }

  private mutating func on<Method: ControlMethod>(
    _ method: Method.Type, early isEarly: Bool = false,
    answer:
      @escaping @Sendable (ControlCalls, Method, ControlPeer) async throws(ControlError) ->
      Method.Answer
  ) {
    on(
      { calls in
        { (order: Method, peer) throws(ControlError) in try await answer(calls, order, peer) }
      }, early: isEarly)
  }
}
