// SPDX-License-Identifier: Apache-2.0
// A real PostgreSQL, of Debian, in a fresh folder: one server for most tests of the process, a database for each. It
// ends with the process. Another one may be its standby.

import Foundation
import Linux
package import Postgres
import Vocabulary

package actor PostgresServer {
  package static let shared = PostgresServer()
  private static let versions = "/usr/lib/postgresql"
  /// Those of the newest version; a client alone has no `initdb`.
  private static let programs: String? = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    return names.compactMap { Int($0) }.sorted(by: >).lazy.map { "\(versions)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()
  package static let isInstalled = programs != nil

  private var started: Task<String, any Error>?
  private var process: HelperProcess?
  private var databases = 0
  private let primary: PostgresServer?
  private let hasTLS: Bool

  /// - Parameter withTLS: it also listens at a port of localhost, where it wants TLS and passwords.
  package init(withTLS hasTLS: Bool = false) { (primary, self.hasTLS) = (nil, hasTLS) }

  /// A standby, for which the primary waits with every commit once it runs.
  package init(standbyOf primary: PostgresServer) { (self.primary, hasTLS) = (primary, false) }

  /// Runs as the user `postgres`, since the server refuses root. A server whose process is killed leaves others for a
  /// moment, which end by themselves.
  private static let script = """
    set -e
    bin=$1 home=$2 primary=$3 tls=$4
    port=5432
    exec 2>>"$home/script.log"
    if [ -n "$primary" ]; then
      $bin/pg_basebackup -D "$home/data" -R -c fast -h "$primary" -U postgres >"$home/initdb.log" 2>&1
    else
      $bin/initdb -D "$home/data" -A trust -N -E UTF8 --locale=C -U postgres >"$home/initdb.log" 2>&1
    fi
    if [ -n "$tls" ]; then
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \\
        -addext subjectAltName=DNS:localhost -keyout "$home/data/server.key" -out "$home/server.crt"
      cp "$home/server.crt" "$home/data/server.crt"
      printf 'local all all trust\\nhostssl all all 127.0.0.1/32 scram-sha-256\\n' >"$home/data/pg_hba.conf"
      while port=$(shuf -n 1 -i 20000-30000); ss -Hltn "sport = :$port" | grep -q .; do :; done
      echo "port=$port" >"$home/port"
      printf "port=$port\\nlisten_addresses='127.0.0.1'\\nssl=on\\n" >>"$home/data/postgresql.conf"
    else
      echo "listen_addresses=''" >>"$home/data/postgresql.conf"
    fi
    start() {
      $bin/postgres -D "$home/data" -k "$home" -c fsync=off \\
        -c max_connections=600 -c shared_buffers=32MB -c dynamic_shared_memory_type=mmap \\
        >>"$home/server.log" 2>&1 &
      server=$!
      until $bin/pg_isready -q -h "$home" -p "$port"; do kill -0 $server; sleep 0.05; done
      echo ready
    }
    start
    while read -r word; do
      case $word in
      stop)
        kill -INT $server
        wait $server || true
        echo stopped
        ;;
      crash)
        kill -QUIT $server
        wait $server || true
        echo crashed
        ;;
      kill)
        kill -KILL $server $(cat /proc/$server/task/*/children) || true
        wait $server || true
        echo killed
        ;;
      promote)
        $bin/pg_ctl -D "$home/data" -w -t 600 promote >>"$home/server.log" 2>&1
        echo promoted
        ;;
      start) start ;;
      esac
    done
    kill -QUIT $server || true
    wait $server || true
    rm -rf "$home"
    """

  /// The folder of the server's socket.
  private func home() async throws -> String {
    if started == nil {
      started = Task { try await self.start() }
    }
    guard let started else { throw PostgresProblem("no server") }
    return try await started.value
  }

  private func start() async throws -> String {
    let home = "/tmp/darkroom-postgres-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let source = try await primary?.home() ?? ""
    var words = ["sh", "-c", Self.script, "sh", Self.programs ?? "", home, source]
    words.append(hasTLS ? "tls" : "")
    if ThisProcess.user == 0 {
      _ = await HelperProcess.status(of: ["chown", "postgres", home])
      words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + words
    }
    let helper = try HelperProcess(words)
    process = helper
    let line = try await onOwnThread { helper.readLine() }
    guard line == "ready" else {
      let log = (try? String(contentsOfFile: "\(home)/server.log", encoding: .utf8)) ?? ""
      throw PostgresProblem("the server did not start: \(log)")
    }
    try await primary?.alter(["synchronous_standby_names = '*'"])
    return home
  }

  /// Ends the server, and all sessions, until `goOn`.
  package func stop() async throws { try await tell("stop", "stopped") }

  /// Ends it at once, without what it has not written, until `goOn`.
  package func crash() async throws { try await tell("crash", "crashed") }

  package func goOn() async throws { try await tell("start", "ready") }

  /// SIGKILL for all its processes.
  package func kill() async throws { try await tell("kill", "killed") }

  package func promote() async throws { try await tell("promote", "promoted") }

  /// Changes settings, also of sessions that are open.
  package func alter(_ settings: [String]) async throws {
    let statements = settings.map { "ALTER SYSTEM SET \($0)" } + ["SELECT pg_reload_conf()"]
    _ = try await run(statements, at: place(of: "postgres"))
  }

  private func tell(_ word: String, _ answer: String) async throws {
    guard let process else { throw PostgresProblem("no server") }
    process.write("\(word)\n")
    let line = try await onOwnThread { process.readLine() }
    guard line == answer else { throw PostgresProblem("the server answered \(line ?? "nothing")") }
  }

  /// Connection strings of the server's databases.
  package func place(of database: String) async throws -> String {
    let home = try await home()
    let port = hasTLS ? try String(contentsOfFile: "\(home)/port", encoding: .utf8) : ""
    return "host=\(home) \(port.dropLast()) user=postgres dbname=\(database)"
  }

  /// The certificate of the server, which has signed itself.
  package func certificate() async throws -> String { "\(try await home())/server.crt" }

  /// The connection string of a database that is at one of these servers.
  package static func place(of database: String, at servers: [PostgresServer]) async throws
    -> String
  {
    var homes: [String] = []
    for server in servers { homes.append(try await server.home()) }
    return "host=\(homes.joined(separator: ",")) user=postgres dbname=\(database)"
  }

  /// Makes an empty database, and returns its connection string.
  package func database() async throws -> String {
    databases += 1
    let name = "test\(databases)"
    _ = try await run(["CREATE DATABASE \(name)"], at: place(of: "postgres"))
    return try await place(of: name)
  }

  /// One for all calls: a clock lasts as long as its process, and tests call often while they wait.
  private static let clock = Result { () throws(SystemError) in try SystemClock() }

  /// Each statement is a transaction.
  package func run(_ statements: [String], at place: String) async throws -> [[PostgresRow]] {
    try await onOwnThread {
      let clock = try Self.clock.get()
      let deadline = clock.uptime() + .seconds(Patience.seconds)
      var session = try PostgresSession.open(
        place, [("options", "-c search_path=darkroom")], clock: clock, until: deadline)
      return try session.run(
        statements.map { [PostgresStatement("", $0)] }, until: deadline
      ).map { try $0.get()[0] }
    }
  }
}

package struct PostgresProblem: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
