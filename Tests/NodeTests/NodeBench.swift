// SPDX-License-Identifier: Apache-2.0
// Several daemons on folders of their own, with one folder or one store that they share, and a ledger in a real
// PostgreSQL.

import Cluster
import Digests
import Foundation
import Linux
import Postgres
import Record
import Support
import Testing
import Vocabulary

@testable import darkroomd

struct NodeBench: Sendable {
  let bench: DaemonBench
  let server: PostgresServer
  /// The connection string of the ledger.
  let place: String
  let leaseTime: String
  /// Nil for a shared folder.
  let store: StoreOrigin?

  /// Of the store, before the keys.
  static let prefix = "deep"

  static func use(
    leaseTime: String = "60s", server: PostgresServer = .shared, inStore: Bool = false,
    _ body: (NodeBench) async throws -> Void
  ) async throws {
    try await DaemonBench.use { bench in
      let place = try await server.database()
      try await onOwnThread {
        try LedgerSchema.install(
          at: place, clock: SystemClock(), within: .seconds(Patience.seconds))
      }
      let blobs = "\(bench.folder.path)/blobs"
      try FileManager.default.createDirectory(
        atPath: blobs, withIntermediateDirectories: false)
      let store =
        inStore ? try StoreOrigin(folder: blobs, log: "\(bench.folder.path)/store.log") : nil
      defer { store?.stop() }
      try await body(
        NodeBench(
          bench: bench, server: server, place: place, leaseTime: leaseTime, store: store))
    }
  }

  /// The settings of what the nodes share.
  /// - Parameter part: the name of the folder, or the part of the store.
  private func blobs(_ store: StoreOrigin?, _ part: String?) throws -> String {
    let root = bench.folder.path
    guard let store else { return "Blobs=\(root)/\(part ?? "blobs")" }
    try bench.folder.write(Array("\(store.key):\(store.secret)\n".utf8), to: "store-key")
    return "Blobs=\(store.url)/\(part ?? Self.prefix)\nBlobCredentials=\(root)/store-key"
  }

  func root(_ node: String) -> String { "\(bench.folder.path)/\(node)" }

  /// Starts a node; returns once it is ready.
  func start(
    _ node: String, at place: String? = nil, through cutter: PostgresCutter? = nil,
    blobs part: String? = nil, more: String = "", _ arguments: [String] = []
  ) async throws -> RunningProgram {
    let daemon = try await launch(
      node, at: place, through: cutter, blobs: part, more: more, arguments)
    try await daemon.says(" is ready: ")
    return daemon
  }

  /// The same for a node that may not become ready.
  /// - Parameter store: in the place of the shared one.
  func launch(
    _ node: String, at place: String? = nil, through cutter: PostgresCutter? = nil,
    store other: StoreOrigin? = nil, blobs part: String? = nil, more: String = "",
    _ arguments: [String] = []
  ) async throws -> RunningProgram {
    try configure(node, at: place, through: cutter, store: other, blobs: part, more: more)
    return try await bench.launch("darkroomd", ["--root", root(node)] + arguments)
  }

  /// For its next start or reload.
  func configure(
    _ node: String, at place: String? = nil, through cutter: PostgresCutter? = nil,
    store other: StoreOrigin? = nil, blobs part: String? = nil, more: String
  ) throws {
    let place = place ?? self.place
    try write(
      """
      [Cluster]
      Ledger=\(cutter?.place(of: place) ?? place)
      Node=\(node)
      LeaseTime=\(leaseTime)
      Chunk=8
      \(try blobs(other ?? store, part))
      \(more)

      """, for: node)
  }

  /// The same daemon without a ledger.
  func startAlone(_ node: String) async throws -> RunningProgram {
    try write("", for: node)
    let daemon = try await bench.launch("darkroomd", ["--root", root(node)])
    try await daemon.says(" is ready: ")
    return daemon
  }

  private func write(_ settings: String, for node: String) throws {
    try bench.folder.write(
      Array((DaemonBench.settings + settings).utf8), to: "\(node)/darkroomd.conf")
  }

