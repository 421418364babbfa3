// SPDX-License-Identifier: Apache-2.0
// The gate for system calls: it turns the error number into a `SystemError`, and tests inject faults here
// (debug builds). Each call states whether it is repeated after EINTR. Calls that bypass the gate: the calls of
// libcurl and of the codecs in C, and calls whose failure does not matter.

internal import CLinux
package import Vocabulary

package enum Calls {
  package enum Interrupted { case repeats, returns }

  /// Runs one call that returns a value or a negated error number.
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
      let error = SystemError(code: Int32(-result), call: "\(call)", thing: thing())
      if error.name == .interrupted, interrupted == .repeats { continue }
      throw error
    }
  }
}
