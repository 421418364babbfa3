// SPDX-License-Identifier: Apache-2.0
// The facts of a request's ending, and its outcome: an answer, a redirect, a new start, or a `Failure` with
// its words. Most words about the network are here and in `StatusWords`.

import CCurl
import Vocabulary

struct TransferEnding {
  let url: PhotoURL
  let result: CURLcode
  var answer = AnswerAccount()
  var status = 0
  /// The total size that the origin stated with the bytes that we have, if any.
  var knownTotal: UInt64?
  /// The Content-Range of a status 416.
  var range: ContentRange?
  var isEndSure = true
  /// The announced length of the body, if any.
  var announced: UInt64?
  var location: String?
  var retryAfter: UInt32?
  /// The kernel's error number, if connecting failed.
  var systemError: Int32 = 0
  var reach = Reach.none
  /// The transfer's whole time is used up.
  var isLate = false
  /// libcurl's words about its result; may quote the origin.
  var words = ""
  /// OpenSSL's verdict on the certificate, and the time by which it was judged.
  var certificate = (verdict: 0, time: UInt64.max)

  init(url: PhotoURL, result: CURLcode) {
    self.url = url
    self.result = result
  }

  /// For callers without libcurl's types.
  init(url: PhotoURL, code: UInt32) { self.init(url: url, result: CURLcode(rawValue: code)) }

  enum Reach {
    /// This machine has no network, and the server is on another one: no host is to blame.
    case offline
    case none, connected
  }

  var isConnected: Bool { reach == .connected }

  enum Outcome: Equatable {
    case whole(TransferReply)
    case elsewhere(String)
    /// Request the whole from the original URL: the origin does not send the rest.
    case again
    case failed(Failure)
  }

  func outcome(timeout: Duration, connectTimeout: Duration) -> Outcome {
    if answer.asked == .message, (200..<300).contains(status) { return .whole(reply(size: 0)) }
    if answer.isWrongPart { return .again }
    // A problem that our own checks found takes precedence over libcurl's result.
    if let problem = answer.problem { return .failed(problem) }
    if isThreadless { return .failed(Self.threadless) }
    if reach == .offline { return .failed(Self.unconnectable) }
    if let trouble = proxyTrouble(connectTimeout) { return .failed(trouble) }
    // An error status counts, however its body ended.
    if status >= 300 { return answered }
    if result != CURLE_OK {
      return .failed(failure(timeout: timeout, connectTimeout: connectTimeout))
    }
    if let announced, status != 204, status != 206, announced != answer.received {
      return .failed(short)
    }
    if status == 206, let total = answer.entity.total, answer.end != total {
      return .failed(short)
    }
    // A coding marks its own end.
    if answer.coding.isReal, !isEndSure { return .failed(short) }
    return answered
  }

  private var answered: Outcome {
    if answer.asked == .message { return untaken }
    switch status {
    case 206:
      if answer.asked.isPart { return .whole(reply(size: answer.end)) }
      return .failed(Self.unasked(url.server))
    case 200..<300: return .whole(reply(size: answer.received))
    case 304 where answer.asked == .change: return .whole(reply(size: 0))
    case 304 where answer.asked.isPart: return .again
    case 416:
      if case .part(let length) = answer.asked { return unsatisfied(length) }
      return .failed(Failure(.final, code: "http.416", reason: answerWords))
    case 301, 302, 303, 307, 308:
      if let location { return .elsewhere(location) }
      if result == CURLE_OUT_OF_MEMORY { return .failed(Self.headerFlood(url.server)) }
      return .failed(
        Failure(.final, code: "http.\(status)", reason: answerWords + " without a location"))
    case 408, 425, 429, 500, 502, 503, 504, 520...529:
      return .failed(
        Failure(.passing, code: "http.\(status)", reason: answerWords, waitSeconds: retryAfter))
    default:
      return .failed(
        Failure(
          .final, code: "http.\(status)", reason: answerWords, advice: StatusWords.advice(status)))
    }
  }

