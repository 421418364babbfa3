// SPDX-License-Identifier: Apache-2.0
// Judges a name that no known list has. Trouble of this machine may hide a list: the inbox is closed or has no place
// left, the label of a list cannot be read, or the ledger of a cluster is silent. Then the answer is the trouble, which
// all members may know, and nothing about a file or a list of another user. Otherwise there is no such list, and the
// answer names the node where a list of that name was dropped. Raises nothing.
// Concurrency: immutable; labels are read in `onDisk`.

import Linux
import Record
import Steer
import Vocabulary

struct NameJudge {
  let views: Views
  /// Nil for a machine that works alone.
  let cluster: ClusterNode?
  let stop: StopFlag

  /// The answer, or the error with this judgement. Asks again if a label could be read only now.
  func answer(
    _ peer: ControlPeer, _ answer: () async throws(ControlError) -> any MessageValue
  ) async -> ControlReply {
    do throws(ControlError) { return .answer(try await answer()) } catch {
      guard case .noSuchList = error, await readLabels() else {
        return .failed(await judged(error, peer))
      }
    }
    do throws(ControlError) { return .answer(try await answer()) } catch {
      return .failed(await judged(error, peer))
    }
  }

  private func judged(_ error: ControlError, _ peer: ControlPeer) async -> ControlError {
    guard case .noSuchList(let name, let known, nil) = error else { return error }
    var near = known
    if near == nil { near = await views.suggestion(for: ListReference(name)) }
    if let home = await home(of: name, peer) {
      return .noSuchList(name: name, near: near, home: home)
    }
    // The holder of a link to a page is told nothing of this machine.
    guard peer.view == nil, let doubt = doubt(about: name, peer) else {
      return .noSuchList(name: name, near: near)
    }
    let guess = near.map { " (did you mean '\($0)'?)" } ?? ""
    return .notPossible(why: "no list '\(name)' is known\(guess), but \(doubt)")
  }

  /// Why a list of the name may be there all the same.
  private func doubt(about name: String, _ peer: ControlPeer) -> String? {
    let (health, sight) = (views.health.health, views.sight(of: peer))
    let inbox = sight.closedInbox(in: health)?.words ?? sight.hiddenCrowds(in: health).first
    if let inbox { return "the inbox, where it may wait, is in trouble: \(inbox)" }
    if let list = unlabelled().min() {
      return "the name of list \(list) cannot be read, and only its number can be used"
    }
    // Numbers belong to lists of this node.
    if let cluster, ListReference(name).number == nil, let silence = cluster.shares.silence {
      return "the ledger, which has the lists of other nodes, is in trouble: "
        + silence.failure.words
    }
    return nil
  }

  /// The node where the caller's list of that name was dropped. A ledger that is known to be silent is not waited for.
  private func home(of name: String, _ peer: ControlPeer) async -> String? {
    guard let cluster, ListReference(name).number == nil, !Task.isCancelled, !stop.isOn,
      cluster.shares.silence == nil
    else { return nil }
    let home = await ForeignLists(office: cluster.office).home(of: name, peer)
    return home == cluster.name ? nil : home
  }

  // MARK: labels

  /// A list that is being removed has none any more.
  private func unlabelled() -> [ListID] {
    let lists = views.index.unlabelled
    return views.recorder.ledger { ledger in lists.filter { ledger[$0] != nil } }
  }

  /// The labels that one call reads at most.
  private static let most = 64

  /// Reads labels that are missing; true if one was read. The list may have been repaired, or accepted just now.
  private func readLabels() async -> Bool {
    // In any order: lists that stay damaged do not keep the others from it.
    let missing = unlabelled().shuffled()
    if missing.isEmpty { return false }
    return await onDisk {
      let read = missing.prefix(Self.most).filter {
        views.index.read($0, from: views.lists.folders.lists) != nil
      }
      return !read.isEmpty
    }
  }
}