  func tool(_ node: String, _ words: String...) async throws -> ProgramEnd {
    try await tool(node, words: words)
  }

  func tool(_ node: String, words: [String]) async throws -> ProgramEnd {
    try await bench.launch("darkroomctl", ["--root", root(node)] + words).end(
      seconds: Patience.seconds + 60)
  }

  /// Photos `photo 1` and so on; all of them wait at the gate.
  func photos(_ count: Int, at gate: String? = "g") throws -> [(String, String)] {
    try bench.serveSamples(count).enumerated().map { place, url in
      ("photo \(place + 1)", url + (gate.map { "?gate=\($0)" } ?? ""))
    }
  }

  func drop(_ photos: [(String, String)], as name: String = "summer.plist", at node: String)
    async throws
  {
    try bench.folder.write(PhotoListText.dictionary(photos), to: "\(node)/arriving/\(name)")
    try FileManager.default.moveItem(
      atPath: "\(root(node))/arriving/\(name)", toPath: "\(root(node))/inbox/\(name)")
  }

  /// The names in a folder, hidden ones as well.
  func all(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(bench.folder.path)/\(path)")) ?? [])
      .sorted()
  }

  func names(_ path: String) -> [String] { all(path).filter { !$0.hasPrefix(".") } }

  /// The prints of a list, without its page.
  func prints(_ folder: String) -> [String] {
    if store != nil { return objects("prints/\(folder)/") }
    return names("blobs/prints/\(folder)").filter { $0 != "index.html" }
  }

  /// The names of objects in a store, behind this beginning.
  func objects(_ start: String) -> [String] {
    let start = "\(Self.prefix)/\(start)"
    return (store?.keys ?? []).filter { $0.hasPrefix(start) }.map {
      String($0.dropFirst(start.count))
    }
  }

  func bytes(ofPrint number: UInt32, in folder: String) -> [UInt8]? {
    let name = "prints/\(folder)/photo \(number).jpg"
    guard let store else { return bench.folder.bytes(of: "blobs/\(name)") }
    return store.object("\(Self.prefix)/\(name)")
  }

  // MARK: the ledger

  func number(_ query: String) async throws -> Int64 {
    try await server.run([query], at: place).first?.first?.int(0) ?? -1
  }

  /// Returns once that many nodes have shares.
  /// They have leased shares, and made lists of them: nothing that they are about to do needs the ledger.
  func nodesAtWork(_ count: Int64) async throws {
    try await bench.until("\(count) nodes have shares") {
      try await number("SELECT count(DISTINCT node) FROM share WHERE state = 1") == count
    }
    let leased = try await number("SELECT count(*) FROM share WHERE state = 1")
    try await bench.until("each leased share is a list of its node") {
      let nodes = ["a", "b", "c"].map { names("\($0)/state/lists") }
      return nodes.joined().filter { UInt64($0) != nil }.count > leased
    }
  }

  func photosDone() async throws -> Int64 {
    try await number("SELECT coalesce(sum(filtered + failed), 0)::bigint FROM tally")
  }

  /// Fails unless each photo of the list is in the ledger once, and its print is as it says.
  func checkBooks(
    _ count: Int, of list: LedgerList = LedgerList(1), prints folder: String = "summer"
  ) async throws {
    let office = try PostgresOffice(
      LedgerPlace(server: place, node: "reader", run: 1, patience: Patience.time),
      clock: SystemClock())
    let outcomes = try await office.outcomes(of: list, from: nil, in: 1...UInt32(count))
    #expect(outcomes.map(\.photo) == Array(1...UInt32(count)))
    #expect(try await photosDone() == Int64(count))
    for outcome in outcomes {
      let row = try #require(ShareRows.row(outcome, of: list))
      let print = try #require(bytes(ofPrint: outcome.photo, in: folder))
      #expect(print.sha256 == row.sha256, "photo \(outcome.photo)")
    }
    #expect(prints(folder).count == count)
    office.close()
  }
}

extension [UInt8] {
  fileprivate var sha256: [UInt8] { SHA256.digest(of: self).bytes }
}
