// SPDX-License-Identifier: Apache-2.0
// Address rules from the text of networks, as tests write them.

package import Vocabulary

extension AddressRules {
  package init(allow: [String], deny: [String]) throws(RangeSyntaxError) {
    self.init(
      allowed: try allow.map { (text) throws(RangeSyntaxError) in try NetworkRange(parsing: text) },
      denied: try deny.map { (text) throws(RangeSyntaxError) in try NetworkRange(parsing: text) })
  }
}
