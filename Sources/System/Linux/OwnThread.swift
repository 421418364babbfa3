// SPDX-License-Identifier: Apache-2.0
// A named thread of our own. What must never wait for libdispatch's shared pools (journal writer,
// syncer, inbox, transfers, watchdog) runs on one of these.

internal import CLinux

package enum OwnThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` to its end on a new thread; a name has at most 15 bytes.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let result = unsafe dr_thread_start(
      name,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
      }, box)
    guard result == 0 else { fatalError("could not start the thread '\(name)': error \(-result)") }
  }
}
