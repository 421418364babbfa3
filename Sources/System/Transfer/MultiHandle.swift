// SPDX-License-Identifier: Apache-2.0
// libcurl's multi handle: many transfers and the connections they share. Belongs to the loop's
// thread.

import CCurl
import Linux

/// Safe: the pointer lives as long as the object, and nobody else frees it.
@safe final class MultiHandle {
  private let pointer: UnsafeMutableRawPointer

  /// Nil when this machine has no descriptors or memory left for it.
  init?() {
    guard let pointer = unsafe curl_multi_init() else { return nil }
    unsafe self.pointer = unsafe pointer
  }

  /// Closes every connection kept. No transfer may be inside.
  deinit { unsafe _ = curl_multi_cleanup(pointer) }

  func limit(_ settings: TransferSettings) {
    unsafe _ = dr_multi_number(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, settings.connections)
    unsafe _ = dr_multi_number(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
    unsafe _ = dr_multi_number(pointer, CURLMOPT_MAXCONNECTS, settings.connections)
  }

  func add(_ handle: EasyHandle) -> Bool {
    unsafe curl_multi_add_handle(pointer, handle.pointer) == CURLM_OK
  }

  func remove(_ handle: EasyHandle) { unsafe _ = curl_multi_remove_handle(pointer, handle.pointer) }

  /// Does what can be done without waiting; libcurl calls back from in here.
  func work() {
    var running: Int32 = 0
    unsafe _ = curl_multi_perform(pointer, &running)
  }

  /// While its handle is inside, a transfer is held by the engine.
  func nextDone() -> (transfer: ActiveTransfer, result: CURLcode)? {
    var result = CURLE_OK
    guard let transfer = unsafe TransferCalls.transfer(dr_multi_done(pointer, &result)) else {
      return nil
    }
    return (transfer, result)
  }

  /// Waits for the network, for libcurl's own times, or for `wake`: whether it was that, and whether there
  /// is work. Nil where it could not wait.
  func wait(_ wake: WakeEvent) -> (isRung: Bool, isDue: Bool)? {
    var isRung: Int32 = 0
    var isDue: Int32 = 0
    let result = unsafe dr_multi_wait(pointer, wake.descriptor, 86_400_000, &isRung, &isDue)
    return result == CURLM_OK ? (isRung != 0, isDue != 0) : nil
  }
}
