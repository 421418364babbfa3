// SPDX-License-Identifier: Apache-2.0
// Which list of another node a user means, and what the user learns of the lists of others.

import Cluster
import Steer
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ForeignListsTests {
  private static let open = [
    list(71, "secret-name", "1000"), list(72, "secret-two", "1000"), list(73, "twin", "1000"),
    list(74, "twin", "2000"), list(75, "summer", "4000001"), list(76, "odd", "nobody"),
  ]

  private static func list(_ number: UInt64, _ name: String, _ owner: String) -> ListProgress {
    ListProgress(
      LedgerList(number), owner: owner, name: Array(name.utf8), folder: [], serviceClass: .default,
      state: .running, photos: 1, filtered: 0, failed: 0, leased: 0, nodes: 0)
  }

  /// The number of the list that is meant, or the words of the refusal.
  private func choose(_ text: String, _ peer: ControlPeer) -> String {
    let missing = ControlError.noSuchList(name: text)
    do throws(ControlError) {
      let list = try ForeignLists.choose(ListReference(text), peer, Self.open, or: missing)
      return "\(list.list)"
    } catch {
      switch error {
      case missing: return "missing"
      case .permissionDenied(let why): return "denied: \(why)"
      case .notPossible(let why): return "not possible: \(why)"
      default: return "\(error)"
      }
    }
  }

  private static func denied(_ name: String) -> String {
    "denied: list '\(name)' belongs to another user; only its owner or root can change it"
  }

  private static func several(_ text: String) -> String {
    "not possible: '\(text)' means several lists that were dropped at other nodes; "
      + "name one of them at the node where it was dropped"
  }

  @Test(
    arguments: [
      ("s*", "75"), ("summer", "75"), ("se*", "missing"), ("secret-*", "missing"),
      ("secret-nam?", "missing"), ("*", "75"), ("t*", "missing"), ("secret", "missing"),
      ("secret-name", denied("secret-name")), ("twin", denied("twin")), ("odd", denied("odd")),
      ("winter", "missing"),
    ])
  func `a pattern means only lists that the user may change`(text: String, answer: String) {
    #expect(choose(text, .stranger) == answer)
  }

  @Test(
    arguments: [
      (ControlPeer.owner, "secret-name", "71"), (.owner, "secret-n*", "71"), (.owner, "twin", "73"),
      (.owner, "secret*", several("secret*")), (.root, "summer", "75"),
      (.root, "t*", several("t*")),
      (.root, "winter", "missing"), (.root, "o*", "missing"), (.root, "odd", denied("odd")),
    ] as [(ControlPeer, String, String)])
  func `no number of the ledger is told, which means nothing at a node`(
    peer: ControlPeer, text: String, answer: String
  ) {
    #expect(choose(text, peer) == answer)
  }
}
