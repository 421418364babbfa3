// SPDX-License-Identifier: Apache-2.0
// Who gets the password of the ledger: a server that proves its name, and no other unless Ledger= says so.

import Cluster
import Foundation
import Linux
import Postgres
import Support
import Testing
import Vocabulary

@Suite(.enabled("PostgreSQL is not installed") { PostgresServer.isInstalled })
struct TrustTests {
  @Test(arguments: [
    ("host=/run/postgresql", []), ("host=@ledger", []), ("host=/a,/b", []),
    ("host=/a sslmode=require", []),
    (
      "host=db",
      [
        "sslmode=verify-full", "sslrootcert=/etc/ssl/certs/ca-certificates.crt",
        "gssencmode=disable", "channel_binding=require",
      ]
    ),
    (
      "host=127.0.0.1 sslrootcert=/own.crt channel_binding=prefer",
      ["sslmode=verify-full", "gssencmode=disable"]
    ),
    (
      "hostaddr=127.0.0.1 gssencmode=prefer",
      [
        "sslmode=verify-full", "sslrootcert=/etc/ssl/certs/ca-certificates.crt",
        "channel_binding=require",
      ]
    ),
    (
      "dbname=darkroom",
      [
        "sslmode=verify-full", "sslrootcert=/etc/ssl/certs/ca-certificates.crt",
        "gssencmode=disable",
      ]
    ),
    ("postgresql://u@db/x?sslmode=require", ["channel_binding=require"]),
    ("host=db sslmode=verify-ca", ["channel_binding=require"]),
    ("host=db sslmode=prefer", []), ("host=db sslmode=disable", []),
  ])
  func `a server that is not a socket has to prove itself`(_ text: String, _ settings: [String])
    throws
  {
    let found = try PostgresServers(in: text, hasPassword: true).all[0].trust
    #expect(found.map { "\($0.0)=\($0.1)" } == settings)
  }

  @Test
  func
    `of several servers, those with sockets need no proof, and a node without password binds none`()
    throws
  {
    let servers = try PostgresServers(in: "host=/run,db").all
    #expect(servers[0].trust.isEmpty)
    #expect(servers[1].trust.map(\.0) == ["sslmode", "sslrootcert", "gssencmode"])
  }

  private func office(_ place: String, password: String) throws -> PostgresOffice {
    try PostgresOffice(
      LedgerPlace(
        server: place, password: password, node: "a", run: 1, patience: Patience.time),
      clock: SystemClock())
  }

  /// The words of a node that connects, and the bytes that a server gets which asks in clear.
  private func ask(_ words: String, certificate: [String]) async throws -> (Failure?, got: String?)
  {
    let server = try HelperProcess(
      ["python3", Repository.path("Tests/Support/false_postgres.py")] + certificate)
    defer { server.closeInput() }
    let port = try #require(server.readLine())
    let office = try office(
      "\(port.replacing(" ", with: "=")) user=u dbname=d \(words)", password: "hunter2")
    defer { office.close() }
    let failure = await failure { _ = try await office.pulse() }
    return (failure, try await onOwnThread { server.readLine() })
  }

  private func certificate(in folder: String) async throws -> [String] {
    let files = ["\(folder)/crt", "\(folder)/key"]
    let status = await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=localhost", "-out", files[0], "-keyout", files[1],
    ])
    #expect(status == 0)
    return files
  }

  @Test func `a server in the middle gets no password, also at this machine`() async throws {
    for words in ["host=127.0.0.1", "host=db hostaddr=127.0.0.1", "hostaddr=127.0.0.1"] {
      let (failure, got) = try await ask(words, certificate: [])
      #expect(failure?.code == "ledger.tls" && got == "got nothing", "\(words): \(failure as Any)")
      #expect(failure?.reason.contains("has not proved what it is: ") == true)
      #expect(failure?.advice.contains("see TLS in darkroom-cluster(7)") == true)
    }
    let (_, got) = try await ask("host=127.0.0.1 sslmode=prefer", certificate: [])
    #expect(got == "got hunter2", "an administrator can want that")
  }

  @Test func `a certificate of nobody gets no password, and TLS without one only a proof of it`()
    async throws
  {
    let folder = try FreshFolder()
    let certificate = try await certificate(in: folder.path)
    for words in ["", " sslmode=require"] {
      let (failure, got) = try await ask("host=localhost" + words, certificate: certificate)
      #expect(failure?.code == "ledger.tls" && got == "got nothing", "\(failure as Any)")
    }
  }

  @Test func `a node enters a ledger with TLS, and its password may change while it waits`()
    async throws
  {
    let server = PostgresServer(withTLS: true)
    let own = try await server.database()
    let database = own.split(separator: "=").last ?? ""
    _ = try await server.run(
      [
        "CREATE ROLE node LOGIN PASSWORD 'secret'", "GRANT CREATE ON DATABASE \(database) TO node",
      ], at: own)
    let port = own.split(separator: " ")[1]
    let place = "host=localhost \(port) user=node dbname=\(database)"
    let stranger = try office(place, password: "secret")
    defer { stranger.close() }
    let distrust = await failure { _ = try await stranger.pulse() }
    #expect(distrust?.code == "ledger.tls", "\(distrust as Any)")
    let office = try office(
      "\(place) sslrootcert=\(try await server.certificate())", password: "wrong")
    defer { office.close() }
    let refusal = await failure { _ = try await office.pulse() }
    #expect(refusal?.reason.contains("password authentication failed") == true)
    #expect(refusal?.code == "ledger.lost")
    #expect(office.use(password: "secret"))
    // An attempt that was refused a moment ago is not made again at once.
    #expect(try await Patience.sees { (try? await office.pulse()) != nil })
    let sessions = try await server.run(
      [
        "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND usename = 'node'"
      ],
      at: own)
    #expect(sessions[0][0].int(0) == 1)
  }
}
