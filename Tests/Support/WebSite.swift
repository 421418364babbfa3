// SPDX-License-Identifier: Apache-2.0
// darkroom-web as a process on a port of its own, and the views of those who look at a list: the begin of the paths of
// their pages, `/v/SECRET`.

import Foundation

package struct WebSite: Sendable {
  private let bench: DaemonBench
  package let program: RunningProgram
  package let port: Int

  package var base: String { "http://127.0.0.1:\(port)" }

  /// - Parameter socket: of a daemon that is not the bench's.
  package static func start(
    _ bench: DaemonBench, _ words: [String] = [], socket: String? = nil, as user: UInt32? = nil
  ) async throws -> WebSite {
    let place = socket.map { ["--socket", $0] } ?? ["--root", bench.root]
    let program = try await bench.launch("darkroom-web", place + words, as: user)
    let isThere = try await Patience.sees { program.output.hasSuffix("\n") || !program.isRunning }
    let line = program.output.split(separator: "\n").first ?? ""
    guard isThere, let port = Int(line.split(separator: ":").last ?? "") else {
      throw ProgramProblem("darkroom-web did not start: \(program.errors)")
    }
    return WebSite(bench: bench, program: program, port: port)
  }

  /// The address of the list's page, for one use.
  package func address(_ list: String, as user: UInt32? = nil) async throws -> String {
    let end = try await bench.tool(["open", "--address", base, list], as: user)
    guard end.code == 0, end.output.hasPrefix(base) else { throw ProgramProblem("\(end)") }
    return String(end.output.prefix { $0 != "\n" })
  }

  /// The view of a user who opens the list.
  package func view(_ list: String, as user: UInt32? = nil) async throws -> String {
    let path = String(try await address(list, as: user).dropFirst(base.utf8.count))
    let reply = try await get(path, nil)
    guard reply.status == 200, let view = Self.view(behind: reply) else {
      throw ProgramProblem("no view: \(reply)")
    }
    let again = try await get(path, nil)
    guard again.status == 401 else { throw ProgramProblem("a token was used twice: \(again)") }
    return view
  }

  /// The view to which a door leads, if nothing else of the answer has it.
  package static func view(behind door: WebReply) -> String? {
    guard let found = door.text.firstMatch(of: #/content="0;url=(/v/[0-9a-f]{32})/lists/[0-9]+/"/#),
      door.header("Set-Cookie") == nil, door.header("Location") == nil,
      door.header("Cache-Control") == "no-store"
    else { return nil }
    return String(found.1)
  }

  package func get(_ target: String, _ view: String?) async throws -> WebReply {
    try await WebVisit.ask(port, "GET \(view ?? "")\(target)", headers: headers)
  }

  package func focus(_ list: Int, _ body: String, _ view: String) async throws -> WebReply {
    try await WebVisit.ask(
      port, "POST \(view)/lists/\(list)/focus",
      headers: headers + [
        "Origin: \(base)", "Content-Type: application/x-darkroom-focus",
        "Content-Length: \(body.utf8.count)",
      ], body: body)
  }

  /// The events of a list; `reads` waits for one.
  package func events(_ list: Int, _ view: String, since: Int = 0) async throws -> WebVisit {
    let (port, headers) = (port, headers)
    return try await onOwnThread {
      let visit = try WebVisit(port: port)
      let head = ["GET \(view)/lists/\(list)/events?since=\(since) HTTP/1.1"] + headers
      visit.send(head.joined(separator: "\r\n") + "\r\n\r\n")
      return visit
    }
  }

  private var headers: [String] { ["Host: 127.0.0.1:\(port)"] }
}