  /// A message has no photo to which the usual advice applies.
  private var untaken: Outcome {
    let isRedirect = [301, 302, 303, 307, 308].contains(status)
    return .failed(
      Failure(
        .passing, code: "http.\(status)",
        reason: answerWords + (isRedirect ? "; webhooks follow no redirect" : ""),
        waitSeconds: retryAfter))
  }

  private var answerWords: String { "\(url.server) answered \(StatusWords.of(status))" }

  private func reply(size: UInt64) -> TransferReply {
    TransferReply(status: status, size: size, isEndSure: isEndSure, entity: answer.entity)
  }

  /// The origin has no byte after ours: they are the whole if its stated size says so, now and in any
  /// earlier answer.
  private func unsatisfied(_ length: UInt64) -> Outcome {
    guard let range, range.part == nil, range.total == length,
      knownTotal == nil || knownTotal == length
    else { return .again }
    var reply = self
    (reply.status, reply.isEndSure) = (206, true)
    return .whole(reply.reply(size: length))
  }

  private var short: Failure {
    let whole = answer.base > 0 ? answer.entity.total : announced
    let of = whole.map { " of \($0)" } ?? ""
    return Failure(
      .passing, code: "size.short",
      reason: "\(url.server) ended after \(answer.end)\(of) bytes")
  }

  private func failure(timeout: Duration, connectTimeout: Duration) -> Failure {
    let server = url.server
    switch result {
    case CURLE_OPERATION_TIMEDOUT: return late(timeout, connectTimeout)
    case CURLE_COULDNT_RESOLVE_HOST:
      return Failure(.passing, code: "dns.failed", reason: "no address was found for \(url.host)")
    case CURLE_COULDNT_CONNECT: return unconnected
    case CURLE_PARTIAL_FILE: return short
    case CURLE_PEER_FAILED_VERIFICATION:
      return CertificateFault(certificate.verdict).failure(
        server: server, now: certificate.time)
    case CURLE_SSL_CACERT_BADFILE:
      return Failure(
        .machine, code: "tls.authorities",
        reason: "this machine's list of certificate authorities cannot be read",
        advice: "Install ca-certificates, and check CertificateAuthorities= under [Network]")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
      return Failure(.passing, code: "tls.failed", reason: "no secure connection to \(server)")
    case CURLE_RECV_ERROR where hasBadChunks:
      return Failure(
        .final, code: "http.malformed", reason: "the answer of \(server) has malformed chunks")
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
      return Failure(.passing, code: "connect.reset", reason: "the connection to \(server) broke")
    case CURLE_GOT_NOTHING:
      return Failure(
        .passing, code: "connect.closed",
        reason: "\(server) closed the connection without an answer")
    case CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return Failure(.passing, code: "http.stream", reason: "\(server) aborted its answer")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
      return malformed
    case CURLE_BAD_CONTENT_ENCODING: return TransferEnding.encoded(server, answer.coding)
    // libcurl reports a header line above its own limit as "out of memory".
    case CURLE_OUT_OF_MEMORY where isConnected: return TransferEnding.headerFlood(server)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNRECOVERABLE_POLL:
      return TransferEnding.resources
    default:
      let words = unsafe String(cString: curl_easy_strerror(result))
      return Failure(
        .passing, code: "transfer.\(result.rawValue)",
        reason: "the transfer from \(server) failed: \(words)")
    }
  }

  private var malformed: Failure {
    // Bytes that begin no answer need no further words.
    let more = result == CURLE_WEIRD_SERVER_REPLY && !words.isEmpty
    return Failure(
      .final, code: "http.malformed",
      reason: "the answer of \(url.server) is not HTTP"
        + (more ? ": \(Printable.text(words, limit: 80))" : ""))
  }

  static let outOfTime = "time.out"

