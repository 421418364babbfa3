// SPDX-License-Identifier: Apache-2.0
// The present troubles of the daemon, by subject. Returns a notice when a trouble begins, when its code
// changes, and when it is over (not for copies, files and settings). Words the status line and the list of troubles. A
// value; raises nothing.

import Accept
import Cluster
import Record
import Report
import Vocabulary

struct Health: Equatable, Sendable {
  /// The subject of a trouble, the gravest first.
  enum Subject: Hashable, Comparable, Sendable {
    case work
    case downloads
    case proxy
    /// The ledger of a cluster does not answer.
    case ledger
    /// The folder that the nodes of a cluster share is away.
    case blobs
    /// Lists of a cluster wait, because each of its nodes is drained or silent.
    case nodes
    case inbox
    case openFiles
    case list(ListID)
    case copy(ListID)
    /// This node can make no lists of the photos that it leases, or none of one list.
    case shares
    case share(LedgerList)
    /// Lists of nodes that are gone, which this node is to return, and old ones that it is to remove from the ledger.
    case returns
    case retired
    /// Removals that users asked for and that have begun.
    case removals
    /// Prints that KeepPrints= removes.
    case expiry
    /// The prints in a store of lists that are removed.
    case unwanted
    case file(FileName)
    /// Files in the inbox, of all users or of one, that wait because of a limit.
    case crowd(InboxCrowd)
    /// Hooks that cannot be run, and those that cannot be ordered.
    case hooks
    case hookOrders
    /// Webhooks that cannot be sent, orders for them that cannot be read or written, and new ones.
    case webhooks
    case webhookOrders
    case newWebhooks
    /// The last reload was refused.
    case settings
    /// The record is not synced.
    case unsynced
  }

  enum Place: Equatable, Sendable {
    /// The mark of a folder was judged at the start; no start asks a store, from which nothing is removed therefore.
    case unknown
    /// The ledger was entered, which has found its mark.
    case own
    /// It may not be the one that the nodes of the ledger share: no prints of the cluster are removed until the ledger
    /// was entered.
    case foreign(Failure)

    /// - Parameter failure: of the ledger; nil if it was entered.
    fileprivate mutating func take(_ failure: Failure?) {
      if let failure {
        if failure.isForeignPlace { self = .foreign(failure) }
      } else {
        self = .own
      }
    }
  }

  /// Subjects without the names of lists and files.
  enum Matter: String, CaseIterable {
    case work, downloads, proxy, ledger, inbox, files, lists, hooks, webhooks, settings
  }

  private var troubles: [Subject: Failure] = [:]
  /// The ledger is older than this node: nothing is accepted, or removed by itself, until the ledger was entered. No other
  /// trouble takes its place.
  private(set) var standstill: Failure?
  /// The place of Blobs=, as far as this run knows it.
  private(set) var place = Place.unknown
  /// A weakness of the inbox's file system: not a trouble, but shown to users.
  var shortcoming: String?
  var files = InboxCounts()
  /// A file in the inbox is not seen, or cannot become a list.
  var isInboxClosed = false

  /// The most troubles that are shown, and the most files that are noted; further lines are counted.
  static let mostLines = 100
  static let mostFiles = 100

  // MARK: changing

  /// Returns the notice to report, or nil if nothing new happened.
  mutating func set(_ failure: Failure?, for subject: Subject, inbox: String) -> Notice? {
    let before = troubles[subject]
    if before == nil, case .file = subject, isFull { return nil }
    troubles[subject] = failure
    if subject == .ledger, failure?.isOlderLedger ?? true { standstill = failure }
    if subject == .ledger { place.take(failure) }
    guard let failure else { return before.flatMap { subject.recovery(from: $0, inbox) } }
    return failure.code == before?.code ? nil : subject.notice(failure)
  }

  /// Their list is over, or nothing is left for this node: forgets the troubles without a notice.
  /// Returns whether there was one.
  mutating func forget(_ subjects: [Subject]) -> Bool {
    subjects.reduce(false) { troubles.removeValue(forKey: $1) != nil || $0 }
  }

  /// The trouble goes on under another subject.
  mutating func move(_ subject: Subject, to other: Subject) {
    if let trouble = troubles.removeValue(forKey: subject) { troubles[other] = trouble }
  }

  private var isFull: Bool {
    troubles.keys.count { if case .file = $0 { true } else { false } } >= Self.mostFiles
  }

  // MARK: seeing

  /// Why the place in reach may not be the one that the nodes share.
  var foreignPlace: Failure? { if case .foreign(let failure) = place { failure } else { nil } }

