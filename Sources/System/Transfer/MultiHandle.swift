// SPDX-License-Identifier: Apache-2.0
// libcurl's multi handle: many transfers, and the connections that they share. Belongs to the loop's
// thread.

import CCurl
import Linux
import Vocabulary

/// Safe: the pointer lives as long as the object, and only the object frees it.
@safe final class MultiHandle {
  private let pointer: UnsafeMutableRawPointer

  /// Nil if this machine has no descriptors or memory left.
  init?() {
    guard let pointer = unsafe curl_multi_init() else { return nil }
    unsafe self.pointer = unsafe pointer
  }

  /// Closes every kept connection. No transfer may be inside.
  deinit { unsafe _ = curl_multi_cleanup(pointer) }

  func limit(_ settings: TransferSettings) {
    unsafe _ = dr_multi_number(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
    // To libcurl all hosts behind a proxy are one; `TransferQueue` limits the connections of each.
    let isProxied = settings.route.server != nil
    unsafe _ = dr_multi_number(
      pointer, CURLMOPT_MAX_HOST_CONNECTIONS,
      isProxied ? settings.connections : settings.connectionsPerHost)
    unsafe _ = dr_multi_number(pointer, CURLMOPT_MAXCONNECTS, settings.connections)
  }

  func add(_ handle: EasyHandle) -> Bool {
    unsafe curl_multi_add_handle(pointer, handle.pointer) == CURLM_OK
  }

  func remove(_ handle: EasyHandle) { unsafe _ = curl_multi_remove_handle(pointer, handle.pointer) }

  /// Does all work that needs no wait; libcurl's callbacks run inside this call.
  func work() {
    var running: Int32 = 0
    unsafe _ = curl_multi_perform(pointer, &running)
  }

  /// The next finished transfer. The engine retains a transfer while its handle is inside.
  func nextDone() -> (transfer: ActiveTransfer, result: CURLcode)? {
    var result = CURLE_OK
    guard let transfer = unsafe TransferCalls.transfer(dr_multi_done(pointer, &result)) else {
      return nil
    }
    return (transfer, result)
  }

  /// Waits for the network, for libcurl's timers, or for `wake`, for at most `limit`. Returns whether `wake`
  /// has rung and whether libcurl has work; nil if the wait failed.
  func wait(_ wake: Int32, for limit: Duration?) -> (isRung: Bool, isDue: Bool)? {
    var isRung: Int32 = 0
    var isDue: Int32 = 0
    let milliseconds = Int32(clamping: (limit ?? .seconds(86400)).milliseconds)
    let result = unsafe dr_multi_wait(pointer, wake, milliseconds, &isRung, &isDue)
    return result == CURLM_OK ? (isRung != 0, isDue != 0) : nil
  }
}
