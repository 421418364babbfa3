// SPDX-License-Identifier: Apache-2.0
// The values of a list: URLs, addresses and filters. A value that is written again reads the same;
// a URL holds only plain ASCII; no path leads up.

import Vocabulary

enum AddressProof {
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    checkURL(text)
    if let address = NetworkAddress(text) {
      must(NetworkAddress(address.description) == address, "\(address) reads as another address")
    }
    if let range = try? NetworkRange(parsing: text) {
      must(range.contains(range.address), "\(range) does not hold its own address")
      must((try? NetworkRange(parsing: range.description)) == range, "\(range) reads as another")
    }
    if let function = try? FilterFunction(parsing: text) {
      must((0...1).contains(function.amount), "\(function) is out of bounds")
      must((try? FilterFunction(parsing: function.description)) == function, "\(function) changed")
    }
    must(FailureProof.isPlain(Printable.text(text)), "what is shown holds control characters")
  }

  private static func checkURL(_ text: String) {
    let url: PhotoURL
    do throws(Failure) { url = try PhotoURL(parsing: text) } catch {
      return FailureProof.check(error, codes: ["url."])
    }
    let shown = [url.text, url.server]
    must(shown.allSatisfy { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }, "not plain: \(shown)")
    must(!url.server.contains("@"), "a user name in \(url.server)")
    let query = url.query.map { "?" + $0 } ?? ""
    must(
      url.text == "\(url.scheme.rawValue)://\(url.server)\(url.path)\(query)",
      "the parts of \(url.text) are not the whole")
    if url.text.utf8.count <= PhotoURL.longest {
      must((try? PhotoURL(parsing: url.text)) == url, "\(url.text) reads as another URL")
    }
    guard url.scheme == .file else {
      return must(!url.host.isEmpty && url.port > 0, "nowhere to dial in \(url.text)")
    }
    guard let names = try? url.filePath() else { return }
    must(!names.isEmpty, "a path without a file")
    must(names.allSatisfy { !$0.bytes.contains(0x2F) && $0.bytes != [0x2E, 0x2E] }, "it leads up")
  }
}
