// SPDX-License-Identifier: Apache-2.0
// Who may read the reason of a trouble, and what all others read instead. Every user of the machine can ask the service
// manager for the status line, and a reason may name a list, a photo or a file that is not for every user. A reason is
// open only if all that it can name is the daemon's own. Values; raises nothing.

import Accept
import Cluster
import Record
import Vocabulary

extension Health {
  enum Audience: Equatable, Sendable {
    /// The reason can name nothing of a list, of a photo or of a user.
    case everyone
    /// Those who may look at the list.
    case readers(of: ListID)
    case user(UInt32)
    case administrator
  }
}

extension Health.Subject {
  func audience(_ failure: Failure) -> Health.Audience {
    switch self {
    case .downloads, .ledger, .nodes, .openFiles, .newWebhooks, .unsynced: .everyone
    // Of a call that failed, the reason names the print.
    case .blobs: Self.ownOfBlobs.contains(failure.code) ? .everyone : .administrator
    case .work: Self.starts.contains(failure.code) ? .everyone : .administrator
    case .proxy: Self.ownOfProxy.contains(failure.code) ? .everyone : .administrator
    case .inbox: failure.code.hasPrefix("inbox.") ? .everyone : .administrator
    case .list(let list), .copy(let list): .readers(of: list)
    case .crowd(.everyone): .everyone
    case .crowd(.user(let user)), .crowd(.lists(let user)): .user(user)
    case .shares, .share, .returns, .retired, .removals, .expiry, .unwanted: .administrator
    case .file, .hooks, .hookOrders, .webhooks, .webhookOrders, .settings: .administrator
    }
  }

  /// Of workers that cannot begin, with whatever picture.
  private static let starts: Set = ["worker.start", "worker.sandbox"]
  /// Of the shared folder or the store as a whole.
  private static let ownOfBlobs: Set = [
    "blobs.other", "blobs.ledger", "folder.lost", "store.unreachable", "store.busy",
    "store.certificate",
  ]
  /// Of a proxy that was not asked for a host yet.
  private static let ownOfProxy: Set = [
    "proxy.name", "proxy.timeout", "proxy.tls", "proxy.unreachable", "proxy.socks",
  ]

  /// The failure with the reason that the caller may read.
  func told(_ failure: Failure, _ sees: (Health.Audience) -> Bool) -> Failure {
    if sees(audience(failure)) { return failure }
    return Failure(
      failure.kind, scope: failure.scope, code: failure.code, reason: closedReason(failure))
  }

  private func closedReason(_ failure: Failure) -> String {
    if let words = failure.callWords { return words }
    if case .proxy = self { return "the proxy is in trouble" }
    if case .blobs = self { return "photos of the cluster wait at this node" }
    return "this machine is in trouble"
  }

  /// Of a file in the inbox.
  func wait(_ failure: Failure) -> String {
    "waits for \(failure.kind == .final ? "its owner" : "this machine")"
  }

  /// Tells what the trouble affects, and what kind of trouble of a call it is.
  func closedLine(_ failure: Failure) -> String {
    func kind(_ affected: String) -> String {
      failure.callWords.map { "\(affected): \($0)" } ?? affected
    }
    return switch self {
    case .work: closedReason(failure)
    case .downloads: kind("downloads wait")
    case .proxy: kind("downloads through the proxy wait")
    case .ledger: kind("the ledger is in trouble")
    case .blobs: kind("photos of the cluster wait at this node")
    case .nodes: "photos of the cluster wait"
    case .inbox: kind("the inbox is in trouble")
    case .openFiles: kind("fewer photos than set are worked on at once")
    case .list(let list):
      failure.kind == .final ? "list \(list) cannot be opened" : "list \(list) waits"
    case .copy(let list):
      ListLoss(failure) == .nameless
        ? "list \(list) has no name" : "the copy of list \(list) in done waits"
    case .shares: kind("this node takes no photos of the cluster")
    case .share: "photos of a list of the cluster wait for its files"
    case .returns: kind("lists of other nodes are not returned")
    case .retired: kind("old lists stay in the ledger")
    case .removals: kind("removals of lists wait")
    case .expiry: kind("old prints are not removed")
    case .unwanted: kind("prints are not removed from the store")
    case .file(let name): "\(name) \(wait(failure))"
    case .crowd(.everyone): "further files in the inbox wait"
    case .crowd(.user):
      "some files of one user wait, because the user has reached the limit on waiting files"
    case .crowd(.lists):
      "some files of one user wait, because the user has reached the limit on lists"
    case .hooks: kind("hooks wait")
    case .hookOrders: kind("no more hooks are ordered")
    case .webhooks, .webhookOrders: kind("webhooks wait")
    case .newWebhooks: kind("no more webhooks are ordered")
    case .settings: "the last reload was refused, and the settings from before it are in force"
    case .unsynced: "a power cut may lose what was recorded"
    }
  }
}