  private func late(_ timeout: Duration, _ connectTimeout: Duration) -> Failure {
    // A message follows no redirect: if there is no connection, its server had all of the time.
    let isUnreached = !isConnected && answer.asked == .message
    if isLate, !isUnreached {
      return Failure(
        .passing, code: Self.outOfTime,
        reason: "\(url.server) did not finish within \(timeout.components.seconds) s")
    }
    if !isConnected {
      return Failure(
        .passing, code: "connect.timeout",
        reason:
          "\(url.server) could not be reached within \(min(timeout, connectTimeout).components.seconds) s"
      )
    }
    return Failure(
      .passing, code: "time.slow", reason: "\(url.server) sent too slowly",
      advice: "If it is that slow, raise StallTimeout= under [Download]; Timeout= must be longer")
  }

  private var unconnected: Failure {
    switch SystemError.Name(rawValue: systemError) {
    case .connectionRefused:
      Failure(.passing, code: "connect.refused", reason: "\(url.server) refused the connection")
    case .networkUnreachable, .hostUnreachable:
      Failure(.passing, code: "connect.unreachable", reason: "there is no route to \(url.server)")
    // A host can cause the second error as well, by ICMPv6: it must not hold up other hosts.
    case .notPermitted, .denied:
      Failure(
        .passing, code: "connect.forbidden",
        reason:
          "this machine, or a firewall on the way, does not allow connections to \(url.server)",
        advice: "Check IPAddressDeny= and IPAddressAllow= in the unit, and the firewall's rules")
    default:
      Failure(.passing, code: "connect.failed", reason: "no connection to \(url.server)")
    }
  }

  /// True for an ending that a missing network of this machine can cause. Other endings need a packet from the other
  /// side.
  var mayBeOffline: Bool {
    if status >= 300 { return false }
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_OPERATION_TIMEDOUT, CURLE_SEND_ERROR,
      CURLE_SSL_CONNECT_ERROR:
      return true
    case CURLE_RECV_ERROR: return !hasBadChunks
    case CURLE_COULDNT_CONNECT:
      switch SystemError.Name(rawValue: systemError) {
      case .connectionRefused, .notPermitted, .denied: return false
      default: return true
      }
    default: return false
    }
  }

  /// libcurl has no separate number for malformed chunks.
  private var hasBadChunks: Bool { words.contains("chunk") }

  /// The lists of such photos wait, and lists of files or of this machine's servers do not.
  private static var unconnectable: Failure {
    Failure(
      .machine, scope: .one, code: Failure.noNetwork,
      reason: "this machine has no network: "
        + "no connected interface but the loopback one has more than a link-local address",
      advice: "Connect it; the photos go on by themselves")
  }

  static var resources: Failure {
    Failure(
      .machine, code: "transfer.resources", reason: "this machine cannot open another transfer")
  }

  /// libcurl could not start the thread that looks up the name. Only its words show it.
  private var isThreadless: Bool {
    [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY].contains(result)
      && words.contains("thread failed to start")
  }

  private static var threadless: Failure {
    Failure(
      .machine, code: "transfer.resources",
      reason: "this machine cannot start a thread to look up the name of a server")
  }

  static func unasked(_ server: String) -> Failure {
    Failure(
      .final, code: "http.206",
      reason: "\(server) answered \(StatusWords.of(206)) to a request for the whole file")
  }

  static func headerFlood(_ server: String) -> Failure {
    Failure(.final, code: "header.limit", reason: "the header that \(server) sends is too long")
  }

  static func encoded(
    _ server: String, _ coding: ContentCoding, trouble: String = "which the daemon does not decode"
  ) -> Failure {
    let name = coding.text.isEmpty ? "" : " as '\(Printable.text(coding.text, limit: 40))'"
    return Failure(
      .final, code: "http.encoding",
      reason: "\(server) sends the photo encoded\(name), \(trouble)")
  }

  static func undecodable(_ server: String, _ coding: ContentCoding) -> Failure {
    encoded(server, coding, trouble: "which cannot be decoded")
  }
}
