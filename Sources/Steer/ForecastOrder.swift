// SPDX-License-Identifier: Apache-2.0
// How long lists and prints would be kept, in a question about the prints and lists that such settings remove.

internal import Vocabulary

package struct ForecastOrder: Equatable, Sendable {
  package var keepLists: Duration
  /// Nil if no prints are removed.
  package var keepPrints: Duration?

  package init(keepLists: Duration, keepPrints: Duration?) {
    (self.keepLists, self.keepPrints) = (keepLists, keepPrints)
  }

  /// The longest time that a setting allows fits into this.
  private static let most: Int64 = 1 << 40

  package init(_ fields: MessageFields) throws(FieldError) {
    keepLists = try Self.time("keepLists", fields)
    keepPrints = fields.isMissing("keepPrints") ? nil : try Self.time("keepPrints", fields)
  }

  private static func time(_ name: String, _ fields: MessageFields) throws(FieldError) -> Duration {
    let value: Int64 = try fields.count(name)
    guard value <= most else { throw FieldError(name: name) }
    return .milliseconds(value)
  }

  package var object: JSONObject {
    var object = JSONObject(["keepLists": .int(keepLists.milliseconds)])
    if let keepPrints { object["keepPrints"] = .int(keepPrints.milliseconds) }
    return object
  }
}