  subscript(_ subject: Subject) -> Failure? { troubles[subject] }

  /// The trouble for which all work, all downloads, or those through the proxy wait.
  var hold: Failure? { troubles[.work] ?? troubles[.downloads] ?? troubles[.proxy] }

  /// The trouble that may hide a file in the inbox, or keep it from becoming a list.
  var closedInbox: Failure? { isInboxClosed ? troubles[.inbox] : nil }

  /// The trouble, with the reason that the caller may read.
  func told(_ subject: Subject, _ sees: (Audience) -> Bool) -> Failure? {
    troubles[subject].map { subject.told($0, sees) }
  }

  /// The same of `hold`.
  func toldHold(_ sees: (Audience) -> Bool) -> Failure? {
    told(.work, sees) ?? told(.downloads, sees) ?? told(.proxy, sees)
  }

  /// The same of `closedInbox`.
  func toldInbox(_ sees: (Audience) -> Bool) -> Failure? {
    isInboxClosed ? told(.inbox, sees) : nil
  }

  /// Faults that users have to mend. They cost their users alone, so this machine works as it should.
  func mistakes(_ sees: (Audience) -> Bool) -> [String] {
    let known = troubles.filter { Self.isMistake($0.key, $0.value) }.sorted { $0.key < $1.key }
    return known.map { $0.line($1, sees) }
  }

  private static func isMistake(_ subject: Subject, _ failure: Failure) -> Bool {
    switch subject {
    case .file, .crowd: failure.kind == .final
    default: false
    }
  }

  /// One line for each trouble, for people.
  var lines: [String] { lines { _ in true } }

  /// Without the reasons that are closed to the caller.
  func lines(_ sees: (Audience) -> Bool) -> [String] {
    let known = troubles.filter { !Self.isMistake($0.key, $0.value) && !isTold($0.key, $0.value) }
      .sorted { $0.key < $1.key }
    var lines = known.prefix(Self.mostLines).map { $0.line($1, sees) }
    if let shortcoming { lines.append(shortcoming) }
    if known.count > Self.mostLines {
      let more = known.count - Self.mostLines
      lines.append(
        "\(more) more \(more == 1 ? "list or file is" : "lists or files are") in trouble")
    }
    return lines
  }

  /// The line of the ledger has the same reason, or says that no more is known.
  private func isTold(_ subject: Subject, _ failure: Failure) -> Bool {
    switch subject {
    case .blobs: troubles[.ledger]?.code == failure.code
    case .nodes: troubles[.ledger] != nil
    default: false
    }
  }

  /// The lines of the crowds in the inbox that the caller may know.
  /// - Parameter hidden: only of users with files that have no place, and are not seen.
  func crowds(hidden: Bool = false, _ sees: (Audience) -> Bool) -> [String] {
    troubles.sorted { $0.key < $1.key }.compactMap { subject, failure -> String? in
      guard case .crowd(let crowd) = subject, sees(subject.audience(failure)) else { return nil }
      if hidden, case .lists = crowd { return nil }
      return subject.line(failure)
    }
  }

  func has(_ matter: Matter) -> Bool {
    troubles.contains { $0.key.matter == matter && !Self.isMistake($0.key, $0.value) }
  }

  /// Something waits for room on a disk, or for a disk that can be written.
  var waitsForDisk: Bool { troubles.values.contains(where: \.isOfDisk) }

  var waitsForNetwork: Bool { troubles.values.contains { $0.code == Failure.noNetwork } }

  static let ledgerWaits =
    "leased photos go on until their leases end, and no photo is told or leased"

  /// The number of lists, and copies of lists, that wait for this machine or for a person.
  var waitingLists: Int {
    troubles.keys.count { subject in
      switch subject {
      case .list, .copy: true
      default: false
      }
    }
  }

