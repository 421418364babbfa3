// SPDX-License-Identifier: Apache-2.0
// The names of servers, as `PhotoURL.serverName` writes them and people type them. Pure.

package enum ServerName {
  private static let secure = "https://"

  static func withoutScheme(_ name: String) -> Substring {
    name.hasPrefix(secure) ? name.dropFirst(secure.utf8.count) : name[...]
  }

  /// A person may type the scheme or leave it out; a port without a scheme means the server of each scheme.
  package static func isMeant(_ name: String, by word: String) -> Bool {
    if OutsideText.isSame(String(withoutScheme(name)), word) { return true }
    guard word.contains("://") else { return false }
    do throws(Failure) {
      return OutsideText.isSame(try PhotoURL(parsing: word).serverName, name)
    } catch { return false }
  }
}
