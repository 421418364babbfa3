// SPDX-License-Identifier: Apache-2.0
// The files of a returned list and their names: the list's own, `NAME.result.plist` and `NAME.retry.plist`.

internal import Files
package import Vocabulary

enum ReturnPart: String {
  case copy, result, retry

  func name(beside copy: FileName) -> FileName? {
    if self == .copy { return copy }
    return FileName(bytes: Array(ListName(copy).stem) + Array("\(ending).plist".utf8))
  }

  func temporary(_ list: ListID) -> FileName { FreshName.temporary(list, ending) }

  private var ending: String {
    switch self {
    case .copy: ""
    case .result: ".result"
    case .retry: ListName.retryMark
    }
  }
}

/// The names under which the files of a list appeared.
package struct ReturnedNames: Equatable, Sendable {
  /// In `done`.
  package let results: FileName?
  /// In `failed`.
  package let retry: FileName?

  init(_ receipt: ReturnReceipt) {
    (results, retry) = (receipt.name(of: .result), receipt.name(of: .retry))
  }
}
