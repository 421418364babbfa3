// SPDX-License-Identifier: Apache-2.0
// The ledger's answer about a photo. It keeps the states of a list only until the list is over, so an answer without
// a state has a separate case: a default would be taken for the state.

package import Vocabulary

package enum RecordedState: Hashable, Sendable {
  case known(PhotoState)
  /// Nothing of the list is left to do. Its rows have the states.
  case over
  /// There is no such list, or no such photo in it.
  case unknown

  package var isUnfinished: Bool {
    if case .known(let state) = self { !state.isFinal } else { false }
  }

  /// The state as people see it. Without a row the photo has no end: its list was cancelled before.
  package func state(with row: ResultRow?) -> PhotoState {
    if case .known(let state) = self { return state }
    guard let row else { return .new }
    return row.state
  }
}
