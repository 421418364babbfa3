// SPDX-License-Identifier: Apache-2.0
// A named thread, for work that must never wait for a shared pool (journal writer, syncer,
// report, inbox, transfers, watchdog, executors). Raises EAGAIN if the machine allows no more threads.

internal import CLinux
package import Vocabulary

package enum OwnThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread; a name has at most 15 bytes.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void)
    throws(SystemError)
  {
    let box = unsafe Unmanaged.passRetained(Body(body))
    do throws(SystemError) {
      try Calls.run("pthread_create", name) {
        unsafe dr_thread_start(
          name,
          { context in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
          }, box.toOpaque())
      }
    } catch {
      unsafe box.release()
      throw error
    }
  }
}
