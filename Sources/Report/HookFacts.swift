// SPDX-License-Identifier: Apache-2.0
// The facts of a hook that failed, or of a webhook that was sent. `Notice+Machine` escapes them.

package import Vocabulary

package struct HookFacts: Equatable, Sendable {
  /// The path of the program, or the URL as it may be shown.
  package let place: String
  /// `finished`, `failed`, `rejected` or `cancelled`.
  package let event: String
  package let list: ListID
  /// Of a rejected file, its name.
  package let listName: String
  /// The end of its output.
  package let output: [UInt8]

  package init(
    _ place: String, event: String, list: ListID, listName: String,
    output: [UInt8] = []
  ) {
    self.place = place
    self.event = event
    self.list = list
    self.listName = listName
    self.output = output
  }

  /// The last line of the output that is not blank.
  var lastLine: ArraySlice<UInt8> {
    output.split { $0 == 0x0A || $0 == 0x0D }
      .last { line in !line.allSatisfy { $0 == 0x20 || $0 == 0x09 } } ?? []
  }
}
