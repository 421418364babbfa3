// SPDX-License-Identifier: Apache-2.0
// Numbers as ASCII digits, written without a String: every record and every original's name has some.

extension [UInt8] {
  /// Pads with leading zeros to `least` digits.
  package mutating func append(decimal number: UInt64, digits least: Int = 1) {
    // The division yields the last digit first.
    var digits = [20 of UInt8](repeating: 0)
    var first = digits.count
    var rest = number
    repeat {
      first -= 1
      digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    let zeros = Swift.max(0, least - (digits.count - first))
    append(addingCapacity: zeros + digits.count - first) { span in
      for _ in 0..<zeros { span.append(0x30) }
      for place in first..<digits.count { span.append(digits[place]) }
    }
  }
}
