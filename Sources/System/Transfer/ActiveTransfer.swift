// SPDX-License-Identifier: Apache-2.0
// One transfer from start to end, over as many requests as it needs: their URLs, headers and libcurl
// options. Belongs to the loop's thread; libcurl calls it on that thread.

import CCurl
import Linux
import Vocabulary

final class ActiveTransfer {
  let job: TransferJob
  private(set) var url: PhotoURL
  private(set) var handle: EasyHandle?
  /// The handle is inside libcurl's multi handle.
  var isAsking = false
  var demand: TransferDemand
  private(set) var terms: TransferTerms
  /// The answer to the current request.
  var answer = AnswerAccount()
  private var redirects = 0
  /// Another server led the transfer to the one of `url`.
  private var isLed = false
  /// The time taken by earlier requests.
  private var spent = Duration.zero
  private var pause = TransferPause()
  /// The bytes received at the last check.
  private var seen: UInt64 = 0
  /// The origin did not send the requested part: the whole is requested.
  private var isStartedOver = false
  /// The current request goes through the proxy.
  private(set) var isProxied = false
  var body = BodyFlow()

  init(_ job: TransferJob, _ terms: TransferTerms) {
    (self.job, self.terms) = (job, terms)
    url = job.url
    demand = TransferDemand(job.request.priority, of: [job.request.owner])
  }

  /// Sets libcurl's options for one request; `settle` has set those for all requests.
  func prepare(_ handle: EasyHandle, _ terms: TransferTerms) throws(Failure) {
    self.terms = terms
    self.handle = handle
    handle.tell(
      EasyHandle.Terms(
        time: timeLeft,
        connectTime: Int(clamping: job.request.connectTimeout.milliseconds),
        slowTime: terms.settings.slowSeconds(),
        isSecure: url.scheme == .https, proxy: try proxy()))
    handle.post(job.request.message)
    handle.ask(for: url)
    handle.set(CURLOPT_HTTPHEADER, lines: ask())
    unsafe dr_curl_context(handle.pointer, Unmanaged.passUnretained(self).toOpaque())
    guard handle.trouble == CURLE_OK else { throw TransferEnding.resources }
  }

  /// The proxy's URL; empty if the request goes to the host itself. The proxy dials the host: the rules judge the
  /// address that the URL writes, and cannot judge a name.
  private func proxy() throws(Failure) -> String {
    isProxied = terms.settings.route.leads(to: url.host)
    guard isProxied, let proxy = terms.settings.route.server else { return "" }
    if let address = NetworkAddress(numeric: url.host),
      let refusal = terms.settings.rules.refusal(of: address, isOwn: DialSocket.isOwn)
    {
      answer.refusal = refusal
      throw refusal.failure(server: url.server)
    }
    return proxy.description
  }

  /// The current request's time limit from its start, in milliseconds; includes pauses, as libcurl does.
  private var timeLeft: Int {
    let left = max(.milliseconds(1), job.request.timeout - spent)
    return Int(clamping: (left + pause.total).milliseconds)
  }

  /// Calls the sink's `rest` if no bytes have arrived since the last check; returns whether none have.
  func rests() -> Bool {
    guard seen == answer.received else {
      seen = answer.received
      return false
    }
    if seen > 0, !isPaused { job.sink.rest() }
    return true
  }

  // MARK: the sink has no room, or other transfers go first

  var isPaused: Bool { pause.isNow || body.makesWay }

  /// libcurl then stops reading the connection. The origin is not to blame for the pause: its time limit is
  /// suspended, and libcurl measures no rate.
  func beginPause() {
    pause.begin(now: .now)
    handle?.limit(time: 0)
  }

  /// The sink may refuse again.
  func goOn() -> CURLcode {
    body.goOn()
    pause.end(now: .now)
    handle?.limit(time: timeLeft)
    return handle?.goOn() ?? CURLE_OK
  }

  // MARK: the process did not run

  /// The origin is not to blame for the lapse, so each limit is extended by the length of the lapse.
  func grant(_ lapse: Duration, sum: Duration) {
    pause.add(lapse)
    if !isPaused { handle?.limit(time: timeLeft) }
    handle?.limit(
      connectMore: Int(clamping: lapse.milliseconds), slowTime: terms.settings.slowSeconds(sum))
  }

