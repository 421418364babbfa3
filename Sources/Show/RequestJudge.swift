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

  package enum Refusal: UInt32, Error, Equatable, Sendable {
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
    do throws(Refusal) { return try serve(request) } catch { return .refuse(error) }
  }

  /// Why the body of a request is not even read; nil if it is.
  package func refusal(ofHead request: WebRequest) -> Refusal? {
    do throws(Refusal) {
      try checkHead(request)
      return nil
    } catch { return error }
  }

  private func serve(_ request: WebRequest) throws(Refusal) -> Verdict {
    let (page, view) = try checkHead(request)
    guard request.body.count <= Self.longestBody else { throw .tooLarge }
    return .serve(page, view: view)
  }

  @discardableResult
  private func checkHead(
    _ request: WebRequest
  ) throws(Refusal) -> (page: PageRequest, view: String) {
    guard request.isWhole else { throw .badRequest }
    let isPost = request.method == "POST"
    guard isPost || request.method == "GET" || request.method == "HEAD" else { throw .wrongMethod }
    let host = request.values("host")
    guard host.count == 1, ownHosts.contains(host[0].lowercased()) || isSecure(request) else {
      throw .misdirected
    }
    try checkLength(request, isPost: isPost)
    guard let (page, view) = PageRequest.read(request.target) else { throw .notFound }
    guard case .focus = page else {
      if isPost { throw .wrongMethod }
      try checkSite(request, page)
      return (page, view)
    }
    guard isPost else { throw .wrongMethod }
    let scheme = isSecure(request) ? "https" : "http"
    guard request.values("origin") == ["\(scheme)://\(host[0])"] else { throw .forbidden }
    try checkSite(request, page)
    guard request.values("content-type") == [Self.focusType] else { throw .wrongForm }
    return (page, view)
  }

  /// Only the one `POST` has a body, whose length is known before it is read.
  private func checkLength(_ request: WebRequest, isPost: Bool) throws(Refusal) {
    guard request.values("transfer-encoding").isEmpty else { throw .noLength }
    let lengths = request.values("content-length")
    if lengths.isEmpty {
      if isPost { throw .noLength }
      return
    }
    guard lengths.count == 1, let length = UInt64(lengths[0]) else { throw .badRequest }
    guard length <= (isPost ? UInt64(Self.longestBody) : 0) else { throw .tooLarge }
  }

  /// Browsers say where a request comes from. A link or a program may lead to `redeem`; all else comes from our pages.
  private func checkSite(_ request: WebRequest, _ page: PageRequest) throws(Refusal) {
    if case .redeem = page { return }
    let sites = request.values("sec-fetch-site")
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { throw .forbidden }
  }
}
