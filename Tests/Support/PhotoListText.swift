// SPDX-License-Identifier: Apache-2.0
// Photo lists as people and programs write them.

import Foundation

package enum PhotoListText {
  /// The form of the tutorial: a name and a URL for each photo, in this order.
  package static func dictionary(_ photos: [(String, String)]) -> [UInt8] {
    let rows = photos.map { "  <key>\(escaped($0))</key>\n  <string>\(escaped($1))</string>\n" }
    return plist("<dict>\n\(rows.joined())</dict>")
  }

  /// The form with a `Photos` array and options at the top.
  package static func array(
    _ photos: [(String, String)], options: [(String, String)] = []
  ) -> [UInt8] {
    let head = options.map { "<key>\($0)</key><string>\(escaped($1))</string>\n" }.joined()
    let rows = photos.map {
      "<dict><key>Name</key><string>\(escaped($0))</string>"
        + "<key>URL</key><string>\(escaped($1))</string></dict>\n"
    }
    return plist("<dict>\(head)<key>Photos</key><array>\n\(rows.joined())</array></dict>")
  }

  /// The array form, in binary.
  package static func binary(
    _ photos: [(String, String)], options: [(String, String)] = []
  ) throws -> [UInt8] {
    var list: [String: Any] = ["Photos": photos.map { ["Name": $0, "URL": $1] }]
    for (key, value) in options { list[key] = value }
    return Array(
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
  }

  private static func plist(_ body: String) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(body)
      </plist>

      """.utf8)
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
