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
    on(AgedOrder.self, by: { $0.aged })
    on(InboxOrder.self) { calls, _, peer in InboxReply(await calls.views.inboxReport(for: peer)) }
    on(WhyOrder.self) { calls, order, peer throws(ControlError) in
      let shortage = calls.cluster?.shares.shortage
      return try await WhyView(views: calls.views, keeper: calls.keeper, shortage: shortage)
        .why(order, for: peer)
    }
    on(ShowOrder.self, by: { $0.views.show }, stream: { $0.showChanges })
    on(WatchOrder.self, by: { $0.views.watch }, stream: { $0.watch })
    on(FollowOrder.self, by: { $0.views.followed }, stream: { $0.followSteps })
    on(OpenOrder.self, by: { $0.pages.open })
    on(RedeemOrder.self, by: { $0.pages.redeem })
    on(StatesOrder.self, by: { $0.pages.states })
    on(ColoursOrder.self, by: { $0.pages.colours })
    on(FindOrder.self, by: { $0.pages.find })
    on(PictureOrder.self, by: { $0.pages.picture })
    on(ForecastOrder.self, by: { $0.forecast })
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
    on(FocusOrder.self, by: { $0.focus })
    on(UnfocusOrder.self, by: { $0.unfocus })
    on(RetryOrder.self, by: { $0.retry })
    on(RemoveOrder.self, by: { $0.remove })
    on(SheetOrder.self, by: { $0.sheet })
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
    on(CacheOrder.self, early: true, by: { $0.cache })
    on(FlushOrder.self, early: true, by: { $0.flush })
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
    _ method: Method.Type, early isEarly: Bool = false,
    by answer: @escaping @Sendable (ControlCalls) -> Answering<Method>,
    stream: (@Sendable (ControlCalls) -> Streaming<Method>)? = nil
  ) {
    rows[ObjectIdentifier(method)] = Row(isEarly: isEarly) {
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
      method, early: isEarly,
      by: { calls in
        { order, peer throws(ControlError) in try await answer(calls, order, peer) }
      })
  }
}
