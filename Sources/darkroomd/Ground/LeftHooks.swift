// SPDX-License-Identifier: Apache-2.0
// Why the last hooks and webhooks were left out, by list, until a restart: `why` shows the reason. A value.

import Vocabulary

struct LeftHooks {
  private static let most = 1_000

  private var failures: [ListID: Failure] = [:]
  private var order: [ListID] = []

  subscript(list: ListID) -> Failure? { failures[list] }

  mutating func note(_ failure: Failure, of list: ListID) {
    guard failures.updateValue(failure, forKey: list) == nil else { return }
    order.append(list)
    if order.count > Self.most { failures[order.removeFirst()] = nil }
  }
}
