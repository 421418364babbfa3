// SPDX-License-Identifier: Apache-2.0
// The pages of one list that the tool asks for, in the order of the answers. Two are asked for ahead, since the place of
// the next page is known from the last one; but with a state, and after a page of long texts that ended early, only the
// answer tells where the next page begins. A value; the caller sends the orders and reads the answers.

package import Steer

package struct ShowPages {
  /// Not yet answered, the oldest first.
  package private(set) var asked: [ShowOrder]
  /// As many answers come first that are not needed, because their pages begin too late.
  private var vain = 0

  package init(_ first: ShowOrder) { asked = [first] }

  package var isOver: Bool { asked.count == vain }

  /// Takes the next answer. Returns its report if it is needed, and further orders to send.
  package mutating func take(_ report: ShowReport) -> (page: ShowReport?, next: [ShowOrder]) {
    let order = asked.removeFirst()
    if vain > 0 {
      vain -= 1
      return (nil, [])
    }
    let isWhole = order.state == nil && report.rest(of: order) == nil
    if !isWhole { vain = asked.count }
    var next: [ShowOrder] = []
    var last = isWhole ? asked.last : nil
    while asked.count - vain < (isWhole ? 2 : 1),
      let page = last.map(report.page(behind:)) ?? report.page(after: order)
    {
      next.append(page)
      asked.append(page)
      last = page
    }
    return (report, next)
  }
}
