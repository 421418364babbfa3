// SPDX-License-Identifier: Apache-2.0
// A request for a page: a method, a target, headers and a body. A request that is served is for this machine, has the
// one form of its page, and names no file; a wish for photos reads the same when it is written again; no text but the
// daemon's own is a view.

import HTTP
import Show
import Steer

enum WebProof {
  private static let judge = RequestJudge(port: 80, names: ["a"])
  private static let hosts: Set = ["127.0.0.1:80", "localhost:80", "[::1]:80", "a"]
  private static let key = ViewKey([UInt8](repeating: 7, count: ViewKey.size))
  private static let right = ViewRight(list: 17, user: 1000, until: 5000)

  static func run(_ bytes: [UInt8]) {
    checkWish(bytes)
    checkView(String(decoding: bytes, as: UTF8.self))
    let request = request(in: bytes)
    let verdict = judge.judge(request)
    if let refusal = judge.refusal(ofHead: request) {
      must(verdict == .refuse(refusal), "a refused head was served")
    }
    guard case .serve(let page, let view) = verdict else { return }
    let hosts = request.values("host").map { $0.lowercased() }
    must(hosts.count == 1 && Self.hosts.contains(hosts[0]), "served for \(hosts)")
    must(["GET", "HEAD", "POST"].contains(request.method), "served by \(request.method)")
    if case .focus = page {
      must(request.method == "POST", "a focus without POST")
      must(request.values("origin").count == 1, "a focus from nowhere")
    } else {
      must(request.method != "POST", "a POST for \(page)")
    }
    must(page.list == nil || !view.isEmpty, "a list without a view")
    let path = request.target.prefix { $0 != "?" }
    must(!path.contains("..") && !path.contains("%"), "it leads up: \(request.target)")
    must(page == PageRequest(target: request.target), "another page")
  }

  /// Lines of a head, an empty line, and the body.
  private static func request(in bytes: [UInt8]) -> WebRequest {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let first = lines.first?.split(separator: 0x20, maxSplits: 1) ?? []
    let head = lines.dropFirst().prefix { !$0.isEmpty }
    var request = WebRequest(
      first.first.flatMap { WebRequest.plain(String(decoding: $0, as: UTF8.self)) } ?? "",
      first.count > 1 ? String(decoding: first[1], as: UTF8.self) : "", headers: [],
      body: Array(lines.dropFirst(head.count + 2).joined(separator: [0x0A])))
    for line in head {
      let parts = line.split(separator: 0x3A, maxSplits: 1).map {
        String(decoding: $0, as: UTF8.self)
      }
      request.add(parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }
    return request
  }

  private static func checkWish(_ bytes: [UInt8]) {
    guard let wish = FocusWish(bytes) else { return }
    must(wish.photos.count <= FocusWish.mostRanges, "too many ranges")
    must(wish.photos.allSatisfy { $0.lowerBound > 0 }, "a photo 0")
    must(FocusWish(wish.body) == wish, "a wish changed on its way")
  }

  private static func checkView(_ text: String) {
    guard let key, let right = key.right(in: text, now: 0) else { return }
    must(
      right == Self.right && text.lowercased() == key.text(of: Self.right), "a forged view: \(text)"
    )
  }
}
