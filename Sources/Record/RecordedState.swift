// SPDX-License-Identifier: Apache-2.0
// The ledger's answer about a photo. It keeps the states of a list only until the list is over, so an answer without
// a state has a separate case: a default would be taken for the state.

package import Vocabulary

package enum RecordedState: Hashable, Sendable {
  case known(PhotoState)
  /// Its list is over, and its row has the state: in a finished list every photo has a row, in a cancelled one those
  /// that had ended.
  case finished, cancelled
  /// There is no such list, or no such photo in it.
  case unknown

  package var isUnfinished: Bool {
    if case .known(let state) = self { !state.isFinal } else { false }
  }

  /// The state as people see it, with the photo's row, or the failure to read it.
  package func state(with row: Result<ResultRow?, Failure>) -> SeenState {
    if case .known(let state) = self { return SeenState(state) }
    return switch row {
    case .success(let row?): SeenState(row.state)
    case .success(nil): self == .cancelled ? .new : .unknown
    case .failure: .unknown
    }
  }

  /// Why the row of a photo that has ended tells nothing; nil if it does, or if the photo needs none.
  package func loss(
    _ row: Result<ResultRow?, Failure>, of photo: PhotoID
  ) -> Failure? {
    switch row {
    case .failure(let failure): failure
    case .success(.some): nil
    case .success(nil):
      isUnfinished || self == .cancelled || self == .unknown ? nil : ResultRows.missing(photo)
    }
  }
}
