// SPDX-License-Identifier: Apache-2.0
// Who may read the reason of which trouble: a marker for every subject, for the administrator and for all others.

import Accept
import Cluster
import Record
import Testing
import Vocabulary

@testable import darkroomd

extension Health.Subject {
  /// One of each: a new case does not compile until it has its place here.
  static let each: [Self] = {
    var all: [Self] = [.work]
    while let next = all.last?.next { all.append(next) }
    return all
  }()

  private var next: Self? {
    switch self {
    case .work: .downloads
    case .downloads: .proxy
    case .proxy: .ledger
    case .ledger: .blobs
    case .blobs: .nodes
    case .nodes: .inbox
    case .inbox: .openFiles
    case .openFiles: .list(ListID(17))
    case .list: .copy(ListID(17))
    case .copy: .shares
    case .shares: .share(LedgerList(17))
    case .share: .returns
    case .returns: .retired
    case .retired: .removals
    case .removals: .expiry
    case .expiry: .unwanted
    case .unwanted: .file(FileName(literal: "SECRET.plist"))
    case .file: .crowd(.everyone)
    case .crowd(.everyone): .crowd(.user(7))
    case .crowd(.user): .crowd(.lists(7))
    case .crowd(.lists): .hooks
    case .hooks: .hookOrders
    case .hookOrders: .webhooks
    case .webhooks: .webhookOrders
    case .webhookOrders: .newWebhooks
    case .newWebhooks: .settings
    case .settings: .unsynced
    case .unsynced: nil
    }
  }
}

@Suite struct HealthAudienceTests {
  /// The reasons that can name nothing but what is the daemon's own.
  private static let open: Set<Health.Subject> = [
    .downloads, .ledger, .nodes, .openFiles, .newWebhooks, .unsynced, .crowd(.everyone),
  ]

  private static let isEveryone: @Sendable (Health.Audience) -> Bool = { $0 == .everyone }

  private func trouble(_ code: String, _ kind: Failure.Kind = .machine) -> Failure {
    Failure(
      kind, code: code, reason: "openat /prints/SECRET/.daemon-1-3.print: no space left on device",
      advice: "Look into /prints/SECRET")
  }

  /// All that the subject makes people read.
  private func texts(
    _ subject: Health.Subject, _ failure: Failure, _ sees: (Health.Audience) -> Bool
  ) -> String {
    var health = Health()
    health.isInboxClosed = true
    _ = health.set(failure, for: subject, inbox: "/inbox")
    let told = [
      health.told(subject, sees), health.toldHold(sees), health.toldInbox(sees),
    ].compactMap { $0?.words }
    let line = health.statusLine(OpenTotal(), leased: OpenTotal(), isNew: false, sees)
    let lines = health.lines(sees) + health.mistakes(sees) + health.crowds(sees)
    #expect(!lines.isEmpty || subject == .crowd(.everyone), "\(subject)")
    return (told + lines + [line]).joined(separator: "\n")
  }

  @Test(arguments: Health.Subject.each)
  func `what a reason names is for those who may know it`(subject: Health.Subject) {
    for failure in [
      trouble("disk.full"), trouble("system.28"), trouble("odd"), trouble("x", .final),
    ] {
      #expect(texts(subject, failure) { _ in true }.contains("SECRET"))
      let others = texts(subject, failure, Self.isEveryone)
      // Members may know the names of files in the inbox; other users of the machine may not.
      var health = Health()
      _ = health.set(failure, for: subject, inbox: "/inbox")
      let line = health.statusLine(OpenTotal(), leased: OpenTotal(), isNew: false, Self.isEveryone)
      #expect(!line.contains("SECRET") || Self.open.contains(subject), "\(line)")
      if case .file = subject { continue }
      #expect(others.contains("SECRET") == Self.open.contains(subject), "\(others)")
    }
  }

  @Test(
    arguments: [
      (.work, "system.28", "no space left on device"),
      (.work, "disk.full", "no space left on device"),
      (.work, "system.24", "too many open files"),
      (.work, "list.memory", "this machine is in trouble"),
      (.work, "worker.socket", "this machine is in trouble"),
      (.proxy, "proxy.silent", "the proxy is in trouble"),
      (.inbox, "system.5", "input/output error"),
    ] as [(Health.Subject, String, String)])
  func `others read what kind of trouble it is`(
    subject: Health.Subject, code: String, words: String
  ) {
    var health = Health()
    health.isInboxClosed = true
    _ = health.set(trouble(code), for: subject, inbox: "/inbox")
    #expect(health.told(subject, Self.isEveryone)?.words == words)
    #expect(health.told(subject, Self.isEveryone)?.code == code)
    let line = health.statusLine(OpenTotal(), leased: OpenTotal(), isNew: false, Self.isEveryone)
    #expect(line.contains(words), "\(line)")
  }

  @Test(
    arguments: [
      (.work, "worker.start"), (.work, "worker.sandbox"), (.proxy, "proxy.name"),
      (.proxy, "proxy.tls"), (.proxy, "proxy.unreachable"), (.inbox, "inbox.lost"),
      (.blobs, "blobs.other"),
      (.blobs, "folder.lost"), (.blobs, "store.unreachable"),
    ] as [(Health.Subject, String)])
  func `what is the daemon's own is told to all`(subject: Health.Subject, code: String) {
    let failure = trouble(code)
    #expect(subject.told(failure, Self.isEveryone) == failure)
  }

  @Test func `others read what waits, and what kind of trouble of a call it is`() {
    var health = Health()
    for subject in [Health.Subject.hooks, .returns, .removals, .settings] {
      _ = health.set(trouble("system.28"), for: subject, inbox: "/inbox")
    }
    _ = health.set(trouble("hook.stranger", .final), for: .webhooks, inbox: "/inbox")
    #expect(
      health.lines(Self.isEveryone) == [
        "lists of other nodes are not returned: no space left on device",
        "removals of lists wait: no space left on device", "hooks wait: no space left on device",
        "webhooks wait",
        "the last reload was refused, and the settings from before it are in force",
      ])
  }
}
