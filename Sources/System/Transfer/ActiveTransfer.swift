// SPDX-License-Identifier: Apache-2.0
// One request from its start to its end: counts what comes, writes it down, judges every address
// dialled. Belongs to the loop's thread; libcurl calls it from in there.

import CCurl
import Linux
import Vocabulary

final class ActiveTransfer {
  let job: TransferJob
  private(set) var url: PhotoURL
  private(set) var handle: EasyHandle?
  private var settings = TransferSettings()
  private var received: UInt64 = 0
  private var discarded = 0
  private var headerBytes = 0
  private var redirects = 0
  private var spent = Duration.zero
  private var dialled = 0
  private var refusal: AddressRefusal?
  private var problem: Failure?
  /// No socket could be made; counts only if no other address worked.
  private var shortage: Failure?
  private var isJudged = false

  /// The most of an answer's body that is read only to keep its connection.
  private static let discardLimit = 65536

  init(_ job: TransferJob) {
    self.job = job
    url = job.url
  }

  /// Everything libcurl is told, once for each place a redirect leads to.
  func prepare(_ settings: TransferSettings) throws(Failure) -> EasyHandle {
    guard let handle = EasyHandle() else { throw resources }
    self.settings = settings
    self.handle = handle
    limitTime(handle)
    limitReach(handle)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe dr_curl_calls(
      handle.pointer, TransferCalls.body, TransferCalls.header, TransferCalls.dial,
      TransferCalls.before, context)
    guard handle.trouble == CURLE_OK else { throw resources }
    return handle
  }

  private var resources: Failure {
    Failure(
      .machine, code: "transfer.resources", reason: "this machine cannot open another transfer")
  }

  private func limitTime(_ handle: EasyHandle) {
    let left = max(.milliseconds(1), job.request.timeout - spent)
    handle.set(CURLOPT_TIMEOUT_MS, Int(clamping: left.milliseconds))
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: job.request.connectTimeout.milliseconds))
    handle.set(CURLOPT_LOW_SPEED_LIMIT, Int(settings.slowestRate))
    handle.set(CURLOPT_LOW_SPEED_TIME, Int(settings.slowestTime.components.seconds))
    handle.set(CURLOPT_NOSIGNAL, 1)
    // A look-up that hangs must not hold the loop when its transfer is given up.
    handle.set(CURLOPT_QUICK_EXIT, 1)
  }

  private func limitReach(_ handle: EasyHandle) {
    handle.set(CURLOPT_URL, url.text)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    handle.set(CURLOPT_NETRC, 0)
    handle.set(CURLOPT_PROXY, "")
    handle.set(CURLOPT_SSL_VERIFYPEER, 1)
    handle.set(CURLOPT_SSL_VERIFYHOST, 2)
    handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    handle.set(CURLOPT_HTTP09_ALLOWED, 0)
    // With TLS, rather wait to share an HTTP/2 connection than open the next.
    handle.set(CURLOPT_PIPEWAIT, url.scheme == .https ? 1 : 0)
    handle.set(CURLOPT_BUFFERSIZE, 32768)
    handle.set(CURLOPT_USERAGENT, settings.userAgent)
    handle.set(CURLOPT_MAXFILESIZE_LARGE, size: Int64(clamping: job.request.maximumSize))
    if let authorities = settings.authorities { handle.set(CURLOPT_CAINFO, authorities) }
  }

  /// How it ended, from libcurl's facts and our own.
  func ending(_ result: CURLcode) -> TransferEnding {
    var ending = TransferEnding(url: url, result: result)
    ending.received = received
    ending.problem = problem ?? refused(result)
    guard let handle else { return ending }
    let time = Duration.microseconds(handle.size(CURLINFO_TOTAL_TIME_T))
    // libcurl rounds: what ended a moment early ended by this limit too.
    ending.isLate = spent + time + .milliseconds(100) >= job.request.timeout
    ending.status = handle.number(CURLINFO_RESPONSE_CODE)
    let length = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    ending.announced = length >= 0 ? UInt64(length) : nil
    ending.contentType = Printable.text(handle.text(CURLINFO_CONTENT_TYPE) ?? "", limit: 100)
    ending.location = handle.text(CURLINFO_REDIRECT_URL)
    ending.retryAfter = UInt64(clamping: handle.size(CURLINFO_RETRY_AFTER))
    ending.systemError = Int32(clamping: handle.number(CURLINFO_OS_ERRNO))
    ending.isConnected = handle.size(CURLINFO_PRETRANSFER_TIME_T) > 0
    if result == CURLE_FILESIZE_EXCEEDED, ending.status < 300 { ending.problem = tooBig }
    return ending
  }

  /// Only where every address was refused: one that was dialled and did not answer may answer
  /// later.
  private func refused(_ result: CURLcode) -> Failure? {
    guard result == CURLE_COULDNT_CONNECT else { return nil }
    if let shortage { return shortage }
    return dialled == 0 ? refusal?.failure(server: url.server) : nil
  }

  private var tooBig: Failure {
    TransferEnding.tooBig(url.server, limit: job.request.maximumSize)
  }

  /// Goes on elsewhere, if the rules let it: at most so many times, never from https to http.
  func redirect(to place: String) throws(Failure) {
    redirects += 1
    guard redirects <= settings.redirects else {
      throw Failure(
        .final, code: "redirect.limit",
        reason: "\(job.url.server) redirects more than \(settings.redirects) times")
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
    if let handle { spent += .microseconds(handle.size(CURLINFO_TOTAL_TIME_T)) }
    url = next
    (handle, received, discarded, headerBytes) = (nil, 0, 0, 0)
    (dialled, refusal, shortage, problem, isJudged) = (0, nil, nil, nil, false)
  }
}

