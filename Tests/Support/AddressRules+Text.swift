// SPDX-License-Identifier: Apache-2.0
// Address rules from the text of networks, as tests write them.

package import Vocabulary

extension AddressRules {
  package init(allow: [String], deny: [String]) throws(TextProblem) {
    self.init(
      allowed: try allow.map { (text) throws(TextProblem) in try NetworkRange(parsing: text) },
      denied: try deny.map { (text) throws(TextProblem) in try NetworkRange(parsing: text) })
  }

  /// On a machine without interfaces.
  package func refusal(of address: NetworkAddress) -> AddressRefusal? {
    refusal(of: address, isOwn: { _ in false })
  }
}
