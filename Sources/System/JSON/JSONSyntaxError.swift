// SPDX-License-Identifier: Apache-2.0
// Why bytes are not a JSON value, and where.

package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// In words, for people.
  package enum Problem: String, Sendable {
    case tooLong = "it is too long"
    case tooDeep = "its values are nested too deeply"
    case tooManyValues = "it holds too many values"
    case unexpectedEnd = "it ends too early"
    case unexpectedByte = "unexpected character"
    case badString = "the string is not valid"
    case badNumber = "the number is not valid"
    case repeatedName = "the name appears twice"
    case longName = "the name is too long"
  }

  package let problem: Problem
  /// Counted from 0.
  package let offset: Int

  package init(problem: Problem, offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  package var description: String { "\(problem.rawValue) (byte \(offset))" }
}
