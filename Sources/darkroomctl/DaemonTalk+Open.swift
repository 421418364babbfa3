// SPDX-License-Identifier: Apache-2.0
// `open`: the daemon makes a token for the caller, and darkroom-web, which serves the page, takes it. The system's
// darkroom-web is started by its socket; for a daemon below a root, one is started for the caller.

internal import Linux
internal import Steer
internal import Vocabulary

extension DaemonTalk {
  /// Where darkroom-web.socket listens.
  static let systemAddress = "http://127.0.0.1:8473"
  private static let systemPort: UInt16 = 8473
  private static let patience = Duration.seconds(20)

  func open(_ task: OpenTask) throws(ControlFailure) -> ExitCode {
    if task.address == nil, order.socket == DaemonPlace.systemSocket, !isSystemServed() {
      return .failed
    }
    let report = try ask(OpenOrder(list: task.list))
    guard let base = address(task) else { return .failed }
    let address = "\(base)/open/\(report.token)"
    tell(
      ["list": .object(report.list.object), "address": .string(address)],
      voice.screen.isTerminal
        ? "\(ListText.name(report.list)): \(address)\nIt works once, within two minutes.\n"
        : "\(address)\n")
    if voice.screen.isTerminal, !order.isJSON, Self.hasDisplay {
      // Without a browser the address stands on the terminal.
      try? BrowserPage.open(address)
    }
    return .done
  }

  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { Surroundings.variable($0)?.isEmpty == false }
  }

  /// Another user who listens there would get the token.
  private func isSystemServed() -> Bool {
    let users = Self.listenerUsers()
    if users == [0] { return true }
    let what = users.isEmpty ? "no socket listens" : "a socket of another user than root listens"
    voice.complain(
      "web.listener",
      "\(what) on 127.0.0.1:\(Self.systemPort); enable darkroom-web.socket with "
        + "'sudo systemctl enable --now darkroom-web.socket'")
    return false
  }

  private static func listenerUsers() -> Set<UInt32> {
    // The sockets that listen stand first.
    let tables = [FileName(literal: "tcp"), FileName(literal: "tcp6")].compactMap { name in
      KernelText.read(name, in: "/proc/self/net", upTo: 1 << 20)
    }
    return ListenerTable(port: systemPort, rows: tables.joined(separator: "\n")).users
  }

  private func address(_ task: OpenTask) -> String? {
    if let address = task.address {
      return address.hasSuffix("/") ? String(address.dropLast()) : address
    }
    if order.socket == DaemonPlace.systemSocket { return Self.systemAddress }
    do throws(SystemError) {
      let path = try ThisProcess.webPath
      let socket = try ThisProcess.absolutePath(order.socket)
      if let line = try ServerProgram.start(path, ["--socket", socket], within: Self.patience) {
        return line
      }
      voice.complain("web.start", "darkroom-web did not start; see '\(path) --socket \(socket)'")
    } catch {
      voice.complain("web.start", "darkroom-web could not be started: \(error)")
    }
    return nil
  }
}
