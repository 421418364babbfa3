// SPDX-License-Identifier: Apache-2.0
// The names of servers, as `PhotoURL.serverName` writes them and people type them. Pure.

package enum ServerName {
  private static let secure = "https://"

  static func withoutScheme(_ name: String) -> Substring {
    name.hasPrefix(secure) ? name.dropFirst(secure.utf8.count) : name[...]
  }

  /// A person who types a name without a scheme means the server of each scheme.
  package static func isMeant(_ name: String, by word: String) -> Bool {
    [name, String(withoutScheme(name)), "http://\(name)"].contains { OutsideText.isSame($0, word) }
  }
}
