// SPDX-License-Identifier: Apache-2.0
// Why a picture could not be read or written: the kind of trouble, and words for it.

internal import CCodecs
package import Vocabulary

package struct CodecError: Error, Equatable, Sendable {
  package enum Code: Equatable, Sendable {
    /// The bytes contradict themselves.
    case damaged
    /// The file ends before the picture does.
    case truncated
    /// A form of the format that is not developed.
    case unsupported
    /// More pixels than the limit.
    case pixels
    /// More memory than the limit, or no memory left.
    case memory
    /// More scans than the limit.
    case scans
    /// More metadata than the limit.
    case metadata
    /// A colour profile larger than the limit.
    case profile
    /// The kernel refused to read or write.
    case system(SystemError)
  }

  package let code: Code
  /// Lower case, no full stop, safe to show; empty for `system`.
  package let words: String

  package init(_ code: Code, _ words: String) {
    self.code = code
    self.words = words
  }

  /// The same for a call of the kernel.
  package static func system<Value>(
    _ call: () throws(SystemError) -> Value
  ) throws(CodecError) -> Value {
    do throws(SystemError) { return try call() } catch { throw CodecError(.system(error), "") }
  }

  /// The result of a call that is negative on trouble.
  @discardableResult
  static func check<Value: SignedInteger>(
    _ call: (inout dr_trouble) -> Value
  ) throws(CodecError) -> Value {
    var trouble = dr_trouble()
    let result = call(&trouble)
    guard result >= 0 else { throw CodecError(trouble) }
    return result
  }

  init(_ trouble: dr_trouble) {
    switch trouble.code {
    case Int32(DR_CODEC_TRUNCATED): code = .truncated
    case Int32(DR_CODEC_UNSUPPORTED): code = .unsupported
    case Int32(DR_CODEC_PIXELS): code = .pixels
    case Int32(DR_CODEC_MEMORY): code = .memory
    case Int32(DR_CODEC_SCANS): code = .scans
    case Int32(DR_CODEC_READ):
      code = .system(SystemError(code: trouble.system, call: "pread", thing: "the original"))
    case Int32(DR_CODEC_WRITE):
      code = .system(SystemError(code: trouble.system, call: "pwrite", thing: "the print"))
    default: code = .damaged
    }
    var words = trouble.words
    let text = unsafe withUnsafeBytes(of: &words) { raw in
      unsafe Printable.text(raw.prefix { $0 != 0 })
    }
    self.words = text
  }
}
