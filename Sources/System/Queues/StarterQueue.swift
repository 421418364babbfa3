// SPDX-License-Identifier: Apache-2.0
// An OperationQueue whose operations start on a serial dispatch queue. This queue gets its thread from
// libdispatch's unmonitored pool. Once used, the pool that Foundation would use wakes the process every
// second to inspect its threads through /proc, and ends the process if that fails. For asynchronous
// operations: starting them one at a time costs nothing.

internal import Dispatch
package import Foundation

/// Safe: OperationQueue does not retain the dispatch queue, so this object holds both.
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