  /// The time without bytes that began before the lapse is over, or has led to an end.
  func endGrant() { handle?.limit(connectMore: 0, slowTime: terms.settings.slowSeconds()) }

  // MARK: a request

  /// Sends a validator only to the exact URL that gave it, query included: elsewhere the same validator may
  /// stand for another photo.
  private func ask() -> [String] {
    // libcurl would ask for leave before a long message.
    if job.request.message != nil {
      answer.asked = .message
      return ["Content-Type: application/json", "Expect:"]
    }
    if isStartedOver { return [] }
    switch job.request.scope {
    case .rest(let entity, let length) where entity.place == url.text && length > 0:
      guard let validator = entity.strongValidator else { return [] }
      answer.asked = .part(from: length)
      return ["Range: bytes=\(length)-", "If-Range: \(validator)"]
    case .change(let entity) where entity.place == url.text:
      answer.asked = .change
      var conditions: [String] = []
      if !entity.etag.isEmpty { conditions.append("If-None-Match: \(entity.etag)") }
      if !entity.lastModified.isEmpty {
        conditions.append("If-Modified-Since: \(entity.lastModified)")
      }
      return conditions
    case .whole, .rest, .change: return []
    }
  }

  /// The request's ending, from libcurl's facts and our own.
  func ending(_ result: CURLcode) -> TransferEnding {
    handle?.endLookup(result)
    if let handle, result == CURLE_OK, answer.asked != .message { judgeEmpty(handle) }
    var ending = TransferEnding(url: url, result: result)
    ending.answer = answer
    ending.answer.problem = answer.problem ?? refused(result)
    guard let handle else { return ending }
    ending.status = handle.number(CURLINFO_RESPONSE_CODE)
    ending.answer.coding = ContentCoding(handle.headers("Content-Encoding"))
    let length = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    ending.announced = length >= 0 && !ending.answer.coding.isReal ? UInt64(length) : nil
    if isProxied {
      ending.answer.proxy = ProxyFacts(
        handle, terms.settings.route.server, result, isTunnel: url.scheme == .https)
    }
    if ending.status >= 300 {
      ending.location = handle.text(CURLINFO_REDIRECT_URL)
      ending.retryAfter = RetryAfter.seconds(
        handle.size(CURLINFO_RETRY_AFTER), handle.header("Retry-After"))
    }
    if result != CURLE_OK {
      // libcurl rounds: a request that ended slightly early also ended by this limit.
      ending.isLate = spent + time(of: handle) + .milliseconds(100) >= job.request.timeout
      ending.systemError = Int32(clamping: handle.number(CURLINFO_OS_ERRNO))
      ending.reach = handle.size(CURLINFO_PRETRANSFER_TIME_T) > 0 ? .connected : .none
      ending.words = handle.words
      // A message may have been taken.
      let mayBeOffline = ending.mayBeOffline && ending.answer.asked != .message
      if mayBeOffline, !DialSocket.hasNetwork, !isInside(handle) { ending.reach = .offline }
      ending.certificate = (
        handle.number(CURLINFO_SSL_VERIFYRESULT), MachineTime().wallTime()
      )
    }
    ending.isEndSure = body.unpacker?.isAtEnd ?? isEndSure(handle)
    if case .rest(let known, _) = job.request.scope { ending.knownTotal = known.total }
    if ending.status == 416 {
      ending.range = handle.header("Content-Range").flatMap(ContentRange.init)
    }
    return ending
  }

  /// The request went to this machine, and needed no network for that. libcurl may not have the address before the
  /// connection is complete; the proxy then has other failures.
  private func isInside(_ handle: EasyHandle) -> Bool {
    if let text = handle.text(CURLINFO_PRIMARY_IP), let peer = NetworkAddress(text) {
      return DialSocket.isOwn(peer)
    }
    return isProxied || NetworkAddress(numeric: url.host).map(DialSocket.isOwn) ?? false
  }

