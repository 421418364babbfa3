// SPDX-License-Identifier: Apache-2.0
// One transfer from its start to its end, over as many requests as that takes: what is asked, of whom,
// and what libcurl is told. Belongs to the loop's thread; libcurl calls it from in there.

import CCurl
import Linux
import Vocabulary

final class ActiveTransfer {
  let job: TransferJob
  private(set) var url: PhotoURL
  private(set) var handle: EasyHandle?
  /// libcurl has its handle.
  var isAsking = false
  var priority: ServiceClass
  private(set) var terms: TransferTerms
  /// Of the request under way.
  var answer = AnswerAccount()
  private var redirects = 0
  private var spent = Duration.zero
  /// What was asked for besides the whole did not come: the whole is asked for.
  private var isStartedOver = false

  init(_ job: TransferJob, _ terms: TransferTerms) {
    (self.job, self.terms) = (job, terms)
    url = job.url
    priority = job.request.priority
  }

  /// What libcurl is told for each request. `handle` was told what holds for all (`settle`).
  func prepare(_ handle: EasyHandle, _ terms: TransferTerms) throws(Failure) {
    self.terms = terms
    self.handle = handle
    let left = max(.milliseconds(1), job.request.timeout - spent)
    handle.tell(
      EasyHandle.Terms(
        time: Int(clamping: left.milliseconds),
        connectTime: Int(clamping: job.request.connectTimeout.milliseconds),
        size: Int64(clamping: job.request.maximumSize), isSecure: url.scheme == .https))
    handle.ask(for: url)
    handle.set(CURLOPT_HTTPHEADER, lines: ask())
    unsafe dr_curl_context(handle.pointer, Unmanaged.passUnretained(self).toOpaque())
    guard handle.trouble == CURLE_OK else { throw TransferEnding.resources }
  }

  private static let lines = ["Accept-Encoding: identity"]

  /// A validator is shown only to the place that gave it, query and all: elsewhere the same one may
  /// mean another photo.
  private func ask() -> [String] {
    let lines = Self.lines
    if isStartedOver { return lines }
    switch job.request.scope {
    case .rest(let entity, let length) where entity.place == url.text && length > 0:
      guard let validator = entity.strongValidator else { return lines }
      answer.asked = .part(from: length)
      return lines + ["Range: bytes=\(length)-", "If-Range: \(validator)"]
    case .change(let entity) where entity.place == url.text:
      answer.asked = .change
      var conditions: [String] = []
      if !entity.etag.isEmpty { conditions.append("If-None-Match: \(entity.etag)") }
      if !entity.lastModified.isEmpty {
        conditions.append("If-Modified-Since: \(entity.lastModified)")
      }
      return lines + conditions
    case .whole, .rest, .change: return lines
    }
  }

  /// How the request ended, from libcurl's facts and our own.
  func ending(_ result: CURLcode) -> TransferEnding {
    if let handle, result == CURLE_OK { judgeEmpty(handle) }
    var ending = TransferEnding(url: url, result: result)
    ending.note(answer)
    ending.problem = answer.problem ?? refused(result)
    guard let handle else { return ending }
    ending.status = handle.number(CURLINFO_RESPONSE_CODE)
    let length = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    ending.announced = length >= 0 ? UInt64(length) : nil
    if ending.status >= 300 {
      ending.location = handle.text(CURLINFO_REDIRECT_URL)
      ending.retryAfter = RetryAfter.seconds(
        handle.size(CURLINFO_RETRY_AFTER), handle.header("Retry-After"))
    }
    if result != CURLE_OK {
      let time = Duration.microseconds(handle.size(CURLINFO_TOTAL_TIME_T))
      // libcurl rounds: what ended a moment early ended by this limit too.
      ending.isLate = spent + time + .milliseconds(100) >= job.request.timeout
      ending.systemError = Int32(clamping: handle.number(CURLINFO_OS_ERRNO))
      ending.isConnected = handle.size(CURLINFO_PRETRANSFER_TIME_T) > 0
    }
    ending.isEndSure = isEndSure(handle)
    if case .rest(let known, _) = job.request.scope { ending.knownTotal = known.total }
    if ending.status == 416 {
      ending.range = handle.header("Content-Range").flatMap(ContentRange.init)
    }
    if result == CURLE_FILESIZE_EXCEEDED, ending.status < 300 { ending.problem = tooBig }
    return ending
  }

  /// Where the connection's end is the body's end, a body that was cut off looks whole.
  private func isEndSure(_ handle: EasyHandle) -> Bool {
    if handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0 { return true }
    if handle.number(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0 { return true }
    return handle.header("Transfer-Encoding")?.lowercased().hasSuffix("chunked") ?? false
  }

  /// Only where every address was refused: one that was dialled and did not answer may answer
  /// later.
  private func refused(_ result: CURLcode) -> Failure? {
    guard result == CURLE_COULDNT_CONNECT else { return nil }
    if let shortage = answer.shortage { return shortage }
    return answer.dialled == 0 ? answer.refusal?.failure(server: url.server) : nil
  }

  var tooBig: Failure {
    TransferEnding.tooBig(url.server, limit: job.request.maximumSize)
  }

  /// Goes on elsewhere, if the rules let it: at most so many times, never from https to http.
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
        reason: "\(url.server) redirects to a place that cannot be used: \(error.reason)")
    }
    guard next.scheme != .file else {
      throw Failure(
        .final, code: "redirect.refused", reason: "\(url.server) redirects to a local file")
    }
    guard url.scheme == .http || next.scheme == .https else {
      throw Failure(
        .final, code: "redirect.insecure",
        reason: "\(url.server) redirects from https to http, at \(next.server)")
    }
    url = next
    rest()
  }

  /// Asks the first place for the whole.
  func startOver() {
    isStartedOver = true
    redirects = 0
    url = job.url
    rest()
  }

  /// Between two requests.
  private func rest() {
    if let handle { spent += .microseconds(handle.size(CURLINFO_TOTAL_TIME_T)) }
    handle = nil
    answer = AnswerAccount()
  }
}

extension EasyHandle {
  /// What libcurl is told once, for all requests of a handle.
  func settle(_ settings: TransferSettings) {
    unsafe dr_curl_calls(
      pointer, TransferCalls.body, TransferCalls.header, TransferCalls.dial, TransferCalls.before)
    set(CURLOPT_LOW_SPEED_LIMIT, Int(settings.slowestRate))
    // Whole seconds: rounded up, so that no time is none.
    set(CURLOPT_LOW_SPEED_TIME, (Int(clamping: settings.slowestTime.milliseconds) + 999) / 1000)
    set(CURLOPT_NOSIGNAL, 1)
    // A look-up that hangs must not hold the loop when its transfer is given up.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_NETRC, 0)
    set(CURLOPT_PROXY, "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_BUFFERSIZE, 32768)
    set(CURLOPT_USERAGENT, settings.userAgent)
    if let authorities = settings.authorities { set(CURLOPT_CAINFO, authorities) }
    if !settings.addresses.isEmpty { set(CURLOPT_RESOLVE, lines: settings.addresses) }
  }
}
