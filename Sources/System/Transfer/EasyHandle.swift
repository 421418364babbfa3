// SPDX-License-Identifier: Apache-2.0
// One libcurl handle: options in, facts out. Belongs to the loop's thread.

import CCurl

/// Safe: the pointer lives as long as the object, and nobody else frees it.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The first thing libcurl did not take; CURLE_OK as long as it took everything.
  private(set) var trouble = CURLE_OK
  /// The address that its rules let through last: one connection serves many requests.
  var admitted: String?
  /// libcurl keeps no copy of these.
  private var lists: [(option: CURLoption, lines: [String], list: LineList)] = []

  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe curl_easy_cleanup(pointer) }

  func set(_ option: CURLoption, _ value: Int) {
    note(unsafe dr_curl_number(pointer, option, value))
  }

  func set(_ option: CURLoption, size: Int64) {
    note(unsafe dr_curl_size(pointer, option, size))
  }

  /// libcurl keeps a copy of its own.
  func set(_ option: CURLoption, _ text: String) {
    note(unsafe dr_curl_text(pointer, option, text))
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
