// SPDX-License-Identifier: Apache-2.0
// A method of the control interface is its message: a type that names its reply and its traits. `ControlInterface` has
// the table of all methods; requests are read with it, and the description of the interface is made from it. darkroomd
// has a handler for each.

package protocol ControlMethod<Answer>: MessageValue {
  associatedtype Answer: MessageValue
  /// The description of the method, in lines; the interface shows it above the method.
  static var about: String { get }
  /// It changes more than what its caller sees, and is carried out even if its caller has left. Every other call ends
  /// with its caller.
  static var isChange: Bool { get }
  /// With `more`, replies follow each other.
  static var isStream: Bool { get }
  /// The bytes that are kept free for the reply before it is built; 0 for a reply that is never long.
  func room(_ limits: ControlLimits) -> Int
  /// The list that a caller with a view asks about; nil if such a caller may not call the method.
  var viewed: ListReference? { get }
}

extension ControlMethod {
  /// The message of `Pause` is a `PauseOrder`. A type with a new name is a method with a new name, which the tests show
  /// (`Screens/interface.txt`).
  package static var name: String { String("\(Self.self)".dropLast("Order".count)) }
  package static var isChange: Bool { false }
  package static var isStream: Bool { false }
  package func room(_ limits: ControlLimits) -> Int { 0 }
  package var viewed: ListReference? { nil }

  /// In varlink's language. A method with many parameters has a line for each.
  static var description: String {
    let method = "method \(name)\(line) -> \(Answer.line)"
    let words = about.split(separator: "\n").map { "# \($0)\n" }.joined()
    return words + (method.count <= 90 ? method : "method \(name)\(lines) -> \(Answer.line)")
  }
}

/// A method whose only parameter is a list.
package protocol ListMethod: ControlMethod {
  var list: ListReference { get set }
}

extension ListMethod {
  package init(list: ListReference) { self.init { $0.list = list } }

  package static var fields: [Field] { [Field("list", \.list)] }
}
