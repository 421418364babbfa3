// SPDX-License-Identifier: Apache-2.0
// `failed/NAME.reason.txt`: why a file was rejected. The first line is for people, the others are for
// programs.

package import Vocabulary

package struct ReasonNote: Equatable, Sendable {
  package let list: ListID
  package let name: FileName
  package let owner: UInt32
  package let failure: Failure
  /// Milliseconds since 1970.
  package let time: UInt64

  package var text: String {
    let advice = failure.advice.isEmpty ? "Correct the file" : failure.advice
    return """
      The list '\(name)' was not accepted: \(Printable.text(failure.reason, limit: 2000)).
      code=\(failure.code)
      time=\(DateText.utc(milliseconds: time))
      list=\(list)
      retry=\(Printable.text(advice, limit: 2000)). Then drop it into the inbox again.

      """
  }

  package static func name(beside name: FileName) -> FileName? {
    FileName(bytes: name.bytes + ".reason.txt".utf8)
  }
}
