// SPDX-License-Identifier: Apache-2.0
// A libcurl handle for requests to a store, with its kept connection. libcurl signs the requests (AWS Signature
// Version 4). A request blocks its thread, until its answer, an error, or the end of the task. Raises a `Failure`:
// `machine`, or `cancelled`.
// Concurrency model: one Mutex around the handle; a line has one request at a time.

import CCurl
import Digests
import Synchronization
import Vocabulary

struct StoreRequest: Sendable {
  enum Method: String, Sendable {
    case put = "PUT"
    case get = "GET"
    case head = "HEAD"
    case delete = "DELETE"
  }

  let method: Method
  let url: String
  /// `Name: value`.
  var headers: [String] = []
  /// SHA-256 of the body, in hex.
  var digest = StoreRequest.emptyDigest
  var source: (file: any OpenFile, size: UInt64)?
  /// Gets the bytes of an object, from that offset on.
  var target: (file: any OpenFile, offset: UInt64, limit: UInt64)?

  private static let emptyDigest = SHA256.digest(of: []).hex

  init(_ method: Method, _ url: String) { (self.method, self.url) = (method, url) }
}

struct StoreAnswer: Sendable {
  var status = 0
  var message: [UInt8] = []
  /// The bytes of an object that have arrived.
  var received: UInt64 = 0
  var length: UInt64?
  var etag = ""
  var range: ContentRange?
  /// The SHA-256 of the whole object, in base64.
  var sha256: String?
  var retryAfter: UInt32?
  var region: String?
  /// The reason why the answer is incomplete; nil if it is whole.
  var failure: Failure?

  /// True if the answer is the rest of the object from the offset on.
  func continues(at offset: UInt64, of total: UInt64?, _ etag: String) -> Bool {
    range?.part?.lowerBound == offset && range?.total == total && self.etag == etag
  }
}

final class StoreLine: Sendable {
  private static let connectTimeout = Duration.seconds(10)
  /// A request that moves no byte for this time fails.
  private static let silence = Duration.seconds(30)
  /// The longest time of a request in seconds, to which the time of its bytes at the slowest rate is added.
  private static let patience: UInt64 = 60
  private static let slowestRate: UInt64 = 64 << 10
  /// The size that is assumed for an object of unknown size.
  private static let longestUnknown: UInt64 = 1 << 30

  private let handle: Mutex<EasyHandle>

  /// Nil if this machine has no memory left.
  init?() {
    guard let handle = EasyHandle() else { return nil }
    self.handle = Mutex(handle)
  }

  func run(_ request: StoreRequest, _ settings: StoreSettings) -> StoreAnswer {
    handle.withLock { handle in Self.run(request, settings, on: handle) }
  }

  private static func run(
    _ request: StoreRequest, _ settings: StoreSettings, on handle: EasyHandle
  ) -> StoreAnswer {
    handle.reset()
    settle(request, settings, on: handle)
    let exchange = StoreExchange(request, on: handle)
    StoreCalls.settle(exchange, on: handle)
    guard handle.trouble == CURLE_OK else { return StoreAnswer(failure: TransferEnding.resources) }
    let result = withExtendedLifetime(exchange) { handle.perform() }
    var answer = StoreAnswer()
    answer.status = handle.number(CURLINFO_RESPONSE_CODE)
    (answer.message, answer.received) = (exchange.message, exchange.received)
    let length = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    answer.length = length >= 0 ? UInt64(length) : nil
    answer.etag = handle.header("ETag") ?? ""
    answer.range = handle.header("Content-Range").flatMap { ContentRange($0) }
    answer.sha256 = handle.header("x-amz-checksum-sha256")
    answer.region = handle.header("x-amz-bucket-region")
    answer.retryAfter = RetryAfter.seconds(
      handle.size(CURLINFO_RETRY_AFTER), handle.header("Retry-After"))
    if result != CURLE_OK {
      answer.failure =
        exchange.trouble ?? StoreTrouble.failure(result, handle, server: settings.place.server)
    }
    return answer
  }

  /// In milliseconds.
  private static func limit(of request: StoreRequest) -> Int {
    let bytes = request.source?.size ?? request.target.map { min($0.limit, longestUnknown) } ?? 0
    return Int(clamping: (patience + bytes / slowestRate) * 1000)
  }

  private static func settle(
    _ request: StoreRequest, _ settings: StoreSettings, on handle: EasyHandle
  ) {
    handle.set(CURLOPT_URL, request.url)
    handle.set(CURLOPT_PATH_AS_IS, 1)
    handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
    handle.set(CURLOPT_FOLLOWLOCATION, 0)
    handle.set(CURLOPT_NOSIGNAL, 1)
    handle.set(CURLOPT_QUICK_EXIT, 1)
    handle.set(CURLOPT_NETRC, 0)
    // Without these, libcurl reads http_proxy, no_proxy and the like from the environment.
    handle.set(CURLOPT_PROXY, "")
    handle.set(CURLOPT_NOPROXY, "")
    handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    handle.set(CURLOPT_HTTP09_ALLOWED, 0)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(connectTimeout.milliseconds))
    handle.set(CURLOPT_TIMEOUT_MS, limit(of: request))
    handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
    handle.set(CURLOPT_LOW_SPEED_TIME, Int(silence.milliseconds / 1000))
    handle.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    handle.set(CURLOPT_USERAGENT, settings.userAgent)
    handle.trust(nil, settings.ownAuthorities)
    handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(settings.region):s3")
    handle.set(CURLOPT_USERNAME, settings.login.user)
    handle.set(CURLOPT_PASSWORD, settings.login.password)
    switch request.method {
    case .get: handle.set(CURLOPT_HTTPGET, 1)
    case .head: handle.set(CURLOPT_NOBODY, 1)
    case .delete: handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    case .put:
      // With CURLOPT_UPLOAD, libcurl would send `Expect: 100-continue` before a short body as well: a round trip more.
      handle.set(CURLOPT_POST, 1)
      handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
      handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(clamping: request.source?.size ?? 0))
    }
    // libcurl signs all these headers; a header that it leaves out, as an empty one, would make the signature wrong.
    let digest = "x-amz-content-sha256: \(request.digest)"
    handle.set(CURLOPT_HTTPHEADER, lines: request.headers + [digest])
  }
}
