// SPDX-License-Identifier: Apache-2.0
// libcurl's calls while an answer arrives: they count it, check it before its first byte goes to the sink,
// and pass it on.

import CCurl
import Linux
import Synchronization
import Vocabulary

extension ActiveTransfer {
  enum Intake {
    case taken
    /// The sink has no room, or other transfers go first: libcurl offers the same bytes again, perhaps with others behind
    /// them.
    case later
    /// Ends the request.
    case refused
  }

  /// The bytes of an unwanted body that are read at most, to keep its connection.
  private static let discardLimit = 65536

  func takeHeader(_ count: Int) -> Bool {
    answer.headerBytes += count
    // The proxy's answer to CONNECT, which has a separate limit in libcurl, is not the host's.
    if isProxied, url.scheme == .https, handle?.size(CURLINFO_PRETRANSFER_TIME_T) == 0 {
      answer.headerBytes = 0
    }
    if answer.headerBytes <= terms.settings.headerBytes { return true }
    answer.problem = TransferEnding.headerFlood(url.server)
    return false
  }

  func takeBody(_ bytes: [UInt8]) -> Intake {
    guard let handle else { return .refused }
    guard body.admit(bytes.count, in: terms.turns.current) else {
      job.goOn()
      return .later
    }
    let status = handle.number(CURLINFO_RESPONSE_CODE)
    guard status < 300, answer.asked != .message else {
      answer.discarded += bytes.count
      return answer.discarded <= Self.discardLimit ? .taken : .refused
    }
    do throws(Failure) {
      guard try judge(handle, status) else { return .refused }
      if try take(bytes) { return .taken }
      beginPause()
      return .later
    } catch {
      answer.problem = error
      return .refused
    }
  }

  /// Passes the bytes to the sink, unpacked if they are coded. False if the sink has no room.
  private func take(_ bytes: [UInt8]) throws(Failure) -> Bool {
    guard let packing = answer.coding.packing, let first = bytes.first else {
      return try pass(bytes)
    }
    if body.unpacker == nil { body.unpacker = BodyUnpacker(packing, first: first) }
    guard let unpacker = body.unpacker else { throw TransferEnding.resources }
    while let piece = unpacker.piece(of: bytes) {
      if piece.isEmpty {
        answer.packed += UInt64(bytes.count)
        guard answer.packed <= mostPacked else { throw tooBig }
        return true
      }
      guard try pass(piece) else { return false }
      unpacker.take()
    }
    throw TransferEnding.undecodable(url.server, answer.coding)
  }

  /// A coding adds little to bytes that it cannot shorten. Some of its own parts, such as a name, have no end.
  private var mostPacked: UInt64 { min(job.request.maximumSize, 1 << 56) / 64 * 65 + 65536 }

  private func pass(_ bytes: [UInt8]) throws(Failure) -> Bool {
    let end = answer.end + UInt64(bytes.count)
    guard end <= job.request.maximumSize else { throw tooBig }
    guard try job.sink.take(bytes, goOn: job.goOn) else { return false }
    answer.received += UInt64(bytes.count)
    job.gauge.withLock { $0.add(bytes.count, now: .now) }
    return true
  }

  /// Judges an answer without a body, for which `takeBody` was not called.
  func judgeEmpty(_ handle: EasyHandle) {
    let status = handle.number(CURLINFO_RESPONSE_CODE)
    guard status < 300, answer.problem == nil else { return }
    do throws(Failure) { _ = try judge(handle, status) } catch { answer.problem = error }
  }

