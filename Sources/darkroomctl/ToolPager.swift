// SPDX-License-Identifier: Apache-2.0
// The pager of long results: $DARKROOM_PAGER, else $PAGER, else less(1). None for a value that is empty or `cat`,
// for a pipe, and for commands that do more than show something.

internal import Linux

package enum ToolPager {
  /// The pager's command; nil for none.
  package static func command(
    _ order: ToolOrder, _ screen: ToolScreen, _ variable: (String) -> String?
  ) -> String? {
    guard order.usesPager, screen.isTerminal, !order.isJSON, order.task.command.kind == .page else {
      return nil
    }
    let named = variable("DARKROOM_PAGER") ?? variable("PAGER") ?? "less"
    let words = named.split(separator: " ")
    return words.isEmpty || words == ["cat"] ? nil : named
  }

  /// Nil without a pager; one that cannot be started is the same.
  static func start(_ order: ToolOrder, _ screen: ToolScreen) -> PagerProcess? {
    command(order, screen, { Surroundings.variable($0) }).flatMap { try? PagerProcess.start($0) }
  }
}
