// SPDX-License-Identifier: Apache-2.0
// URLs that lists may notify. A URL is allowed if it has the scheme, the host and the port of the prefix, and if its
// path equals the path of the prefix or lies below it. A value. Raises `TextProblem`, worded for the author of the
// file.

import Vocabulary

struct WebhookPrefix: Equatable, Sendable {
  private let url: PhotoURL

  init(parsing text: String) throws(TextProblem) {
    let words = "a URL of Webhooks= is written as https://hooks.example.org/darkroom/"
    do throws(Failure) { url = try PhotoURL(parsing: text) } catch {
      throw TextProblem("\(words), not '\(ShownURL.text(text))': \(error.reason)")
    }
    guard url.query == nil, !text.utf8.contains(UInt8(ascii: "#")) else {
      throw TextProblem("\(words), without a query ('?') and a fragment ('#')")
    }
    guard url.scheme.isRemote, Self.isPlain(url.path) else {
      throw TextProblem(
        "\(words), without '..' and encoded slashes, not '\(ShownURL.text(text))'")
    }
  }

  func covers(_ other: PhotoURL) -> Bool {
    guard url.origin == other.origin, Self.isPlain(other.path) else { return false }
    let path = url.path.utf8.last == UInt8(ascii: "/") ? url.path : url.path + "/"
    return other.path == url.path || other.path.hasPrefix(path)
  }

  /// No spelling by which a server may be led elsewhere.
  private static func isPlain(_ path: String) -> Bool {
    guard let bytes = HexDigits.percentDecoded(path.utf8) else { return false }
    let written = path.utf8.count { $0 == UInt8(ascii: "/") }
    guard bytes.count(where: { $0 == UInt8(ascii: "/") }) == written,
      // An overlong form is a dot or a slash to some servers.
      String(validating: bytes, as: UTF8.self) != nil,
      !bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 < 0x20 })
    else { return false }
    return !bytes.split(separator: UInt8(ascii: "/")).contains { piece in
      // `..;x` is `..` to some servers, and `%252e` is `%2e`, which a second decoder reads.
      piece.starts(with: "..".utf8) || piece == [UInt8(ascii: ".")]
        || piece.contains(UInt8(ascii: "%"))
    }
  }
}

extension Settings.Hooks {
  func allowsWebhook(_ url: PhotoURL) -> Bool { webhooks.contains { $0.covers(url) } }

  /// Raises `list.notify`.
  func checkWebhook(_ url: PhotoURL) throws(Failure) {
    if allowsWebhook(url) { return }
    throw Failure(
      .final, code: "list.notify",
      reason: "'Notify' leads to \(url.place), to a URL that Webhooks= does not allow",
      advice: "Remove 'Notify', or add the URL to Webhooks= under [Hooks] in darkroomd.conf")
  }
}

extension PhotoURL {
  /// Its server alone: the path of a webhook is often a secret.
  var place: String { "\(scheme.rawValue)://\(server)" }
}
