// SPDX-License-Identifier: Apache-2.0
// The gate that every system call passes: the error number becomes a `SystemError` here and nowhere
// else, and here tests make calls fail. Whether an interrupted call is repeated is said at the call.

internal import CLinux
package import Vocabulary

package enum Calls {
  package enum Interrupted { case repeats, returns }

  /// Runs one call that answers a value or a negative error number.
  @discardableResult
  package static func run<Value: FixedWidthInteger & SignedInteger>(
    _ call: StaticString, _ thing: @autoclosure () -> String, interrupted: Interrupted = .repeats,
    _ body: () -> Value
  ) throws(SystemError) -> Value {
    #if DEBUG
      if let code = FaultPlan.fault(in: "\(call)", on: thing()) {
        throw SystemError(code: code, call: "\(call)", thing: thing())
      }
    #endif
    while true {
      let result = body()
      if result >= 0 { return result }
      if result == -4, interrupted == .repeats { continue }
      throw SystemError(code: Int32(-result), call: "\(call)", thing: thing())
    }
  }
}
