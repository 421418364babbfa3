// SPDX-License-Identifier: Apache-2.0
// The word for a list in a hint. Raises nothing.

internal import Steer
internal import Vocabulary

extension DaemonPlace {
  /// The list's name, or its number if a shell or the daemon would take the name for something else.
  func word(for list: ListSummary) -> String {
    let isName = ListReference(list.name).number == nil && !ListName(list.name).isList
    return isName && Self.isPlain(list.name) ? list.name : "\(list.id)"
  }
}
