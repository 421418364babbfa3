// SPDX-License-Identifier: Apache-2.0
// The parts of a transfer test: an origin that misbehaves, the real loop, a folder for the bodies.

import Foundation
import Linux
import Support
import Transfer
import Vocabulary

extension FreshFolder {
  /// Opens a file for a body.
  func open(_ name: String) throws -> any OpenFile {
    guard let fileName = FileName(name) else { throw OriginProblem(text: "no file name: \(name)") }
    return try folder.open(fileName, .ensure)
  }
}

extension TransferRequest {
  /// Raises the failure of a URL that cannot be read.
  init(
    url: String, maximumSize: UInt64, timeout: Duration, connectTimeout: Duration,
    priority: ServiceClass, scope: TransferScope = .whole
  ) throws(Failure) {
    self.init(
      url: try PhotoURL(parsing: url), maximumSize: maximumSize, timeout: timeout,
      connectTimeout: connectTimeout, priority: priority, scope: scope)
  }
}

extension TransferLoop {
  /// Begins these transfers in order, each into `photo-N`, N from 0. All are requested without a
  /// suspension in between, so that no connection is closed as idle between two of them.
  func begin(_ urls: [String], in fresh: FreshFolder) throws
    -> some AsyncSequence<Result<TransferReply, Failure>, Never>
  {
    let files = try urls.indices.map { try fresh.open("photo-\($0)") }
    let (endings, ended) = AsyncStream.makeStream(of: Result<TransferReply, Failure>.self)
    for (url, file) in zip(urls, files) {
      let request = try TransferRequest(
        url: url, maximumSize: 1 << 20, timeout: Patience.time * 2, connectTimeout: .seconds(120),
        priority: .default)
      _ = begin(request, into: FileSink(file)) { ended.yield($0) }
    }
    return endings.prefix(urls.count)
  }
}

/// One bench for each test, with its own origin and loop, so that tests do not disturb each other.
final class TransferBench: Sendable {
  let fresh: FreshFolder
  let origin: Origin
  let loop: TransferLoop

  /// Settings that allow loopback, unless `change` sets other rules.
  static func loopback(_ change: (inout TransferSettings) -> Void = { _ in }) throws
    -> TransferSettings
  {
    var settings = TransferSettings(userAgent: "darkroom/test")
    // A transfer that waits at a gate of the origin waits for a test, which may be delayed.
    settings.slowestTime = Patience.time * 2
    settings.rules = try AddressRules(allow: ["127.0.0.0/8", "::1"], deny: [])
    change(&settings)
    return settings
  }

  init(
    _ settings: TransferSettings? = nil, address: String = "127.0.0.1", name: String = "transfers",
    certificate: String? = nil, key: String? = nil, in folder: FreshFolder? = nil
  ) throws {
    fresh = try folder ?? FreshFolder()
    try fresh.write(Array("a picture of a barn".utf8), to: "served/barn.jpg")
    origin = try Origin(
      folder: "\(fresh.path)/served", log: "\(fresh.path)/log", address: address,
      certificate: certificate, key: key)
    loop = try TransferLoop(settings ?? Self.loopback(), name: name)
  }

  func stop() async {
    await loop.stop()
    origin.stop()
  }

  func fetch(
    url: String, into name: String = "photo", maximumSize: UInt64 = 1 << 20,
    timeout: Duration = Patience.time * 2, priority: ServiceClass = .default
  ) async throws -> TransferReply {
    try await fetch(
      url: url, into: fresh.open(name), maximumSize: maximumSize, timeout: timeout,
      priority: priority)
  }

  func fetch(
    url: String, into file: any OpenFile, maximumSize: UInt64 = 1 << 20,
    timeout: Duration = Patience.time * 2, priority: ServiceClass = .default
  ) async throws -> TransferReply {
    let request = try TransferRequest(
      url: url, maximumSize: maximumSize, timeout: timeout, connectTimeout: .seconds(120),
      priority: priority)
    return try await loop.fetch(request, into: file)
  }

  /// Returns when the loop has this number of transfers, running or waiting.
  func loopHas(transfers count: Int) async throws {
    while loop.progress().count != count { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// The failure of the transfer, or nil.
  func failure(
    _ url: String, maximumSize: UInt64 = 1 << 20, timeout: Duration = Patience.time * 2
  ) async -> Failure? {
    do {
      _ = try await fetch(url: url, maximumSize: maximumSize, timeout: timeout)
      return nil
    } catch { return error as? Failure }
  }

  /// The number of sockets of this process that lead to the origin. The kernel's table is not a
  /// snapshot: lines are missed while others come and go, so the highest of three counts is taken.
  func connections() throws -> Int {
    try (0..<3).map { _ in try connectionsSeen() }.max() ?? 0
  }

  private func connectionsSeen() throws -> Int {
    let mine = try openThings().filter { $0.hasPrefix("socket:[") }
    // Reads in pieces: such a file has no size, and reading by size stops early.
    let bytes = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/net/tcp")).readToEnd()
    let table = String(decoding: bytes ?? Data(), as: UTF8.self)
    let port = String(origin.port, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 4 - port.count) + port
    return table.split(separator: "\n").dropFirst().filter { line in
      let fields = line.split(separator: " ")
      return fields.count > 9 && fields[2].hasSuffix(":" + padded)
        && mine.contains("socket:[\(fields[9])]")
    }.count
  }

  /// True if every file in the test's folder gets closed. A transfer is answered a moment before the
  /// loop closes its file.
  func closesFiles() async throws -> Bool {
    try await Patience.sees { try openFiles().isEmpty }
  }

  private func openFiles() throws -> [String] {
    try openThings().filter { $0.hasPrefix(fresh.path + "/") && !$0.hasSuffix("/log") }
  }

  private func openThings() throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
  }

  /// The number of threads of this process with this name.
  static func threads(named name: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { task in
      let words = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      return words == name + "\n"
    }.count
  }
}
