// SPDX-License-Identifier: Apache-2.0
// An OperationQueue whose operations start on a serial dispatch queue. That one has its thread from
// libdispatch's unwatched pool; the pool Foundation would use, once used, wakes the process every
// second for ever to look at its threads through /proc, and ends it when that look fails. For
// asynchronous operations: starting them one at a time costs nothing.

internal import Dispatch
package import Foundation

/// Safe: the dispatch queue, which OperationQueue does not hold, is held as long as it is used here.
@safe package final class StarterQueue: Sendable {
  package let operations: OperationQueue
  private let starter: DispatchQueue

  package init(_ name: String) {
    starter = DispatchQueue(label: name)
    operations = OperationQueue()
    operations.name = name
    unsafe operations.underlyingQueue = starter
  }
}
