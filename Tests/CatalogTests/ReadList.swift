// SPDX-License-Identifier: Apache-2.0
// Reads a list in memory, and gives its outcome to the test.

import Catalog
import Support
import Vocabulary

/// The outcome of a list: its photos, as `name = url` or `name ! problem`, or the refusal.
enum ListOutcome: Equatable, CustomStringConvertible {
  case photos([String], ListOptions)
  /// Code, reason, advice.
  case refused(String, String, String)

  var description: String {
    switch self {
    case .photos(let photos, let options): "\(photos) \(options)"
    case .refused(let code, let reason, let advice): "\(code): \(reason) [\(advice)]"
    }
  }

  var isRefused: Bool { if case .refused = self { true } else { false } }
  var code: String? { if case .refused(let code, _, _) = self { code } else { nil } }
  var reason: String? { if case .refused(_, let reason, _) = self { reason } else { nil } }
  var advice: String? { if case .refused(_, _, let advice) = self { advice } else { nil } }
  var photos: [String]? { if case .photos(let photos, _) = self { photos } else { nil } }
}

enum ReadList {
  static func bytes(_ bytes: [UInt8], limits: ListLimits = ListLimits()) -> ListOutcome {
    let catalog = MemoryFile()
    do throws(Failure) {
      try ListReader.read(
        list: MemoryFile(bytes), catalog: catalog, limits: limits)
      let file = try CatalogFile(catalog, limits: limits)
      var photos: [String] = []
      for number in 1...file.count {
        let entry = try file.entry(number)
        photos.append(
          entry.problem.map { "\(entry.name) ! \($0)" } ?? "\(entry.name) = \(entry.url)")
      }
      return .photos(photos, file.options)
    } catch { return .refused(error.code, error.reason, error.advice) }
  }

  /// Every photo, with everything that the catalog holds about it.
  static func entries(
    _ bytes: [UInt8], limits: ListLimits = ListLimits()
  ) throws -> [CatalogEntry] {
    let catalog = MemoryFile()
    try ListReader.read(
      list: MemoryFile(bytes), catalog: catalog, limits: limits)
    let file = try CatalogFile(catalog, limits: limits)
    return try (1...file.count).map { try file.entry($0) }
  }

  static func text(_ text: String, limits: ListLimits = ListLimits()) -> ListOutcome {
    bytes(Array(text.utf8), limits: limits)
  }

  /// A list with this body inside <plist>; the body begins on line 4.
  static func inside(_ body: String, limits: ListLimits = ListLimits()) -> ListOutcome {
    text(document(body), limits: limits)
  }

  static func document(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(body)
    </plist>

    """
  }

  /// A binary list with this value.
  static func binary(_ value: PropertyValue, limits: ListLimits = ListLimits()) -> ListOutcome {
    bytes(BinaryList.bytes(value), limits: limits)
  }
}
