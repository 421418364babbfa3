// SPDX-License-Identifier: Apache-2.0
// The facts of a request through a proxy, and the failures that the proxy causes: trouble of this machine's way out,
// for which no photo is to blame. Some errors of a proxy may instead mean that the host does not answer. Such an
// error counts as the host's failure if the proxy lately passed on an answer of any host. Otherwise the scope of the
// failure leaves the cause open, and the chains decide by the answers of other hosts.

import CCurl
import Vocabulary

struct ProxyFacts: Equatable {
  /// The time for which the answer of a host shows that the proxy works.
  static let proofTime = Duration.seconds(60)

  var place = ""
  var scheme = ProxyServer.Scheme.http
  /// The status of its answer to CONNECT; 0 without one.
  var connectStatus = 0
  /// A CURLPX_ number.
  var reply = 0
  /// It took the connection.
  var isReached = false
  /// OpenSSL's verdict on its certificate.
  var certificate = 0
  var isProven = false
  /// The cause that the proxy names for an internal error.
  var blame = ProxyBlame.unknown
}

extension ProxyFacts {
  /// - Parameter isTunnel: the proxy answers CONNECT; if not, its answers look like answers of the host.
  init(_ handle: EasyHandle, _ server: ProxyServer?, _ result: CURLcode, isTunnel: Bool) {
    place = server?.place ?? ""
    scheme = server?.scheme ?? .http
    connectStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
    let headers = isTunnel ? handle.proxyHeaders : handle.headers
    if isTunnel ? connectStatus >= 300 : handle.number(CURLINFO_RESPONSE_CODE) >= 500 {
      blame = ProxyBlame(squid: headers("X-Squid-Error").last, status: headers("Proxy-Status"))
    }
    if result == CURLE_OK { return }
    reply = handle.number(CURLINFO_PROXY_ERROR)
    // libcurl notes the time only when the connection leads to the origin.
    isReached =
      handle.size(CURLINFO_CONNECT_TIME_T) > 0 || handle.number(CURLINFO_LOCAL_PORT) > 0
    certificate = handle.number(CURLINFO_PROXY_SSL_VERIFYRESULT)
  }
}

extension TransferEnding {
  /// The origin's own answer came through the proxy.
  var provesProxy: Bool {
    guard answer.proxy != nil, status > 0 else { return false }
    return url.scheme == .https || status < 400 || status == 404 || status == 410
  }

  private static let advice = "Check the proxy, and Proxy= under [Network] in darkroomd.conf"
  private static let credential =
    "darkroomd the credential 'proxy' with USER:PASSWORD, see darkroomd.conf(5)"

  /// Nil if the origin or the way to it is the cause.
  func proxyTrouble(_ connectTimeout: Duration) -> Failure? {
    guard let proxy = answer.proxy else { return nil }
    if proxy.connectStatus == 407 || (status == 407 && url.scheme == .http) {
      return login(proxy)
    }
    if let fault = hostFault(proxy) { return fault }
    if let gateway = gateway(proxy) { return gateway }
    if result == CURLE_OK || status > 0 { return nil }
    switch result {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return trouble("proxy.name", "no address was found for the proxy \(proxy.place)")
    case CURLE_COULDNT_CONNECT where !proxy.isReached: return unreached(proxy)
    case CURLE_OPERATION_TIMEDOUT where !isConnected && !proxy.isReached:
      return trouble(
        "proxy.timeout",
        "the proxy \(proxy.place) could not be reached within "
          + "\(connectTimeout.components.seconds) s",
        "\(Self.advice), and IPAddressAllow= in the unit if its address is a local one")
    case CURLE_OPERATION_TIMEDOUT where !isConnected:
      return unsure(proxy, "proxy.silent", "did not connect to \(url.server) in time")
    case CURLE_PROXY: return refused(proxy)
    case _ where isBeforeTunnel(proxy) && proxy.scheme == .https && isTrust:
      return untrusted(proxy)
    case _ where isBeforeTunnel(proxy) && proxy.scheme == .https && isHandshake:
      return trouble("proxy.tls", "no secure connection to the proxy \(proxy.place)")
    case _ where proxy.connectStatus >= 300:
      return unsure(
        proxy, "proxy.refused",
        "answered \(StatusWords.of(proxy.connectStatus)) to the request for \(url.server)")
    case _ where isCut && proxy.connectStatus == 0 && (!isConnected || isUnanswered):
      return unsure(proxy, "proxy.closed", "closed the connection to \(url.server)")
    default: return nil
    }
  }

  private var isHandshake: Bool { [CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER].contains(result) }
  private var isCut: Bool {
    [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_COULDNT_CONNECT].contains(result)
  }
  /// The proxy got the request itself, and closed the connection.
  private var isUnanswered: Bool { url.scheme == .http && result == CURLE_GOT_NOTHING }
  private var isTrust: Bool { result == CURLE_PEER_FAILED_VERIFICATION }

  /// The connection to the proxy was not yet one to the origin.
  private func isBeforeTunnel(_ proxy: ProxyFacts) -> Bool {
    url.scheme == .http || proxy.connectStatus == 0
  }