// What libcurl calls. A false answer ends the transfer.
extension ActiveTransfer {
  func takeHeader(_ count: Int) -> Bool {
    headerBytes += count
    if headerBytes <= settings.headerBytes { return true }
    problem = TransferEnding.headerFlood(url.server)
    return false
  }

  func takeBody(_ bytes: [UInt8]) -> Bool {
    guard let handle else { return false }
    guard handle.number(CURLINFO_RESPONSE_CODE) < 300 else {
      discarded += bytes.count
      return discarded <= Self.discardLimit
    }
    do throws(Failure) {
      try judgeAnswer(handle)
      guard received + UInt64(bytes.count) <= job.request.maximumSize else { throw tooBig }
      do throws(SystemError) { try job.file.write(bytes, at: received) } catch {
        throw error.machineFailure
      }
      received += UInt64(bytes.count)
      return true
    } catch {
      problem = error
      return false
    }
  }

  /// Once, before the first byte is written.
  private func judgeAnswer(_ handle: EasyHandle) throws(Failure) {
    if isJudged { return }
    isJudged = true
    let encoding = handle.header("Content-Encoding") ?? "identity"
    guard encoding.isEmpty || encoding.lowercased() == "identity" else {
      throw TransferEnding.encoded(url.server, encoding)
    }
  }

  /// A socket for this address, or none.
  func dial(_ address: NetworkAddress, family: Int32, type: Int32, protocol number: Int32) -> Int32?
  {
    if let refusal = settings.rules.refusal(of: address) {
      self.refusal = self.refusal ?? refusal
      return nil
    }
    do throws(SystemError) {
      let server = url.server
      let socket = try DialSocket.open(
        family: family, type: type, protocol: number, thing: "to \(server)")
      dialled += 1
      return socket.release()
    } catch {
      // A kernel without IPv6 is no trouble: the next address is tried.
      if error.isMachineTrouble { shortage = error.failure }
      return nil
    }
  }

  /// Before the request goes out, on new and kept connections: the rules may have changed
  /// meanwhile.
  func mayAsk(_ remote: String) -> Bool {
    guard let address = NetworkAddress(remote) else { return false }
    guard let refusal = settings.rules.refusal(of: address) else { return true }
    problem = refusal.failure(server: url.server)
    return false
  }
}
