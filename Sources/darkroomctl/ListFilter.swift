// SPDX-License-Identifier: Apache-2.0
// Which lists `list` shows. A value.

package import Steer
package import Vocabulary

package struct ListFilter: Equatable, Sendable {
  /// In any of these states; empty for all.
  package var states: Set<ListState>
  /// Of the user with this name or number.
  package var user: String?

  package init(states: Set<ListState> = [], user: String? = nil) {
    (self.states, self.user) = (states, user)
  }

  /// The lists that fit, in their order.
  package func pick(_ lists: [ListSummary], users: (UInt32) -> String?) -> [ListSummary] {
    lists.filter { list in
      (states.isEmpty || states.contains { $0.name == list.state })
        && (user == nil || user == "\(list.owner)" || user == users(list.owner))
    }
  }

  /// The sentence in the place of a table without lists.
  var emptiness: String {
    let owner = user.map { " of \(Printable.text($0))" } ?? ""
    return "There are no lists\(owner)\(states.isEmpty ? "" : " in such a state").\n"
  }
}
