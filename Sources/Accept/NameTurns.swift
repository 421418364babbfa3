// SPDX-License-Identifier: Apache-2.0
// Lists that would print into one folder choose their folders one after another, of whatever users they are. The queue of claims
// keeps them apart from the start where it can; the lists of dropped pictures meet here, where none waits for the
// pictures of another. Confined to the inbox's thread. Raises what the act raises.

internal import Linux
internal import Vocabulary

final class NameTurns {
  /// The replies that are due, by the name that is in use.
  private var waiting: [OutsideText: [Reply<Void>]] = [:]

  func turn<Value, Problem: Error>(
    at text: String, _ act: () async throws(Problem) -> Value
  ) async throws(Problem) -> Value {
    let name = OutsideText(checked: text)
    if waiting[name] == nil {
      waiting[name] = []
    } else {
      await Reply<Void>.wait { waiting[name]?.append($0) }
    }
    defer { pass(name) }
    return try await act()
  }

  /// Gives the name to the first list that waits for it.
  private func pass(_ name: OutsideText) {
    if waiting[name]?.isEmpty ?? true {
      waiting[name] = nil
    } else {
      waiting[name]?.removeFirst().give()
    }
  }
}