  /// The line that `systemctl status` shows: idle only if nothing waits.
  /// - Parameter leased: the shares of a node.
  /// - Parameter isNew: no list was ever accepted.
  /// - Parameter sees: who may read the line.
  func statusLine(
    _ open: OpenTotal, leased: OpenTotal, isNew: Bool, _ sees: (Audience) -> Bool
  ) -> String {
    let waits = waits(sees)
    var words: [String] = []
    if let hold = toldHold(sees) {
      words.append("Waiting: \(hold.reason).")
    } else if let ledger = told(.ledger, sees) {
      let rest = leased.photos > 0 ? "; leased photos go on" : ""
      words.append("Waiting: \(ledger.reason)\(rest).")
    } else if let blobs = told(.blobs, sees) {
      words.append("Waiting: \(blobs.reason).")
    } else if let inbox = told(.inbox, sees) {
      words.append("Inbox in trouble: \(inbox.reason).")
    }
    if open.lists > 0 { words.append(Self.work(open)) }
    if leased.lists > 0 { words.append("\(Self.photos(leased)) of the cluster to go here.") }
    if open.lists + leased.lists == 0, waits.isEmpty, files.waiting == 0 {
      let idle = isNew ? "No list yet." : "Every accepted list is done."
      words.append(
        words.isEmpty ? isNew ? "Idle: no list yet." : "Idle: every list is done." : idle)
    }
    if files.waiting > 0 {
      words.append("\(files.waiting) file\(files.waiting == 1 ? " waits" : "s wait") in the inbox.")
    }
    if let first = waits.first {
      words.append("\(first)\(waits.count == 1 ? "" : ", and \(waits.count - 1) more").")
    }
    return words.joined(separator: " ")
  }

  private static func photos(_ open: OpenTotal) -> String {
    "\(open.photos) photo\(open.photos == 1 ? "" : "s")"
  }

  private static func work(_ open: OpenTotal) -> String {
    let lists = "\(open.lists) list\(open.lists == 1 ? "" : "s")"
    let photos = "\(photos(open)) to go"
    return switch open.paused {
    case 0: "Working on \(lists), \(photos)."
    case open.lists: "Paused: \(lists), \(photos)."
    default: "Working on \(lists), \(photos); \(open.paused) of the lists wait paused."
    }
  }

  /// The lines of the lists, copies and files that wait.
  private func waits(_ sees: (Audience) -> Bool) -> [String] {
    troubles.sorted { $0.key < $1.key }.compactMap { subject, failure -> String? in
      switch subject {
      case .nodes where isTold(subject, failure): return nil
      case .list, .copy, .nodes, .shares, .share, .file, .crowd:
        guard case .file(let name) = subject else { return subject.line(failure, sees) }
        // Members may list the inbox; not every user of the machine may.
        return sees(subject.audience(failure))
          ? "\(name): \(failure.reason)" : "A file in the inbox \(subject.wait(failure))"
      default: return nil
      }
    }
  }
}

extension Health.Subject {
  fileprivate var matter: Health.Matter {
    switch self {
    case .work: .work
    case .downloads: .downloads
    case .proxy: .proxy
    case .ledger, .blobs: .ledger
    case .inbox, .file, .crowd: .inbox
    case .openFiles: .files
    case .list, .copy, .nodes, .shares, .share, .returns, .retired, .removals, .expiry, .unwanted:
      .lists
    case .hooks, .hookOrders: .hooks
    case .webhooks, .webhookOrders, .newWebhooks: .webhooks
    case .settings, .unsynced: .settings
    }
  }

  fileprivate func line(_ failure: Failure, _ sees: (Health.Audience) -> Bool) -> String {
    sees(audience(failure)) ? line(failure) : closedLine(failure)
  }

  fileprivate func line(_ failure: Failure) -> String {
    switch self {
    case .work, .downloads: failure.reason
    case .inbox, .openFiles, .proxy, .ledger, .blobs, .crowd, .unsynced: failure.words
    case .hooks: "hooks wait: \(failure.words)"
    case .webhooks, .webhookOrders: "webhooks wait: \(failure.words)"
    case .newWebhooks: "no more webhooks are ordered: \(failure.words)"
    case .hookOrders: "no more hooks are ordered: \(failure.words)"
    case .settings:
      "the last reload was refused, and the settings from before it are in force: \(failure.reason)"
    case .list(let list):
      failure.kind == .final
        ? "list \(list) cannot be opened: \(failure.reason)"
        : "list \(list) waits: \(failure.reason)"
    case .copy: "\(closedLine(failure)): \(failure.reason)"
    case .nodes: "photos of the cluster wait: \(failure.words)"
    case .shares: "this node takes no photos of the cluster: \(failure.words)"
    case .share: failure.words
    case .returns: "lists of other nodes are not returned: \(failure.words)"
    case .retired: "old lists stay in the ledger: \(failure.words)"
    case .removals: "removals of lists wait: \(failure.words)"
    case .expiry: "old prints are not removed: \(failure.words)"
    case .unwanted: "prints are not removed from the store: \(failure.words)"
    case .file(let name): "\(name): \(failure.words)"
    }
  }

