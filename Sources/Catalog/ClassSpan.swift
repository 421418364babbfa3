// SPDX-License-Identifier: Apache-2.0
// The range of photos in a list that set one class. A catalog without such photos has no spans,
// so its reader need not search for them.

package import Vocabulary

package struct ClassSpan: Equatable, Sendable {
  package let serviceClass: ServiceClass
  /// The first and the last photo of the class.
  package let first: UInt32
  package fileprivate(set) var last: UInt32

  func moved(to first: UInt32, _ last: UInt32) -> ClassSpan {
    ClassSpan(serviceClass: serviceClass, first: first, last: last)
  }
}

extension [ClassSpan] {
  mutating func note(_ serviceClass: ServiceClass, at number: UInt32) {
    if let place = firstIndex(where: { $0.serviceClass == serviceClass }) {
      self[place].last = number
    } else {
      append(ClassSpan(serviceClass: serviceClass, first: number, last: number))
    }
  }

  var fields: [UInt8] {
    var out: [UInt8] = []
    for span in self {
      var bytes = [span.serviceClass.rawValue]
      bytes.append(varint: UInt64(span.first))
      bytes.append(varint: UInt64(span.last))
      out.append(field: CatalogFormat.OptionTag.classSpan, bytes)
    }
    return out
  }

  /// Decodes the spans among the option fields, which `ListOptions` has read; nil if one is damaged.
  init?(fields: ArraySlice<UInt8>, count: UInt32) {
    self = []
    var cursor = CatalogCursor(fields)
    while let (tag, bytes) = cursor.field() {
      guard tag == CatalogFormat.OptionTag.classSpan else { continue }
      var inner = CatalogCursor(bytes)
      guard let serviceClass = inner.byte().flatMap({ ServiceClass(rawValue: $0) }),
        let first = inner.varint(), let last = inner.varint(), inner.isAtEnd, first >= 1,
        first <= last, last <= count, !contains(where: { $0.serviceClass == serviceClass })
      else { return nil }
      append(ClassSpan(serviceClass: serviceClass, first: UInt32(first), last: UInt32(last)))
    }
  }
}
