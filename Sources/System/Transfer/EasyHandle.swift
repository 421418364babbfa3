// SPDX-License-Identifier: Apache-2.0
// One libcurl handle: options in, facts out. Belongs to one thread at a time.

import CCurl
import Vocabulary

/// Safe: the pointer lives as long as the object, and only the object frees it.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The first error of an option; CURLE_OK if libcurl accepted every option.
  private(set) var trouble = CURLE_OK
  /// The last address that the rules allowed: one connection serves many requests.
  var admitted: String?
  /// The terms of the last request.
  private var terms: Terms?
  /// The last request was a message.
  private var hasPosted = false
  /// libcurl began to look up a name for the current request, and has not reported that it failed.
  private var hasLookup = false
  /// libcurl keeps no copy of the lists.
  private var lists: [(option: CURLoption, lines: [String], list: LineList)] = []

  /// The URL in parts: parsed for each new origin, else only path and query change. libcurl uses the parts
  /// as they are, and need not parse and rebuild each URL.
  private let place: OpaquePointer
  private var origin: PhotoURL.Origin?
  private let errorText: UnsafeMutablePointer<CChar>

  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    guard let place = unsafe curl_url() else {
      unsafe curl_easy_cleanup(pointer)
      return nil
    }
    unsafe self.pointer = unsafe pointer
    unsafe self.place = unsafe place
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    settle()
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_url_cleanup(place)
    unsafe errorText.deallocate()
  }

  /// Forgets all options; its connections stay.
  func reset() {
    unsafe curl_easy_reset(pointer)
    unsafe errorText.pointee = 0
    (trouble, terms, hasPosted) = (CURLE_OK, nil, false)
    lists = []
    settle()
  }

  /// Each use of a handle needs these options.
  private func settle() {
    unsafe dr_curl_words(pointer, errorText)
    note(unsafe dr_curl_tls(pointer))
  }

  // MARK: lookups

  func beginLookup() { hasLookup = true }

  /// The request ended with this result. libcurl reports no time for a lookup without an address.
  func endLookup(_ result: CURLcode) {
    if [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY].contains(result) {
      hasLookup = false
    }
  }

  /// The thread that looks up the name outlives the request if that ends now.
  var isLookingUp: Bool { hasLookup && size(CURLINFO_NAMELOOKUP_TIME_T) == 0 }

  /// Blocks the thread until the request is over.
  func perform() -> CURLcode { unsafe curl_easy_perform(pointer) }

  /// libcurl's words about a failed request; may quote the origin.
  var words: String { unsafe String(cString: errorText) }

  /// Sets the text always, and after the parts: newer versions of libcurl drop it when they get the parts,
  /// this one would keep the previous text. libcurl reads the text if there are no parts.
  func ask(for url: PhotoURL) {
    unsafe errorText.pointee = 0
    hasLookup = false
    let result = put(url)
    if result == CURLUE_OUT_OF_MEMORY { note(CURLE_OUT_OF_MEMORY) }
    note(unsafe dr_curl_place(pointer, result == CURLUE_OK ? place : nil))
    set(CURLOPT_URL, url.text)
  }

  private func put(_ url: PhotoURL) -> CURLUcode {
    let (path, query) = (url.path, url.query)
    if url.origin == origin, Self.isPlain(path), Self.isPlain(query ?? "") {
      let result = put(CURLUPART_PATH, path)
      return result == CURLUE_OK ? put(CURLUPART_QUERY, query) : result
    }
    let result = put(CURLUPART_URL, url.text)
    origin = result == CURLUE_OK ? url.origin : nil
    return result
  }

  private func put(_ part: CURLUPart, _ text: String?) -> CURLUcode {
    guard let text else { return unsafe curl_url_set(place, part, nil, 0) }
    return unsafe text.withCString { text in
      unsafe curl_url_set(place, part, text, UInt32(CURLU_DISALLOW_USER))
    }
  }

  /// True if setting the part gives the same URL as parsing the whole text: parsing removes `.` and `..`,
  /// and setting a part changes `%2F` to lower case.
  private static func isPlain(_ part: String) -> Bool {
    var last: UInt8 = 0
    for byte in part.utf8 {
      if byte == UInt8(ascii: "%") { return false }
      if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return false }
      last = byte
    }
    return true
  }

  func set(_ option: CURLoption, _ value: Int) {
    note(unsafe dr_curl_number(pointer, option, value))
  }

  func set(_ option: CURLoption, size: Int64) {
    note(unsafe dr_curl_size(pointer, option, size))
  }

  /// libcurl copies the text.
  func set(_ option: CURLoption, _ text: String) {
    note(unsafe text.withCString { unsafe dr_curl_text(pointer, option, $0) })
  }

  /// libcurl copies the bytes.
  func set(_ option: CURLoption, bytes: [UInt8]) {
    note(
      unsafe bytes.withUnsafeBytes {
        unsafe dr_curl_blob(pointer, option, $0.baseAddress, $0.count)
      })
  }

  /// The options besides the URL; mostly the same as for the previous request.
  struct Terms: Equatable {
    /// Milliseconds.
    var time: Int
    var connectTime: Int
    /// Seconds.
    var slowTime: Int
    let isSecure: Bool
    /// Empty for none.
    let proxy: String
  }

  func tell(_ new: Terms) {
    if new == terms { return }
    terms = new
    set(CURLOPT_TIMEOUT_MS, new.time)
    set(CURLOPT_CONNECTTIMEOUT_MS, new.connectTime)
    set(CURLOPT_LOW_SPEED_TIME, new.slowTime)
    // With TLS, wait to share an HTTP/2 connection instead of opening another.
    set(CURLOPT_PIPEWAIT, new.isSecure ? 1 : 0)
    set(CURLOPT_PROXY, new.proxy)
    note(unsafe dr_curl_tls_through(pointer, new.proxy.hasPrefix("https:") ? pointer : nil))
  }

  /// Posts the message; nil asks for an entity.
  func post(_ message: String?) {
    // libcurl copies the text, and sets the method.
    if let message {
      set(CURLOPT_COPYPOSTFIELDS, message)
    } else if hasPosted {
      set(CURLOPT_HTTPGET, 1)
    }
    hasPosted = message != nil
  }

  /// The current request's time limit in milliseconds; 0 removes it.
  func limit(time: Int) {
    terms?.time = time
    set(CURLOPT_TIMEOUT_MS, time)
  }

  /// The current request's limits of the time to connect, in milliseconds more, and of the time without bytes, in
  /// seconds.
  func limit(connectMore: Int, slowTime: Int) {
    guard var terms else { return }
    (terms.connectTime, terms.slowTime) = (terms.connectTime + connectMore, slowTime)
    self.terms = terms
    set(CURLOPT_CONNECTTIMEOUT_MS, terms.connectTime)
    set(CURLOPT_LOW_SPEED_TIME, slowTime)
  }

  /// libcurl offers the refused bytes again, inside this call. Never call it from a libcurl callback.
  func goOn() -> CURLcode { unsafe curl_easy_pause(pointer, CURLPAUSE_CONT) }

  func set(_ option: CURLoption, lines: [String]) {
    let place = lists.firstIndex { $0.option == option }
    if let place, lists[place].lines == lines { return }
    let list = LineList()
    for line in lines where !list.append(line) { note(CURLE_OUT_OF_MEMORY) }
    note(unsafe dr_curl_list(pointer, option, list.first))
    // The old list may be freed only after libcurl has the new one.
    if let place { lists.remove(at: place) }
    lists.append((option, lines, list))
  }

  /// Sets the certificates to trust: a file instead of the system's certificates, and further certificates in PEM.
  func trust(_ file: String?, _ own: [UInt8]) {
    if let file { set(CURLOPT_CAINFO, file) }
    if own.isEmpty { return }
    // In place of the file of all authorities; this folder also has the authorities of the system.
    for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { set(option, "/etc/ssl/certs") }
    for option in [CURLOPT_CAINFO_BLOB, CURLOPT_PROXY_CAINFO_BLOB] { set(option, bytes: own) }
  }

  func number(_ info: CURLINFO) -> Int { unsafe dr_curl_info_number(pointer, info) }
  func size(_ info: CURLINFO) -> Int64 { unsafe dr_curl_info_size(pointer, info) }

  /// Nil as well for a text that no honest server writes.
  func text(_ info: CURLINFO) -> String? {
    unsafe HeaderText.read(dr_curl_info_text(pointer, info), most: .max)
  }

  /// Nil as well for a value that no honest server writes.
  func header(_ name: String) -> String? { unsafe HeaderText.read(dr_curl_header(pointer, name)) }

  /// The values of the headers of that name in the last answer, in order.
  func headers(_ name: String) -> [String] {
    unsafe HeaderText.lines { unsafe dr_curl_header_at(pointer, name, $0) }
  }

  /// The same of the proxy's answer to CONNECT, which no host can write.
  func proxyHeaders(_ name: String) -> [String] {
    unsafe HeaderText.lines { unsafe dr_curl_proxy_header_at(pointer, name, $0) }
  }

  private func note(_ result: CURLcode) { if trouble == CURLE_OK { trouble = result } }
}

/// Safe: the lines live as long as the object, and only the object frees them.
@safe private final class LineList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  deinit { unsafe curl_slist_free_all(first) }

  func append(_ line: String) -> Bool {
    guard let longer = unsafe curl_slist_append(first, line) else { return false }
    unsafe first = unsafe longer
    return true
  }
}
