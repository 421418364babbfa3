// SPDX-License-Identifier: Apache-2.0
// Reloads of a real settings file.

import Linux
import Report
import Steer
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite final class ReloadTests: Sendable {
  private let scratch: FreshFolder
  private let live = LiveSettings(Settings())
  private let reload: Reload
  /// The numbers of attempts that the two parts were given.
  private let given = Mutex<[UInt32]>([])
  private let told = Mutex<[Notice]>([])
  private let lines: ToldLines
  private let health: HealthBoard

  init() throws {
    lines = try ToldLines()
    health = HealthBoard(lines.reporter, inbox: "/inbox", changes: ChangeSignal())
    scratch = try FreshFolder()
    reload = Reload(
      ConfigurationFile(path: "\(scratch.path)/darkroomd.conf", isNamed: true), live)
  }

  private func write(_ text: String) throws {
    try scratch.write(Array(text.utf8), to: "darkroomd.conf")
  }

  private func running(
    _ status: ServiceStatus = .unheard, secrets: @escaping Reload.Secrets = { _ in [] },
    _ body: () async throws -> Void
  ) async throws {
    async let run: Void = reload.run(
      status, health, telling: { notice in told.withLock { $0.append(notice) } },
      forecast: { old, new in old.record == new.record ? [] : ["it removes 3 prints"] },
      secrets: secrets,
      [
        { [self] settings in given.withLock { $0.append(settings.download.attempts) } },
        { [self] settings in given.withLock { $0.append(settings.download.attempts + 100) } },
      ])
    do { try await body() } catch {
      reload.stop()
      await run
      throw error
    }
    reload.stop()
    await run
  }

  /// Nil if the reload is refused.
  private func notes() async -> [String]? { try? await reload.ask(by: 0)?.get() }

  @Test func `new settings reach every part, and the answer names those that wait`() async throws {
    try write("[Download]\nAttempts=3\nConnections=7\n[Filter]\nTimeout=2min\n")
    try await running {
      #expect(await notes() == ["Attempts takes effect at the next start"])
      #expect(live.current.download.attempts == 3 && live.current.download.connections == 7)
      #expect(given.withLock { $0 } == [3, 103])
      #expect(
        told.withLock { $0 }
          == [
            .configurationReloaded(changed: ["Connections", "Attempts", "Timeout"], by: Person(0))
          ])
    }
  }

  @Test func `the answer says what the settings remove, and a question changes nothing`()
    async throws
  {
    try write("[Record]\nKeepPrints=30d\n")
    let order = ForecastOrder(keepLists: .seconds(86_400), keepPrints: nil)
    try await running {
      #expect(await reload.forecast(order) == ["it removes 3 prints"])
      #expect(live.current == Settings() && told.withLock { $0 }.isEmpty)
      #expect(await notes() == ["it removes 3 prints"])
      #expect(await notes() == [])
    }
    #expect(await reload.forecast(order) == nil)
  }

  @Test func `a folder of files that is not there is noted, and the settings take effect`()
    async throws
  {
    try write("[Download]\nFileFolders=/missing/photos\n")
    try await running {
      #expect(
        await notes() == [
          "the folder /missing/photos of FileFolders= cannot be opened: no such file or directory; "
            + "its photos wait until it can"
        ])
      #expect(live.current.download.fileFolders == ["/missing/photos"])
    }
  }

  @Test func `a new secret behind an unchanged setting is told, once`() async throws {
    try write("")
    let renewed = Mutex(["LedgerPassword"])
    let secrets: Reload.Secrets = { _ in
      renewed.withLock { keys in
        defer { keys = [] }
        return keys
      }
    }
    try await running(secrets: secrets) {
      #expect(await notes() == ["the contents of LedgerPassword= have changed"])
      #expect(await notes() == [])
      #expect(
        told.withLock { $0 }
          == [["LedgerPassword"], []].map { .configurationReloaded(changed: $0, by: Person(0)) })
    }
  }

  @Test func `an unchanged file changes nothing`() async throws {
    try write("")
    try await running {
      #expect(await notes() == [])
      #expect(told.withLock { $0 } == [.configurationReloaded(changed: [], by: Person(0))])
    }
  }

  @Test(
    arguments: [
      ("[Download]\nAttemps=3\n", "darkroomd.conf:2: there is no setting 'Attemps'"),
      (
        "[Cluster]\nLedger=dbname=x\nBlobs=/srv/blobs\nLedgerPassword=/missing/word\n",
        "darkroomd.conf:4: could not read LedgerPassword=: "
      ),
      (
        """
        [Cluster]
        Ledger=dbname=x
        BlobCredentials=/missing/key
        Blobs=https://s3.example.org/bucket

        """, "darkroomd.conf:3: could not read BlobCredentials=: "
      ),
      (
        "\n[Network]\nCertificateAuthorities=/missing/ca.pem\n",
        "darkroomd.conf:3: CertificateAuthorities= cannot be used: /missing/ca.pem: could not read it"
      ),
    ])
  func `a bad file is refused, and the old settings stay`(
    text: String, words: String
  ) async throws {
    try write(text)
    try await running {
      let answer = try #require(await reload.ask(by: 0))
      let refusal = #expect(throws: Failure.self) { try answer.get() }
      #expect(refusal?.reason.contains(words) == true)
      #expect(live.current == Settings() && given.withLock { $0 }.isEmpty)
      let notice = try #require(told.withLock { $0 }.first)
      #expect(notice.priority == .error)
      #expect(
        notice.message.fields.first { $0.field == .reason }?.text == refusal?.reason)
      #expect(health.health.lines.map { $0.contains(words) } == [true])
      try write("[Download]\nAttempts=3\n")
      #expect(await notes()?.count == 1)
      #expect(health.health.lines.isEmpty)
    }
  }

  @Test(arguments: ["", "nonsense"])
  func `the service manager hears the begin and the end, also of a refused reload`(
    text: String
  ) async throws {
    try write(text)
    let manager = try ServiceManager()
    try await running(manager.status) {
      _ = await reload.ask(by: 0)
      let (begin, end) = (try await manager.next(), try await manager.next())
      #expect(begin?.hasPrefix("RELOADING=1\n") == true)
      #expect(end == "READY=1")
    }
  }

  @Test func `a hang-up reloads without an answer, before later requests`() async throws {
    try write("[Download]\nAttempts=3\n")
    try await running {
      reload.hangUp()
      #expect(await notes() == [], "the hang-up has already changed everything")
      #expect(given.withLock { $0 } == [3, 103, 3, 103])
    }
  }

  @Test func `after the stop a request is answered with nothing`() async throws {
    try write("")
    try await running {}
    #expect(await reload.ask(by: 0) == nil)
    reload.hangUp()
    #expect(given.withLock { $0 }.isEmpty)
  }
}