  /// Nil for the settings: each refusal is told by itself, and the start notes the others.
  fileprivate func notice(_ failure: Failure) -> Notice? {
    switch self {
    case .work: .machineTrouble(failure, waits: "all work waits")
    case .downloads: .machineTrouble(failure, waits: "downloads wait")
    case .proxy: .machineTrouble(failure, waits: "downloads through the proxy wait")
    case .ledger:
      .machineTrouble(failure, waits: Health.ledgerWaits)
    case .blobs: .machineTrouble(failure, waits: "photos of the cluster wait at this node")
    case .inbox: .inboxDegraded(failure, rescan: .seconds(5))
    case .openFiles: .machineTrouble(failure, waits: "fewer photos than set are worked on at once")
    case .list(let list):
      .machineTrouble(
        failure,
        waits: failure.kind == .final ? "list \(list) waits for repair" : "list \(list) waits")
    case .copy(let list):
      .machineTrouble(
        failure,
        waits: failure.kind == .final
          ? "list \(list) has no copy in done" : closedLine(failure))
    case .file(let name):
      failure.kind == .final
        ? .fileUnreadable(name: String(decoding: name.bytes, as: UTF8.self), failure)
        : .machineTrouble(failure, waits: "list '\(name)' waits")
    case .crowd(.everyone): .machineTrouble(failure, waits: "further files in the inbox wait")
    case .crowd(.user(let user)), .crowd(.lists(let user)): .shareTaken(of: Person(user), failure)
    case .nodes: .machineTrouble(failure, waits: "lists of the cluster wait")
    case .shares: .machineTrouble(failure, waits: "photos of the cluster are left to other nodes")
    case .share: .machineTrouble(failure, waits: "its photos are left to other nodes")
    case .returns: .machineTrouble(failure, waits: "lists of other nodes are not returned")
    case .retired: .machineTrouble(failure, waits: "old lists stay in the ledger")
    case .removals: .machineTrouble(failure, waits: "removals of lists wait")
    case .expiry: .machineTrouble(failure, waits: "old prints stay (KeepPrints=)")
    case .unwanted: .machineTrouble(failure, waits: "prints of removed lists stay in the store")
    case .hooks: .machineTrouble(failure, waits: "hooks wait")
    case .webhooks, .webhookOrders: .machineTrouble(failure, waits: "webhooks wait")
    case .newWebhooks: .machineTrouble(failure, waits: "no more webhooks are ordered")
    case .hookOrders: .machineTrouble(failure, waits: "no more hooks are ordered")
    case .settings, .unsynced: nil
    }
  }

  fileprivate func recovery(from failure: Failure, _ inbox: String) -> Notice? {
    switch self {
    case .work: .machineRecovered(failure, resumes: "all work continues")
    case .downloads: .machineRecovered(failure, resumes: "downloads continue")
    case .proxy: .machineRecovered(failure, resumes: "downloads through the proxy continue")
    case .ledger: .machineRecovered(failure, resumes: "nodes share their work again")
    case .blobs:
      .machineRecovered(failure, resumes: "photos of the cluster continue at this node")
    case .inbox: .inboxRecovered(inbox: inbox)
    case .openFiles: .machineRecovered(failure, resumes: "as many photos as set are worked on")
    case .list(let list): .machineRecovered(failure, resumes: "list \(list) continues")
    case .crowd(.everyone): .machineRecovered(failure, resumes: "no file waits for others to leave")
    case .copy, .file, .crowd(.user), .crowd(.lists), .settings, .unsynced: nil
    case .nodes: .machineRecovered(failure, resumes: "no list of the cluster waits for a node")
    case .shares: .machineRecovered(failure, resumes: "this node takes photos of the cluster")
    case .share: .machineRecovered(failure, resumes: "its photos are developed here")
    case .returns: .machineRecovered(failure, resumes: "lists of other nodes are returned")
    case .retired: .machineRecovered(failure, resumes: "old lists are removed from the ledger")
    case .removals: .machineRecovered(failure, resumes: "removals of lists continue")
    case .expiry: .machineRecovered(failure, resumes: "old prints are removed")
    case .unwanted: .machineRecovered(failure, resumes: "prints are removed from the store")
    case .hooks: .machineRecovered(failure, resumes: "hooks are run")
    case .webhooks, .webhookOrders: .machineRecovered(failure, resumes: "webhooks are sent")
    case .newWebhooks: .machineRecovered(failure, resumes: "webhooks are ordered")
    case .hookOrders: .machineRecovered(failure, resumes: "hooks are ordered")
    }
  }
}
