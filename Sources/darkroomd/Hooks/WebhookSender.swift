// SPDX-License-Identifier: Apache-2.0
// Sends one webhook: posts the facts of an order to its URL, and then removes the order, or writes the next attempt
// into it. Promises: at most one warning a webhook; an order is removed after its URL has answered, so a crash in
// between sends it again. Trouble of this machine costs no attempt. Raises nothing.
// Concurrency: immutable; several webhooks at once. Waits for disks in `onDisk`.

import Linux
import Report
import Return
import Steer
import Vocabulary

struct WebhookSender: OnGround {
  enum Reading: Sendable {
    case found(WebhookOrder)
    /// It is missing, or damaged and set aside.
    case gone
    case unreadable
  }

  private static let connectTimeout = Duration.seconds(10)

  let ground: Ground
  let outbox: WebhookOutbox
  let network: any Network

  /// Nil if it was cancelled: its order stays as it is.
  func send(_ key: HookOrder.Key) async -> WebhookEnd? {
    let order: WebhookOrder
    switch await read(key) {
    case .found(let found): order = found
    case .gone: return .gone
    case .unreadable: return .again(after: Webhooks.pause, .answered)
    }
    let hooks = settings.current.hooks
    guard hooks.allowsWebhook(order.url) else { return await failed(order, Self.forbidden) }
    let result = await network.post(
      order, for: hooks.webhookTimeout, connectTimeout: Self.connectTimeout)
    switch result {
    case .success:
      health.set(nil, for: .webhooks)
      reporter.report(.webhookSent(order.shown, attempts: order.attempts + 1))
      return await remove(key)
    case .failure(.cancelled): return nil
    case .failure(let failure) where failure.kind == .machine:
      health.set(failure, for: .webhooks)
      return .again(after: Webhooks.pause, .answered)
    case .failure(let failure):
      health.set(nil, for: .webhooks)
      return await failed(order, failure)
    }
  }

  private static let forbidden = Failure(
    .final, code: "webhook.forbidden", reason: "Webhooks= does not allow its URL now",
    advice: "Add the URL to Webhooks= under [Hooks] in darkroomd.conf")

  private func failed(_ order: WebhookOrder, _ failure: Failure) async -> WebhookEnd {
    switch order.verdict(on: failure, now: clock.wallTime()) {
    case .giveUp(let attempts):
      reporter.report(.webhookFailed(order.shown, failure, attempts: attempts))
      return await remove(order.key)
    case .again(let next, let wait):
      if order.attempts == 0 {
        reporter.report(.webhookDelayed(order.shown, failure, again: wait))
      }
      // Without a disk the attempt does not count.
      if next != order {
        await attempt { () throws(SystemError) in try outbox.replace(next) }
      }
      return .again(after: wait, WebhookReach(failure))
    }
  }

  // MARK: orders

  /// Nil if they cannot be read, which is reported.
  func keys() async -> [HookOrder.Key]? {
    do throws(SystemError) {
      let keys = try await onDisk { () throws(SystemError) in try outbox.keys() }
      health.set(nil, for: .webhookOrders)
      return keys
    } catch {
      health.set(error.machineFailure, for: .webhookOrders)
      return nil
    }
  }

  /// Reports trouble.
  func read(_ key: HookOrder.Key) async -> Reading {
    do throws(Failure) {
      let order = try await onDisk { () throws(Failure) in try outbox.order(key) }
      health.set(nil, for: .webhookOrders)
      return order.map { .found($0) } ?? .gone
    } catch {
      guard error.kind == .final else {
        health.set(error, for: .webhookOrders)
        return .unreadable
      }
      health.report(error, waits: "its webhook is not sent")
      await attempt { () throws(SystemError) in try outbox.setAside(key) }
      return .gone
    }
  }

  func remove(_ key: HookOrder.Key) async -> WebhookEnd {
    let isGone = await attempt { () throws(SystemError) in try outbox.remove(key) }
    return isGone ? .gone : .spent(again: Webhooks.pause)
  }

  /// Returns whether it worked.
  @discardableResult
  private func attempt(_ act: @Sendable () throws(SystemError) -> Void) async -> Bool {
    do throws(SystemError) {
      try await onDisk { () throws(SystemError) in try act() }
      health.set(nil, for: .webhookOrders)
      return true
    } catch {
      health.set(error.machineFailure, for: .webhookOrders)
      return false
    }
  }
}

extension WebhookOrder {
  var shown: HookFacts {
    HookFacts(
      url.place, event: key.event.rawValue, list: key.list, listName: facts.listName)
  }

  /// One JSON object. Bytes that are not UTF-8 become U+FFFD.
  var message: String {
    var object = JSONObject([
      "event": .string(key.event.rawValue), "list": .count(key.list.number),
    ])
    for fact in HookOrder.Fact.allCases {
      guard let bytes = facts[fact] else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      object[fact.member] = fact.isNumber ? Int64(text).map { .int($0) } : .string(text)
    }
    return JSONWriter.text(.object(object))
  }
}

extension HookOrder.Fact {
  /// The name without its prefix, in lower case: `DARKROOM_LIST_NAME` is `name`.
  fileprivate var member: String {
    switch self {
    case .name: "name"
    case .title: "title"
    case .owner: "owner"
    case .total: "total"
    case .filtered: "filtered"
    case .failed: "failed"
    case .prints: "prints"
    case .results: "results"
    case .retry: "retry"
    case .reason: "reason"
    case .key: "key"
    }
  }

  fileprivate var isNumber: Bool {
    switch self {
    case .owner, .total, .filtered, .failed: true
    case .name, .title, .prints, .results, .retry, .reason, .key: false
    }
  }
}

extension Network {
  /// Ends with the answer, or with the network.
  fileprivate func post(
    _ order: WebhookOrder, for timeout: Duration, connectTimeout: Duration
  ) async -> Result<TransferReply, Failure> {
    let request = TransferRequest(
      url: order.url, maximumSize: .max, timeout: timeout, connectTimeout: connectTimeout,
      priority: .background, owner: order.owner, message: order.message)
    return await Reply.wait { reply in
      _ = begin(request, into: NoSink()) { reply.give($0) }
    }
  }
}

/// For answers without a body.
private final class NoSink: TransferSink {
  func begin(_ entity: EntityFacts, at offset: UInt64) {}

  func take(_ bytes: [UInt8], goOn: @escaping @Sendable () -> Void) throws(Failure) -> Bool { true }
}
