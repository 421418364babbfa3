// SPDX-License-Identifier: Apache-2.0
// What one caller may see of lists and files: of a private list its owner and root alone see the photos, the title, the
// hosts and the reasons. All users see that it exists, with its name, its owner, its state and its counts. The reason of
// a file that waits or was rejected is for the owner of the file and root, since the list in it may turn out private.
// Every answer that tells more asks here. A value; raises `ControlError`.

import Accept
import Chain
import Linux
import Record
import Steer
import Vocabulary

struct ListSight: Sendable {
  let peer: ControlPeer
  private let views: Views
  /// The daemon's user has the files of all lists.
  private let daemon: UInt32

  fileprivate init(_ peer: ControlPeer, _ views: Views, daemon: UInt32) {
    (self.peer, self.views, self.daemon) = (peer, views, daemon)
  }

  /// A list without a label may be a private one.
  func mayLook(at list: ListID) -> Bool {
    let label = views.index[list]
    let owner = label?.owner ?? views.recorder.ledger { $0[list]?.acceptance.owner }
    return peer.mayChange(listOf: owner ?? 0) || label?.terms.isPrivate == false
  }

  /// Those of the lists whose photos the caller may not look at.
  func hidden(_ lists: some Sequence<ListID>) -> Set<ListID> {
    Set(lists).filter { !mayLook(at: $0) }
  }

  func title(of list: ListID) -> String {
    mayLook(at: list) ? views.index[list]?.terms.title ?? "" : ""
  }

  // MARK: files

  func words(_ reason: OwnersReason) -> String { reason.words(for: peer.user) }

  func file(
    _ name: String, _ fate: InboxFile.Fate, list: UInt64 = 0, why: OwnersReason? = nil,
    becomes: String = ""
  ) -> InboxFile {
    InboxFile(
      name: name, fate: fate, list: list, why: why, becomes: becomes, for: peer.user)
  }

  func rejection(of list: ListReference, _ reason: OwnersReason) -> ControlError {
    .listRejected(name: list.text, why: words(reason))
  }

  // MARK: hosts

  /// One of each host: the first one that the caller may name, if there is any.
  func each(_ closed: [ClosedHost]) -> [ClosedHost] {
    var found: [ClosedHost] = []
    var isNamed = false
    for host in closed {
      if found.last?.name != host.name {
        found.append(host)
        isNamed = mayName(host)
      } else if !isNamed, mayName(host) {
        found[found.count - 1] = host
        isNamed = true
      }
    }
    return found
  }

  /// A list that the caller may look at waits for the host, or failed there.
  func mayName(_ host: ClosedHost) -> Bool {
    peer.mayReload(daemonOf: daemon) || host.lists.contains { mayLook(at: $0) }
  }

  func host(_ closed: ClosedHost, now: UInt64) -> HostSummary {
    let isNamed = mayName(closed)
    return HostSummary(
      name: isNamed ? closed.name : "a host of a private list", code: closed.failure.code,
      reason: isNamed ? closed.failure.reason : OwnersReason.closed, attempts: closed.attempts,
      since: now - min(now, UInt64(max(0, closed.age / .milliseconds(1)))),
      until: now + UInt64(max(0, closed.wait / .milliseconds(1))))
  }

  // MARK: trouble

  /// The reasons of trouble may name what is in a list or a file.
  func troubles(of health: Health) -> [String] { health.lines(sees) }

  func mistakes(in health: Health) -> [String] { health.mistakes(sees) }

  /// The users who have too many files in the inbox, or too many lists, as far as the caller may know.
  func crowds(in health: Health) -> [String] { health.crowds(sees) }
  /// The users whose files are not all seen.
  func hiddenCrowds(in health: Health) -> [String] { health.crowds(hidden: true, sees) }

  func trouble(_ subject: Health.Subject, in health: Health) -> Failure? {
    health.told(subject, sees)
  }

  /// For which all work, all downloads, or those through the proxy wait.
  func hold(in health: Health) -> Failure? { health.toldHold(sees) }

  /// It may hide a file in the inbox, or keep it from becoming a list.
  func closedInbox(in health: Health) -> Failure? { health.toldInbox(sees) }

  private func sees(_ audience: Health.Audience) -> Bool {
    switch audience {
    case .everyone: true
    case .readers(let list): peer.mayReload(daemonOf: daemon) || mayLook(at: list)
    case .user(let user): peer.user == user || peer.mayReload(daemonOf: daemon)
    case .administrator: peer.mayReload(daemonOf: daemon)
    }
  }
}

extension Views {
  func sight(of peer: ControlPeer) -> ListSight {
    ListSight(peer, self, daemon: ThisProcess.user)
  }

  /// The list that is meant, if the caller may look at its photos.
  func choose(
    _ reference: ListReference, for peer: ControlPeer
  ) throws(ControlError) -> ListID {
    let list = try choose(reference, by: peer)
    guard sight(of: peer).mayLook(at: list) else {
      throw .permissionDenied(
        why: "list '\(index.name(of: list))' is private; only its owner or root can look at it")
    }
    return list
  }
}
