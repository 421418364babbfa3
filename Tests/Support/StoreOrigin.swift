// SPDX-License-Identifier: Apache-2.0
// Runs `store.py` for tests: an object store that speaks S3, and misbehaves on demand. Concurrency:
// one Mutex around the helper, so that each answer is that of its command. A call waits for it in
// the calling thread: the store answers at once, whatever its requests do.

import Foundation
import Synchronization

package final class StoreOrigin: Sendable {
  /// See `store.py`.
  package enum Fault: String, CaseIterable, Sendable {
    case lost, drop, stall, busy, error, conflict, forbid, region, half, flip, proxy
  }

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  package let port: Int
  /// The bucket, without a slash at its end.
  package let url: String
  package let folder: String
  package let key: String
  package let secret: String
  private let process: Mutex<HelperProcess>
  private let log: String?

  /// Objects are files in `folder`; a later store with the same folder has them, too.
  ///
  /// - Parameters:
  ///   - log: gets a line for each request.
  ///   - port: 0 for any.
  ///   - isCareless: it ignores If-None-Match, as older stores do.
  package init(
    folder: String, log: String? = nil, port wish: Int = 0, key: String = "darkroom-test",
    secret: String = "a/secret+of=tests", region: String = "us-east-1", isCareless: Bool = false
  ) throws {
    var arguments = ["python3", Repository.path("Tests/Support/store.py"), "--folder", folder]
    arguments += ["--port", "\(wish)", "--key", key, "--secret", secret, "--region", region]
    if let log { arguments += ["--log", log] }
    if isCareless { arguments.append("--careless") }
    let helper = try HelperProcess(arguments)
    guard let line = helper.readLine(), let port = Int(line.dropFirst("ready ".count)) else {
      throw OriginProblem(text: "the store did not start")
    }
    (self.port, self.folder, self.key, self.secret) = (port, folder, key, secret)
    self.log = log
    url = "http://127.0.0.1:\(port)/photos"
    process = Mutex(helper)
  }

  /// The next requests meet the fault; a `count` of -1 is all of them, 0 ends the fault and releases
  /// stalled requests.
  ///
  /// - Parameters:
  ///   - method: nil for any; `LIST` for a listing.
  ///   - key: a part of the key, or of the query of a listing.
  package func fault(
    _ fault: Fault, count: Int = 1, method: String? = nil, key: String = ""
  ) {
    ask("fault \(fault.rawValue) \(count) \(method ?? "*") \(Self.encoded(key))")
  }

  /// The number of requests that have come; a stalled one counts.
  package func count(_ method: String, _ substring: String = "") -> Int {
    ask("count \(method) \(Self.encoded(substring))").flatMap { Int($0) } ?? -1
  }

  /// Returns once there has been such a request.
  package func awaitRequest(_ method: String) { ask("await \(method)") }

  /// Stores an object directly, without a checksum.
  package func put(_ key: String, _ text: String) {
    ask("put \(Self.encoded(key)) \(Self.encoded(text))")
  }

  /// In the order of their bytes.
  package var keys: [String] {
    let text = ask("keys") ?? ""
    return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
  }

  /// The most requests that were in work at one time.
  package var peak: Int { ask("peak").flatMap { Int($0) } ?? -1 }

  /// The requests that have been answered, as lines of JSON.
  package func requests() -> [String] {
    let text = log.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  /// The contents of an object; nil if there is none.
  package func object(_ key: String) -> [UInt8]? {
    FileManager.default.contents(atPath: "\(folder)/\(Self.fileName(key))").map { Array($0) }
  }

  /// The same with bytes.
  package func put(_ key: String, _ bytes: [UInt8]) throws {
    let path = "\(folder)/\(Self.fileName(key))"
    try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Removes an object directly.
  package func remove(_ key: String) throws {
    try FileManager.default.removeItem(atPath: "\(folder)/\(Self.fileName(key))")
  }

  /// Returns when it has ended.
  package func stop() {
    process.withLock { process in
      process.closeInput()
      while process.readLine() != nil {}
    }
  }

  @discardableResult
  private func ask(_ words: String) -> String? {
    process.withLock { process in
      process.write("\(words)\n")
      return process.readLine()
    }
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// As `Objects.path` in `store.py` does.
  private static func fileName(_ key: String) -> String {
    let name = Array(encoded(key))
    let pieces = stride(from: 0, to: name.count, by: 200).map { start in
      let piece = String(name[start..<min(start + 200, name.count)])
      return piece.hasPrefix(".") ? "%2E" + piece.dropFirst() : piece
    }
    return pieces.joined(separator: "%/")
  }
}