  private func trouble(_ code: String, _ reason: String, _ advice: String = advice) -> Failure {
    Failure(.machine, scope: .proxy, code: code, reason: reason, advice: advice)
  }

  /// The proxy itself names the host as the cause. A host that writes such a header blames itself.
  private func hostFault(_ proxy: ProxyFacts) -> Failure? {
    let reason: String
    switch proxy.blame {
    case .refused: reason = "\(url.server) refused the connection of the proxy \(proxy.place)"
    case .host(let word):
      reason = "the proxy \(proxy.place) got no answer from \(url.server): '\(word)'"
    case .proxy, .lookup, .unknown: return nil
    }
    return Failure(.passing, code: "proxy.refused", reason: reason, waitSeconds: retryAfter)
  }

  /// A status that a host may send as well, but seldom without Retry-After. A webhook is given up after a day.
  private func gateway(_ proxy: ProxyFacts) -> Failure? {
    guard url.scheme == .http, status == 502 || status == 504, retryAfter == nil,
      !proxy.isProven, answer.asked != .message
    else { return nil }
    return open("proxy.gateway", answered(proxy))
  }

  /// The cause may be the host alone.
  private func open(
    _ code: String, _ reason: String,
    _ advice: String = "If other hosts fail as well, check the proxy, "
      + "and Proxy= under [Network] in darkroomd.conf"
  ) -> Failure {
    Failure(.machine, scope: .proxyOrHost, code: code, reason: reason, advice: advice)
  }

  /// The answer to a plain request is the proxy's or the host's.
  private func answered(_ proxy: ProxyFacts) -> String {
    "the request for \(url.server) through the proxy \(proxy.place) was answered with "
      + StatusWords.of(status)
  }

  /// The cause may be the proxy or the host. One webhook must not wait for another one's host.
  private func unsure(_ proxy: ProxyFacts, _ code: String, _ what: String) -> Failure {
    var reason = "the proxy \(proxy.place) \(what)"
    var (code, isSure) = (code, false)
    switch proxy.blame {
    case .proxy(let word): (isSure, reason) = (true, reason + ": '\(word)'")
    case .lookup(let word):
      code = Failure.proxyLookup
      reason = "the proxy \(proxy.place) found no address for \(url.server): '\(word)'"
    case .refused, .host, .unknown: break
    }
    if (proxy.isProven && !isSure) || answer.asked == .message {
      return Failure(.passing, code: code, reason: reason)
    }
    return isSure ? trouble(code, reason) : open(code, reason)
  }

  private func login(_ proxy: ProxyFacts) -> Failure {
    if proxy.connectStatus == 407 {
      return trouble(
        "proxy.login", "the proxy \(proxy.place) answered \(StatusWords.of(407))",
        "Give \(Self.credential)")
    }
    // A host could send this status as well, to hold up everything.
    if proxy.isProven {
      return Failure(.passing, code: "proxy.login", reason: answered(proxy))
    }
    return open(
      "proxy.login", answered(proxy), "If the proxy wants a login, give \(Self.credential)")
  }

  private func unreached(_ proxy: ProxyFacts) -> Failure {
    switch SystemError.Name(rawValue: systemError) {
    case .connectionRefused:
      trouble("proxy.unreachable", "the proxy \(proxy.place) refused the connection")
    case .notPermitted, .denied:
      trouble(
        "proxy.unreachable", "this machine does not allow connections to the proxy \(proxy.place)",
        "Add IPAddressAllow= with its address to the unit, see darkroomd(8)")
    case .networkUnreachable, .hostUnreachable:
      trouble("proxy.unreachable", "there is no route to the proxy \(proxy.place)")
    default: trouble("proxy.unreachable", "no connection to the proxy \(proxy.place)")
    }
  }

  private func untrusted(_ proxy: ProxyFacts) -> Failure {
    let fault = CertificateFault(proxy.certificate).failure(
      server: "the proxy \(proxy.place)", now: certificate.time)
    if fault.kind == .machine { return fault }
    return trouble(
      "proxy.tls", fault.reason,
      "If you trust it, name its authority with CertificateAuthorities= under [Network]")
  }

  /// A SOCKS proxy gave up. Its replies about the host are the host's.
  private func refused(_ proxy: ProxyFacts) -> Failure {
    let reply = CURLproxycode(rawValue: UInt32(clamping: proxy.reply))
    switch reply {
    case CURLPX_USER_REJECTED, CURLPX_NO_AUTH, CURLPX_REQUEST_FAILED:
      return trouble(
        "proxy.login", "the proxy \(proxy.place) wants another login",
        "Give \(Self.credential)")
    case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_CONNECTION_REFUSED, CURLPX_REPLY_TTL_EXPIRED,
      CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_NOT_ALLOWED,
      CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_RESOLVE_HOST:
      return unsure(proxy, "proxy.refused", "could not connect to \(url.server)")
    case CURLPX_CLOSED, CURLPX_RECV_CONNECT, CURLPX_RECV_REQACK, CURLPX_RECV_AUTH:
      return unsure(proxy, "proxy.closed", "closed the connection to \(url.server)")
    default:
      return trouble("proxy.socks", "\(proxy.place) does not answer as a SOCKS 5 proxy")
    }
  }
}