  /// Judges each answer once, before its first byte goes to the sink. False if the answer does not continue
  /// the bytes in the sink.
  private func judge(_ handle: EasyHandle, _ status: Int) throws(Failure) -> Bool {
    if answer.isJudged { return true }
    answer.isJudged = true
    answer.coding = ContentCoding(handle.headers("Content-Encoding"))
    // No request asks for one, and libcurl's versions differ in whether they decode it.
    let framing = ContentCoding(handle.headers("Transfer-Encoding"))
    if framing.isReal { throw TransferEnding.encoded(url.server, framing) }
    if status == 206 {
      guard case .part(let length) = answer.asked else {
        throw TransferEnding.unasked(url.server)
      }
      answer.entity = entity(handle)
      guard !answer.coding.isReal, let total = rest(handle, from: length) else {
        answer.isWrongPart = true
        return false
      }
      answer.entity.total = total
      answer.base = length
    } else if answer.coding.isReal {
      guard answer.coding.packing != nil else {
        throw TransferEnding.encoded(url.server, answer.coding)
      }
      // Size and validators belong to the coded bytes: such a body is neither resumed nor cached.
      answer.entity = EntityFacts(place: url.text)
    } else {
      answer.entity = entity(handle)
    }
    if let total = answer.entity.total, total > job.request.maximumSize { throw tooBig }
    let gauge = TransferGauge(url, at: answer.base, of: answer.entity, now: .now)
    job.gauge.withLock { $0 = gauge }
    job.sink.begin(answer.entity, at: answer.base)
    return true
  }

  /// The size of the whole, if the answer is a single part of the same entity that begins where the
  /// sink's bytes end.
  private func rest(_ handle: EasyHandle, from length: UInt64) -> UInt64? {
    guard case .rest(let known, _) = job.request.scope,
      handle.text(CURLINFO_CONTENT_TYPE)?.lowercased().hasPrefix("multipart/") != true,
      let range = handle.header("Content-Range").flatMap(ContentRange.init),
      let part = range.part, let total = range.total,
      part.lowerBound == length, known.total == nil || known.total == total
    else { return nil }
    let size = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    guard size < 0 || UInt64(size) == part.upperBound - part.lowerBound + 1 else { return nil }
    // An answer to If-Range must repeat the tag, but need not repeat the date (RFC 9110, 15.3.7).
    guard answer.entity.etag == known.etag else { return nil }
    let date = answer.entity.lastModified
    return date.isEmpty || date == known.lastModified ? total : nil
  }

  /// The origin's facts about the entity.
  private func entity(_ handle: EasyHandle) -> EntityFacts {
    let length = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
    let total = length >= 0 ? UInt64(length) : nil
    let (tag, modified) = (handle.header("ETag") ?? "", handle.header("Last-Modified") ?? "")
    // An entity without tag and date cannot be recognised later, so `mayBeKept` does not matter.
    if tag.isEmpty, modified.isEmpty { return EntityFacts(total: total, place: url.text) }
    let control = handle.headers("Cache-Control")
    return EntityFacts(
      etag: tag, lastModified: modified,
      isDateStrong: HTTPDate.isStrong(modified, sent: handle.header("Date") ?? ""),
      total: total, place: url.text,
      mayBeKept: !control.contains { $0.lowercased().contains("no-store") })
  }

  /// A socket for this address; nil if the rules refuse the address or no socket can be made.
  func dial(_ address: NetworkAddress, family: Int32, type: Int32, protocol number: Int32) -> Int32?
  {
    // The administrator named the proxy.
    if !isProxied, let refusal = terms.settings.rules.refusal(of: address, isOwn: DialSocket.isOwn)
    {
      answer.refusal = answer.refusal ?? refusal
      return nil
    }
    do throws(SystemError) {
      let server = url.server
      let socket = try DialSocket.open(
        family: family, type: type, protocol: number, thing: "to \(server)")
      answer.dialled += 1
      return socket.release()
    } catch {
      // On a kernel without IPv6, libcurl tries the next address.
      if error.isMachineTrouble { answer.shortage = error.failure }
      return nil
    }
  }

  /// Called before a request is sent, on new and on kept connections: the rules may have changed since the
  /// connection was made.
  func mayAsk(_ remote: String) -> Bool {
    if isProxied { return true }
    if let handle, handle.admitted == remote { return true }
    guard let address = NetworkAddress(remote) else { return false }
    guard let refusal = terms.settings.rules.refusal(of: address, isOwn: DialSocket.isOwn) else {
      handle?.admitted = remote
      return true
    }
    answer.refusal = refusal
    answer.problem = refusal.failure(server: url.server)
    return false
  }
}
