// SPDX-License-Identifier: Apache-2.0
// Sends one webhook: posts the facts of an order to its URL, and then removes the order, or writes the next attempt
// into it. Promises: at most one warning a webhook; an order is removed after its URL has answered, so a crash in
// between sends it again. Raises nothing.
// Concurrency: immutable; several webhooks at once. Waits for disks in `onDisk`.

import Linux
import Report
import Return
import Steer
import Vocabulary

struct WebhookSender: Sendable {
  private static let connectTimeout = Duration.seconds(10)
  private static let pause = Duration.seconds(60)

  let outbox: WebhookOutbox
  let network: any Network
  let settings: LiveSettings
  let reporter: Reporter
  let health: HealthBoard
  let clock: any Timekeeper

  /// Nil if it was cancelled: its order stays as it is.
  func send(_ key: HookOrder.Key) async -> WebhookEnd? {
    let order: WebhookOrder
    do throws(Failure) {
      guard let found = try await read(key) else { return .gone }
      order = found
    } catch { return .again(after: Self.pause) }
    let hooks = settings.current.hooks
    let result: Result<TransferReply, Failure> =
      hooks.allowsWebhook(order.url)
      ? await network.post(order, for: hooks.timeout, connectTimeout: Self.connectTimeout)
      : .failure(Self.forbidden)
    switch result {
    case .success:
      reporter.report(.webhookSent(order.shown, attempts: order.attempts + 1))
      return await remove(key)
    case .failure(.cancelled): return nil
    case .failure(Self.forbidden):
      reporter.report(
        .webhookFailed(order.shown, Self.forbidden, attempts: order.attempts))
      return await remove(key)
    case .failure(let failure): return await failed(order, failure)
    }
  }

  private static let forbidden = Failure(
    .final, code: "webhook.forbidden", reason: "Webhooks= does not allow it now",
    advice: "Add the URL to Webhooks= under [Hooks] in darkroomd.conf before lists name it")

  private func failed(_ order: WebhookOrder, _ failure: Failure) async -> WebhookEnd {
    switch order.verdict(on: failure, now: clock.wallTime()) {
    case .giveUp(let attempts):
      reporter.report(.webhookFailed(order.shown, failure, attempts: attempts))
      return await remove(order.key)
    case .again(let next, let wait):
      if next.attempts == 1 {
        reporter.report(.webhookDelayed(order.shown, failure, again: wait))
      }
      // Without a disk the attempt does not count.
      await attempt { () throws(SystemError) in _ = try outbox.add(next) }
      return .again(after: wait)
    }
  }

  // MARK: orders

  /// Raises trouble of this machine, which is reported.
  func keys() async throws(Failure) -> [HookOrder.Key] {
    do throws(SystemError) {
      return try await onDisk { () throws(SystemError) in try outbox.keys() }
    } catch {
      health.set(error.machineFailure, for: .webhooks)
      throw error.machineFailure
    }
  }

  /// Nil if it is gone or damaged. Raises trouble of this machine, which is reported.
  func read(_ key: HookOrder.Key) async throws(Failure) -> WebhookOrder? {
    do throws(Failure) {
      let order = try await onDisk { () throws(Failure) in try outbox.order(key) }
      health.set(nil, for: .webhooks)
      return order
    } catch {
      if error.kind == .final {
        health.report(error, waits: "its webhook is not sent")
        await attempt { () throws(SystemError) in try outbox.setAside(key) }
        return nil
      }
      health.set(error, for: .webhooks)
      throw error
    }
  }

  func remove(_ key: HookOrder.Key) async -> WebhookEnd {
    let isGone = await attempt { () throws(SystemError) in try outbox.remove(key) }
    return isGone ? .gone : .spent(again: Self.pause)
  }

  /// Returns whether it worked.
  @discardableResult
  private func attempt(_ act: @Sendable () throws(SystemError) -> Void) async -> Bool {
    do throws(SystemError) {
      try await onDisk { () throws(SystemError) in try act() }
      health.set(nil, for: .webhooks)
      return true
    } catch {
      health.set(error.machineFailure, for: .webhooks)
      return false
    }
  }
}

extension WebhookOrder {
  var shown: HookFacts {
    HookFacts(
      url.shown, event: key.event.rawValue, list: key.list, listName: facts.listName)
  }

  /// One JSON object. Bytes that are no UTF-8 become U+FFFD.
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
    }
  }

  fileprivate var isNumber: Bool {
    switch self {
    case .owner, .total, .filtered, .failed: true
    case .name, .title, .prints, .results, .retry, .reason: false
    }
  }
}

extension Network {
  /// Ends with the task.
  fileprivate func post(
    _ order: WebhookOrder, for timeout: Duration, connectTimeout: Duration
  ) async -> Result<TransferReply, Failure> {
    let request = TransferRequest(
      url: order.url, maximumSize: .max, timeout: timeout, connectTimeout: connectTimeout,
      priority: .background, message: order.message)
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
