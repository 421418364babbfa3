// SPDX-License-Identifier: Apache-2.0
// One libcurl handle: options in, facts out. Belongs to the loop's thread.

import CCurl

/// Safe: the pointer lives as long as the object, and nobody else frees it.
@safe final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The first thing libcurl did not take; CURLE_OK as long as it took everything.
  private(set) var trouble = CURLE_OK

  init?() {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = unsafe pointer
  }

  /// The same for one handle as long as it lives.
  var key: UInt { unsafe UInt(bitPattern: pointer) }

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

  private func note(_ result: CURLcode) { if trouble == CURLE_OK { trouble = result } }
}
