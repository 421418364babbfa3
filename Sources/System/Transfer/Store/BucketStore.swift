// SPDX-License-Identifier: Apache-2.0
// A bucket of S3, or of a store that speaks like it, through libcurl. One PUT makes an object, on condition that the
// store has no object of that key. The request has a signed SHA-256 of the bytes, which the store checks. If the
// answer to a PUT is lost, libcurl may repeat the PUT unseen, so a key that is taken may hold the caller's own bytes.
// Raises a `Failure`, see `ObjectStore`.
// Concurrency model: one Mutex around the lines that have no request; calls from any number of threads.
//
// The walk: a print in a store. libcurl makes and signs the requests. Each request blocks a thread, so the daemon
// makes them in `onStore { }`, or in `onDisk { }` where a list is submitted, copied or removed, which is rare. In
// a store, `OpenList.WorkFolders.stored` has the prints, and `prints` has only the drafts, in STATE/drafts. A
// reply 412 means only that the key is taken: `PhotoStages.place` reads the object, which may be the caller's.

import Digests
import Files
import Linux
import Synchronization
package import Vocabulary

package final class BucketStore: ObjectStore {
  private let settings: StoreSettings
  private let spare = Mutex<[StoreLine]>([])

  /// Lines that are kept, with their connections.
  private static let mostSpare = 32
  /// A store may ask to repeat a PUT that came together with another one.
  private static let conflicts = 4
  /// The most attempts at a request while the store is too busy.
  private static let tries = 4
  private static let pauses = Backoff(.milliseconds(200), to: .seconds(2))
  /// The number of times that a transfer that is cut off is continued.
  private static let cuts = 8

  private var place: StorePlace { settings.place }

  package init(_ settings: StoreSettings) { self.settings = settings }

  package func create(
    _ key: ObjectKey, of file: any OpenFile, _ contents: ObjectContents
  ) throws(Failure) -> Bool {
    var request = StoreRequest(.put, place.text(of: key))
    request.source = (file, contents.size)
    request.digest = String(hex: contents.sha256)
    request.headers = [
      "If-None-Match: *", "Content-Type: \(Self.type(of: key))",
      "x-amz-checksum-sha256: \(Base64.text(contents.sha256))",
    ]
    var answer = StoreAnswer()
    for _ in 0..<Self.conflicts {
      answer = try run(request)
      switch answer.status {
      case 200, 201, 204: return true
      case 412:
        if try isTaken(key, answer) { return false }
        throw StoreTrouble.failure(answer, place)
      case 409: continue
      default: throw StoreTrouble.failure(answer, place)
      }
    }
    throw StoreTrouble.failure(answer, place)
  }

  /// True if the store itself says that the key is taken. A proxy may answer like it.
  private func isTaken(_ key: ObjectKey, _ answer: StoreAnswer) throws(Failure) -> Bool {
    if StoreTrouble.code(answer) == "PreconditionFailed" { return true }
    return try size(of: key) != nil
  }

  package func fetch(
    _ key: ObjectKey, into file: any OpenFile, upTo limit: UInt64
  ) throws(Failure) -> Bool {
    var (end, total, etag, sum, cuts) = (UInt64(0), UInt64?.none, "", String?.none, 0)
    while true {
      var request = StoreRequest(.get, place.text(of: key))
      request.target = (file, end, limit)
      request.headers = ["x-amz-checksum-mode: ENABLED"]
      if end > 0 { request.headers.append("Range: bytes=\(end)-") }
      let answer = try runPatiently(request)
      if end == 0, answer.failure == nil, answer.status == 404, !Self.isBucketMissing(answer) {
        return false
      }
      guard answer.status == (end == 0 ? 200 : 206),
        end == 0 || answer.continues(at: end, of: total, etag)
      else { throw answer.failure ?? StoreTrouble.failure(answer, place) }
      if end == 0 { (total, etag, sum) = (answer.length, answer.etag, answer.sha256) }
      end += answer.received
      guard let failure = answer.failure else {
        guard let total else { throw StoreTrouble.endless(key, place) }
        guard total == end else { throw StoreTrouble.damaged(key, place) }
        // The sum of an object in several parts is not the sum of its bytes.
        if let sum, !sum.contains("-") { try check(file, end, sum, key) }
        return true
      }
      // The rest follows, if the object can be recognised.
      cuts += 1
      guard failure.code == StoreTrouble.unreachable, end > 0, total != nil, !etag.isEmpty,
        cuts <= Self.cuts
      else { throw failure }
    }
  }

  /// - Parameter sum: base64, as the store has it.
  private func check(
    _ file: any OpenFile, _ size: UInt64, _ sum: String, _ key: ObjectKey
  ) throws(Failure) {
    let digest = try asMachine { () throws(SystemError) in
      try FileCopy.digest(of: file, size: size)
    }
    if Base64.text(digest.bytes) != sum { throw StoreTrouble.damaged(key, place) }
  }

  package func size(of key: ObjectKey) throws(Failure) -> UInt64? {
    let answer = try run(StoreRequest(.head, place.text(of: key)))
    switch answer.status {
    case 200: return answer.length ?? 0
    case 404: return nil
    default: throw StoreTrouble.failure(answer, place)
    }
  }

  package func keys(
    beginningWith key: ObjectKey, most: Int
  ) throws(Failure) -> [ObjectKey] {
    let prefix = Array(place.prefix.utf8)
    // In the order of the signature.
    let start = HexDigits.percentEncoded(prefix + key.bytes)
    let query = "encoding-type=url&list-type=2&max-keys=\(min(most, 1000))&prefix=\(start)"
    let answer = try run(StoreRequest(.get, "\(place.bucketURL)?\(query)"))
    guard answer.status == 200 else { throw StoreTrouble.failure(answer, place) }
    guard let keys = StoreDocument.keys(answer.message),
      keys.allSatisfy({ $0.starts(with: prefix + key.bytes) })
    else {
      throw Failure(
        .machine, scope: .one, code: "store.answer",
        reason: "the store at \(place.server) answers with a listing that cannot be read")
    }
    return keys.map { ObjectKey(listed: Array($0.dropFirst(prefix.count))) }
  }

  package func remove(_ key: ObjectKey) throws(Failure) {
    let answer = try run(StoreRequest(.delete, place.text(of: key)))
    guard
      [200, 204].contains(answer.status) || answer.status == 404 && !Self.isBucketMissing(answer)
    else { throw StoreTrouble.failure(answer, place) }
  }

  // MARK: requests

  /// The whole answer.
  private func run(_ request: StoreRequest) throws(Failure) -> StoreAnswer {
    let answer = try runPatiently(request)
    if let failure = answer.failure { throw failure }
    return answer
  }

  /// A store that is busy now may take the same request a moment later.
  private func runPatiently(_ request: StoreRequest) throws(Failure) -> StoreAnswer {
    var pauses = Self.pauses
    for _ in 1..<Self.tries {
      let answer = runToEnd(request)
      guard answer.failure == nil, StoreTrouble.isBusy(answer) else { return answer }
      let pause = pauses.take()
      try rest(min(answer.retryAfter.map { .seconds(Int64($0)) } ?? pause, pauses.longest))
    }
    return runToEnd(request)
  }

  /// The pause is cut into pieces, because the end of the task does not wake the thread.
  private func rest(_ time: Duration) throws(Failure) {
    let bell = ThreadSignal()
    var left = time
    while left > .zero {
      if Task.isCancelled { throw .cancelled }
      let piece = min(left, .milliseconds(100))
      _ = bell.wait(atMost: piece)
      left -= piece
    }
  }

  private func runToEnd(_ request: StoreRequest) -> StoreAnswer {
    if Task.isCancelled { return StoreAnswer(failure: .cancelled) }
    guard let line = spare.withLock({ $0.popLast() }) ?? StoreLine() else {
      return StoreAnswer(failure: TransferEnding.resources)
    }
    defer { spare.withLock { if $0.count < Self.mostSpare { $0.append(line) } } }
    return line.run(request, settings)
  }

  private static func isBucketMissing(_ answer: StoreAnswer) -> Bool {
    StoreTrouble.code(answer) == "NoSuchBucket"
  }

  /// For those who read the prints from the store.
  private static func type(of key: ObjectKey) -> String {
    if key.bytes.ends(with: ".jpg") { return "image/jpeg" }
    return key.bytes.ends(with: ".png") ? "image/png" : "application/octet-stream"
  }
}

extension [UInt8] {
  fileprivate func ends(with text: StaticString) -> Bool {
    suffix(text.utf8CodeUnitCount).elementsEqual("\(text)".utf8)
  }
}
