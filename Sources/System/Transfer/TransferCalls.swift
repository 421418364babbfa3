// SPDX-License-Identifier: Apache-2.0
// libcurl's C callbacks, passed on to their transfer. All run inside a call to libcurl (`MultiHandle.work`,
// `EasyHandle.goOn`), on the loop's thread, while the engine retains the transfer.

import CCurl
import Vocabulary

enum TransferCalls {
  static let body: dr_curl_bytes = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let transfer = unsafe transfer(context) else { return 0 }
    let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch unsafe transfer.takeBody(Array(raw)) {
    case .taken: return size * count
    case .later: return paused
    case .refused: return failed
    }
  }

  static let header: dr_curl_bytes = { _, size, count, context in
    guard let transfer = unsafe transfer(context) else { return failed }
    return transfer.takeHeader(size * count) ? size * count : failed
  }

  static let dial: dr_curl_dial = { context, _, target in
    guard let target = unsafe target, let transfer = unsafe transfer(context) else {
      return CURL_SOCKET_BAD
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe dr_curl_address(target, &bytes)
    guard let address = NetworkAddress(bytes: bytes.prefix(Int(count))) else {
      return CURL_SOCKET_BAD
    }
    let kind = unsafe target.pointee
    let socket = transfer.dial(
      address, family: kind.family, type: kind.socktype, protocol: kind.`protocol`)
    return socket ?? CURL_SOCKET_BAD
  }

  /// libcurl has no address for the name.
  static let lookup: dr_curl_lookup_start = { _, _, context in
    unsafe transfer(context)?.handle?.beginLookup()
    return 0
  }

  static let before: dr_curl_before = { context, remote, _, _, _ in
    guard let remote = unsafe remote, let transfer = unsafe transfer(context),
      transfer.mayAsk(unsafe String(cString: remote))
    else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
  }

  /// libcurl keeps the bytes and offers them again after `curl_easy_pause`.
  private static let paused = Int(CURL_WRITEFUNC_PAUSE)
  /// Never the size of the offered bytes, which would mean success.
  private static let failed = Int.max

  static func transfer(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
  }
}
