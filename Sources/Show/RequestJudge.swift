// SPDX-License-Identifier: Apache-2.0
// Decides whether a request is served: loopback is open to every user of the machine and to every page in a browser, so
// the host, the origin, the method and the form of a request are checked before anything is read. A value.

package import HTTP

package struct RequestJudge: Sendable {
  package enum Verdict: Equatable, Sendable {
    /// The view is the secret of the address; the process that keeps the views has its user. Empty for a request without one.
    case serve(PageRequest, view: String)
    case refuse(Refusal)
  }

  package enum Refusal: UInt32, Sendable {
    case badRequest = 400
    case noView = 401
    /// It comes from another page.
    case forbidden = 403
    case notFound = 404
    case wrongMethod = 405
    case noLength = 411
    case tooLarge = 413
    case wrongForm = 415
    /// For another host: a name that leads to this machine, as in DNS rebinding.
    case misdirected = 421

    package var words: String {
      switch self {
      case .badRequest: "The request is not valid."
      case .noView: "This view is over. 'darkroomctl open' makes another."
      case .forbidden: "Another page may not ask for this."
      case .notFound: "There is nothing at this address."
      case .wrongMethod: "Only GET, HEAD and one POST are served."
      case .noLength: "The length of the request is missing."
      case .tooLarge: "The request is too large."
      case .wrongForm: "The form of the request is not known."
      case .misdirected: "This host is not served here."
      }
    }
  }

  package static let longestBody = 4096
  /// No form of HTML can send it, so that another page needs leave, which it does not get.
  package static let focusType = "application/x-darkroom-focus"

  /// `name` or `name:port`, in lower case.
  private let ownHosts: Set<String>
  /// A proxy serves them, by https alone.
  private let proxyHosts: Set<String>

  /// - Parameter names: other hosts, as a proxy passes them on.
  package init(port: Int, names: [String] = []) {
    ownHosts = Set(["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" })
    proxyHosts = Set(names.map { $0.lowercased() }).subtracting(ownHosts)
  }

  /// True if a browser reaches the host by https.
  private func isSecure(_ request: WebRequest) -> Bool {
    request.values("host").contains { proxyHosts.contains($0.lowercased()) }
  }

  package func judge(_ request: WebRequest) -> Verdict {
    let verdict = judge(head: request)
    guard case .serve = verdict, request.body.count > Self.longestBody else { return verdict }
    return .refuse(.tooLarge)
  }

  /// Why the body of a request is not even read; nil if it is.
  package func refusal(ofHead request: WebRequest) -> Refusal? {
    if case .refuse(let refusal) = judge(head: request) { refusal } else { nil }
  }

  private func judge(head request: WebRequest) -> Verdict {
    guard request.isWhole else { return .refuse(.badRequest) }
    let isPost = request.method == "POST"
    guard isPost || request.method == "GET" || request.method == "HEAD" else {
      return .refuse(.wrongMethod)
    }
    let host = request.values("host")
    guard host.count == 1, ownHosts.contains(host[0].lowercased()) || isSecure(request) else {
      return .refuse(.misdirected)
    }
    if let refusal = refusal(ofLengthIn: request, isPost: isPost) { return .refuse(refusal) }
    guard let (page, view) = PageRequest.read(request.target) else { return .refuse(.notFound) }
    guard case .focus = page else {
      if isPost { return .refuse(.wrongMethod) }
      return isForeign(request, page) ? .refuse(.forbidden) : .serve(page, view: view)
    }
    guard isPost else { return .refuse(.wrongMethod) }
    let scheme = isSecure(request) ? "https" : "http"
    guard request.values("origin") == ["\(scheme)://\(host[0])"], !isForeign(request, page) else {
      return .refuse(.forbidden)
    }
    guard request.values("content-type") == [Self.focusType] else { return .refuse(.wrongForm) }
    return .serve(page, view: view)
  }

  /// Only the one `POST` has a body, whose length is known before it is read.
  private func refusal(ofLengthIn request: WebRequest, isPost: Bool) -> Refusal? {
    guard request.values("transfer-encoding").isEmpty else { return .noLength }
    let lengths = request.values("content-length")
    if lengths.isEmpty { return isPost ? .noLength : nil }
    guard lengths.count == 1, let length = UInt64(lengths[0]) else { return .badRequest }
    return length <= (isPost ? UInt64(Self.longestBody) : 0) ? nil : .tooLarge
  }

  /// Browsers say where a request comes from. A link or a program may lead to `redeem`; all else comes from our pages.
  private func isForeign(_ request: WebRequest, _ page: PageRequest) -> Bool {
    if case .redeem = page { return false }
    let sites = request.values("sec-fetch-site")
    return !sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
  }
}