  /// False if the connection's end is the body's end: a body that was cut off then looks complete.
  private func isEndSure(_ handle: EasyHandle) -> Bool {
    if handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0 { return true }
    if handle.number(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0 { return true }
    return handle.header("Transfer-Encoding")?.lowercased().hasSuffix("chunked") ?? false
  }

  /// The refusal, only if every address was refused: an address that was dialled without an answer may
  /// answer later.
  private func refused(_ result: CURLcode) -> Failure? {
    guard result == CURLE_COULDNT_CONNECT else { return nil }
    if let shortage = answer.shortage { return shortage }
    return answer.dialled == 0 ? refusal : nil
  }

  private var refusal: Failure? { answer.refusal?.failure(server: url.server) }

  var tooBig: Failure {
    Failure(
      .final, code: "size.limit",
      reason: "\(url.server) sends more than \(job.request.maximumSize) bytes",
      advice: "MaximumSize= under [Download] sets the limit")
  }

  /// Follows a redirect: at most `settings.redirects` times, never to a file, never from https to http.
  func redirect(to place: String) throws(Failure) {
    redirects += 1
    guard redirects <= terms.settings.redirects else {
      throw Failure(
        .final, code: "redirect.limit",
        reason: "\(job.url.server) redirects more than \(terms.settings.redirects) times")
    }
    let next: PhotoURL
    do throws(Failure) { next = try PhotoURL(parsing: place) } catch {
      throw Failure(
        .final, code: "redirect.refused",
        reason: "\(url.server) redirects to a URL that cannot be used: \(error.reason)")
    }
    guard next.scheme.isRemote else {
      throw Failure(
        .final, code: "redirect.refused", reason: "\(url.server) redirects to a local file")
    }
    guard url.scheme == .http || next.scheme == .https else {
      throw Failure(
        .final, code: "redirect.insecure",
        reason: "\(url.server) redirects from https to http, to \(next.server)")
    }
    if next.serverName != url.serverName { isLed = true }
    url = next
    clearRequest()
  }

  /// The result with the last server that was asked: after a redirect, it is not the one of the job's URL.
  func signed(_ result: Result<TransferReply, Failure>) -> Result<TransferReply, Failure> {
    switch result {
    case .success(var reply):
      reply.server = url.serverName
      return .success(reply)
    case .failure(let failure):
      // Another server may be why the time is over, and one whose addresses are refused was not asked.
      let isNobodys = isLed && (failure.code == TransferEnding.outOfTime || failure == refusal)
      return .failure(isNobodys ? failure : failure.at(url.serverName))
    }
  }

  /// Requests the whole photo from the original URL, in the time that is left.
  func startOver() {
    isStartedOver = true
    redirects = 0
    url = job.url
    clearRequest()
  }

  /// Resets the state between two requests.
  private func clearRequest() {
    if let handle { spent += time(of: handle) }
    handle = nil
    pause = TransferPause()
    answer = AnswerAccount()
    body = BodyFlow()
  }

  /// The time of the current request, without pauses.
  var time: Duration { handle.map(time) ?? .zero }

  private func time(of handle: EasyHandle) -> Duration {
    .microseconds(handle.size(CURLINFO_TOTAL_TIME_T)) - pause.total
  }
}

extension EasyHandle {
  /// Sets the options for all requests of a handle.
  func settle(_ settings: TransferSettings) {
    unsafe dr_curl_calls(
      pointer, TransferCalls.body, TransferCalls.header, TransferCalls.dial, TransferCalls.before)
    unsafe dr_curl_lookup(pointer, TransferCalls.lookup)
    set(CURLOPT_LOW_SPEED_LIMIT, Int(settings.slowestRate))
    set(CURLOPT_NOSIGNAL, 1)
    // A hanging name lookup must not block the loop when its transfer is abandoned; `LingeringLookups` counts its thread.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_NETRC, 0)
    // Without these, libcurl reads http_proxy, no_proxy and the like from the environment.
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NOPROXY, "")
    if let login = settings.login {
      set(CURLOPT_PROXYAUTH, Int(1))  // CURLAUTH_BASIC
      set(CURLOPT_PROXYUSERNAME, login.user)
      set(CURLOPT_PROXYPASSWORD, login.password)
    }
    set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    // Asks for no coding. `BodyUnpacker` decodes a body that is coded all the same.
    set(CURLOPT_ACCEPT_ENCODING, "identity")
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    // Only here: libcurl refuses the option while a used handle still has its buffer.
    set(CURLOPT_BUFFERSIZE, 32768)
    set(CURLOPT_USERAGENT, settings.userAgent)
    trust(settings.authorities, settings.ownAuthorities)
    if !settings.addresses.isEmpty { set(CURLOPT_RESOLVE, lines: settings.addresses) }
  }
}
