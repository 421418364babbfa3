// SPDX-License-Identifier: Apache-2.0
// One request to a store while it runs: the bytes that libcurl asks for, and those that arrive. Ends early if the task
// is cancelled. Belongs to the thread of its line.

import CCurl
import Vocabulary

final class StoreExchange {
  /// The listing of a thousand keys is below this, and so is every report of an error.
  private static let longestMessage = 4 << 20

  private let source: (file: any OpenFile, size: UInt64)?
  private let target: (file: any OpenFile, offset: UInt64, limit: UInt64)?
  private unowned let handle: EasyHandle
  private var sent: UInt64 = 0
  private(set) var received: UInt64 = 0
  /// The body of any other answer.
  private(set) var message: [UInt8] = []
  /// This machine's, or of the answer; libcurl was told to end the request.
  private(set) var trouble: Failure?

  init(_ request: StoreRequest, on handle: EasyHandle) {
    (source, target, self.handle) = (request.source, request.target, handle)
  }

  /// Nil ends the request.
  fileprivate func give(_ room: Int) -> [UInt8]? {
    guard let source else { return [] }
    let count = Int(min(UInt64(room), source.size - sent))
    if count == 0 { return [] }
    do throws(SystemError) {
      let bytes = try source.file.read(at: sent, upTo: count)
      if bytes.isEmpty {
        throw SystemError(.inputOutput, call: "read", thing: "a file that is shorter than it was")
      }
      sent += UInt64(bytes.count)
      return bytes
    } catch {
      trouble = error.machineFailure
      return nil
    }
  }

  fileprivate func rewind(to offset: UInt64) { sent = offset }

  fileprivate func take(_ bytes: [UInt8]) -> Bool {
    let status = handle.number(CURLINFO_RESPONSE_CODE)
    guard let target, status == 200 || status == 206 else {
      message += bytes
      return message.count <= Self.longestMessage
    }
    let end = target.offset + received + UInt64(bytes.count)
    guard end <= target.limit else {
      trouble = StoreTrouble.tooLong(target.limit)
      return false
    }
    do throws(SystemError) {
      try target.file.write(bytes, at: target.offset + received)
      received += UInt64(bytes.count)
      return true
    } catch {
      trouble = error.machineFailure
      return false
    }
  }

  fileprivate func goesOn() -> Bool {
    if Task.isCancelled { trouble = .cancelled }
    return trouble == nil
  }
}

/// libcurl's C callbacks. All run inside `EasyHandle.perform`, whose caller keeps the exchange.
enum StoreCalls {
  static func settle(_ exchange: StoreExchange, on handle: EasyHandle) {
    unsafe dr_curl_exchange(
      handle.pointer, body, source, seek, watch, Unmanaged.passUnretained(exchange).toOpaque())
  }

  private static let body: dr_curl_bytes = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let exchange = unsafe exchange(context) else { return 0 }
    let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Never the size of the offered bytes, which would mean success.
    return unsafe exchange.take(Array(raw)) ? size * count : Int.max
  }

  private static let source: dr_curl_bytes = { room, size, count, context in
    guard let room = unsafe room, let exchange = unsafe exchange(context),
      let bytes = exchange.give(size * count)
    else { return Int(CURL_READFUNC_ABORT) }
    unsafe UnsafeMutableRawPointer(room).copyMemory(from: bytes, byteCount: bytes.count)
    return bytes.count
  }

  /// libcurl sends the bytes again on another connection, if a kept one was closed.
  private static let seek: dr_curl_seek = { context, offset, _ in
    guard offset >= 0, let exchange = unsafe exchange(context) else { return CURL_SEEKFUNC_FAIL }
    exchange.rewind(to: UInt64(offset))
    return CURL_SEEKFUNC_OK
  }

  private static let watch: dr_curl_watch = { context, _, _, _, _ in
    unsafe exchange(context)?.goesOn() == true ? 0 : 1
  }

  private static func exchange(_ context: UnsafeMutableRawPointer?) -> StoreExchange? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<StoreExchange>.fromOpaque(context).takeUnretainedValue()
  }
}
