// SPDX-License-Identifier: Apache-2.0
// Notifications to the service manager: ready, status line, reloading, stopping. Without a manager every call does
// nothing. Promises: they are sent in order; no call waits longer than three seconds, and `set` never waits, even
// if the manager does not read.
// Concurrency model: the lock guards the queue and is never held while sending. One thread sends, and sleeps on
// the bell while the queue is empty.

internal import Linux
internal import Synchronization
package import Systemd
package import Vocabulary

package final class ServiceStatus: Sendable {
  private struct Outlet {
    let send: @Sendable (ServiceNotice) -> Void
    let bell: WakeEvent
  }

  private let outlet: Outlet?
  private let state = Mutex(NoticeQueue())

  /// No service manager listens.
  package static let unheard = ServiceStatus()

  private init() { outlet = nil }

  /// - Parameter send: may wait as long as the manager does not read.
  package init(_ send: @escaping @Sendable (ServiceNotice) -> Void) throws(SystemError) {
    outlet = Outlet(send: send, bell: try WakeEvent())
    try OwnThread.start("notify") { self.work() }
  }

  /// The settings are read, the control socket answers, and the journal file is replayed or its disk is in trouble.
  /// The inbox and the lists are opened after this.
  package func ready() { tell(.ready) }

  /// The first act of a reload. `ready` must follow, even when the reload fails.
  package func reloading() {
    tell(.reloading(monotonicMicroseconds: Surroundings.monotonicMicroseconds))
  }

  /// The first act of a stop.
  package func stopping() { tell(.stopping) }

  /// Sets the line that `systemctl status` shows. Sends it only when it changed.
  package func set(_ text: String) {
    if state.withLock({ $0.set(text) }) { outlet?.bell.ring() }
  }

  private func tell(_ notice: ServiceNotice) {
    guard let outlet, let sent = try? WakeEvent() else { return }
    state.withLock { $0.push(notice, telling: sent) }
    outlet.bell.ring()
    _ = try? Poll.wait([Poll.Watch(sent.descriptor)], for: .seconds(3))
  }

  private func work() {
    guard let outlet else { return }
    while true {
      if let (notice, sent) = state.withLock({ $0.next() }) {
        outlet.send(notice)
        sent?.ring()
      } else {
        _ = try? Poll.wait([Poll.Watch(outlet.bell.descriptor)], for: nil)
        outlet.bell.clear()
      }
    }
  }
}

/// The messages that wait, oldest first. A manager that does not read leaves at most one status line and the newest
/// other messages.
private struct NoticeQueue {
  private static let most = 16

  private var waiting: [(notice: ServiceNotice, sent: WakeEvent?)] = []
  private var line = ""

  /// Returns whether the line is new.
  mutating func set(_ text: String) -> Bool {
    guard line != text else { return false }
    line = text
    waiting.removeAll { if case .status = $0.notice { true } else { false } }
    waiting.append((.status(text), nil))
    return true
  }

  mutating func push(_ notice: ServiceNotice, telling sent: WakeEvent) {
    waiting.append((notice, sent))
    if waiting.count > Self.most { waiting.removeFirst() }
  }

  mutating func next() -> (ServiceNotice, WakeEvent?)? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }
}
