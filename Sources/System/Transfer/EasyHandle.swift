// SPDX-License-Identifier: Apache-2.0
// One libcurl handle: options in, facts out. Belongs to the loop's thread.

import CCurl
import Vocabulary

/// Safe: the pointer lives as long as the object, and nobody else frees it.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The first thing libcurl did not take; CURLE_OK as long as it took everything.
  private(set) var trouble = CURLE_OK
  /// The address that its rules let through last: one connection serves many requests.
  var admitted: String?
  /// What the last request was told.
  private var limits: Limits?
  /// libcurl keeps no copy of these.
  private var lists: [(option: CURLoption, lines: [String], list: LineList)] = []

  /// Of the request: made once for each origin, then only path and query change. libcurl takes it as it
  /// is, and has not to read each URL and put it together again.
  private let place: OpaquePointer
  private var origin: PhotoURL.Origin?

  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    guard let place = unsafe curl_url() else {
      unsafe curl_easy_cleanup(pointer)
      return nil
    }
    unsafe self.pointer = unsafe pointer
    unsafe self.place = unsafe place
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe curl_url_cleanup(place)
  }

  /// What is asked for. The text is what libcurl goes by when it has to ask a second time.
  func ask(for url: PhotoURL) {
    set(CURLOPT_URL, url.text)
    note(unsafe dr_curl_place(pointer, isPlaced(url) ? place : nil))
  }

  private func isPlaced(_ url: PhotoURL) -> Bool {
    let (path, query) = (url.path, url.query)
    if url.origin == origin, Self.isPlain(path), Self.isPlain(query ?? "") {
      return put(CURLUPART_PATH, path) && put(CURLUPART_QUERY, query)
    }
    origin = put(CURLUPART_URL, url.text) ? url.origin : nil
    return origin != nil
  }

  private func put(_ part: CURLUPart, _ text: String?) -> Bool {
    guard let text else { return unsafe curl_url_set(place, part, nil, 0) == CURLUE_OK }
    return unsafe text.withCString { text in
      unsafe curl_url_set(place, part, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK
    }
  }

  /// As a part it comes out as it would of the whole: there `.` and `..` would be gone, here the letters
  /// of `%2F` would be small.
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

  /// libcurl keeps a copy of its own.
  func set(_ option: CURLoption, _ text: String) {
    note(unsafe text.withCString { unsafe dr_curl_text(pointer, option, $0) })
  }

  /// What one request may take; mostly as much as the one before.
  struct Limits: Equatable {
    /// Milliseconds.
    let time: Int
    let connectTime: Int
    let size: Int64
    let isSecure: Bool
  }

  func tell(_ new: Limits) {
    if new == limits { return }
    limits = new
    set(CURLOPT_TIMEOUT_MS, new.time)
    set(CURLOPT_CONNECTTIMEOUT_MS, new.connectTime)
    set(CURLOPT_MAXFILESIZE_LARGE, size: new.size)
    // With TLS, rather wait to share an HTTP/2 connection than open the next.
    set(CURLOPT_PIPEWAIT, new.isSecure ? 1 : 0)
  }

  func set(_ option: CURLoption, lines: [String]) {
    let place = lists.firstIndex { $0.option == option }
    if let place, lists[place].lines == lines { return }
    let list = LineList()
    for line in lines where !list.append(line) { note(CURLE_OUT_OF_MEMORY) }
    note(unsafe dr_curl_list(pointer, option, list.first))
    // The old one goes only now that libcurl has the new one.
    if let place { lists.remove(at: place) }
    lists.append((option, lines, list))
  }

  func number(_ info: CURLINFO) -> Int { unsafe dr_curl_info_number(pointer, info) }
  func size(_ info: CURLINFO) -> Int64 { unsafe dr_curl_info_size(pointer, info) }

  func text(_ info: CURLINFO) -> String? {
    guard let text = unsafe dr_curl_info_text(pointer, info) else { return nil }
    return unsafe String(cString: text)
  }

  func header(_ name: String) -> String? {
    guard let text = unsafe dr_curl_header(pointer, name) else { return nil }
    return unsafe String(cString: text)
  }

  /// All lines of that name in the last answer, in their order.
  func headers(_ name: String) -> [String] {
    var lines: [String] = []
    while let text = unsafe dr_curl_header_at(pointer, name, lines.count) {
      lines.append(unsafe String(cString: text))
    }
    return lines
  }

  private func note(_ result: CURLcode) { if trouble == CURLE_OK { trouble = result } }
}

/// Safe: the lines live as long as the object, and nobody else frees them.
@safe private final class LineList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  deinit { unsafe curl_slist_free_all(first) }

  func append(_ line: String) -> Bool {
    guard let longer = unsafe curl_slist_append(first, line) else { return false }
    unsafe first = unsafe longer
    return true
  }
}
