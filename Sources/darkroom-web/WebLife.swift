// SPDX-License-Identifier: Apache-2.0
// From the listening socket to the end: serves until a signal, or until no client has been there for a while. Idle,
// it sleeps until that end. Raises `SystemError`.
// Concurrency: the main thread waits; libmicrohttpd has a thread for itself, and one for each connection; one ends connections.

import HTTP
import Linux
import Show
import Systemd
import Vocabulary

enum WebLife {
  /// It alone knows the views of the pages that are open: they call every half minute, and browsers delay the calls of
  /// hidden pages to more than a minute.
  private static let idleSeconds: Int64 = 300
  /// At once, together: the daemon allows 64 to one user.
  private static let (streams, calls): (Int, UInt32) = (32, 16)

  static func run(_ options: WebOptions) throws(SystemError) {
    let signals = try Signals([Signals.interrupt, Signals.terminate])
    ThisProcess.shareOneHeap()
    let clients = try WebClients()
    let passed = ServiceNotice.passedListener()
    let listener = try listener(passed)
    let sheets = WebSheets(
      judge: RequestJudge(port: listener.port, names: options.hosts), socket: options.socket,
      places: try ViewerPlaces(streams: streams, calls: calls))
    try WebServer.start(on: listener.descriptor, counting: clients, sheets)
    if passed == nil {
      try? StandardStream.output.write(Array("http://127.0.0.1:\(listener.port)\n".utf8))
    }
    try wait(for: clients, or: signals, staying: .seconds(options.idleSeconds ?? idleSeconds))
    withExtendedLifetime(listener) {}
  }

  private static func listener(_ passed: Int32?) throws(SystemError) -> TCPListener {
    guard let passed else { return try TCPListener() }
    return try TCPListener(passed: passed)
  }

  private static func wait(
    for clients: WebClients, or signals: Signals, staying time: Duration
  ) throws(SystemError) {
    var due: Duration? = MachineTime().uptime() + time
    while true {
      let left = due.map { $0 - MachineTime().uptime() }
      if let left, left <= .zero { return }
      let found = try Poll.wait(
        [Poll.Watch(clients.descriptor), Poll.Watch(signals.descriptor)], for: left)
      if found[1].isReadable, signals.next() != nil { return }
      guard found[0].isReadable else { continue }
      clients.clear()
      due = clients.count == 0 ? MachineTime().uptime() + time : nil
    }
  }
}
