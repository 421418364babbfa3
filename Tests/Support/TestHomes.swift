// SPDX-License-Identifier: Apache-2.0
// Homes for tasks of tests in which disks hang. All tests of a process share them: there are more disk threads
// than calls that ever hang at a gate.

package import Linux
package import Vocabulary

package enum TestHomes {
  private static let made = Result { () throws(SystemError) in
    let disk = try OwnExecutor("test-disk", threads: 32)
    TaskHome.settle(quick: try OwnExecutor("test-quick", threads: 2), disk: disk)
    return disk
  }

  /// Sets the homes once; returns that of disks.
  @discardableResult
  package static func settle() throws(SystemError) -> OwnExecutor { try made.get() }
}
