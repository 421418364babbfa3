// SPDX-License-Identifier: Apache-2.0
// The client of an object store, against a strict one.

import Digests
import Foundation
import Linux
import Support
import Testing
import Transfer
import Vocabulary

@Suite struct BucketStoreTests {
  /// An origin, a store of it, and files to send.
  struct Bench {
    let origin: StoreOrigin
    let fresh: FreshFolder

    func store(
      prefix: String = "", secret: String? = nil, region: String = "us-east-1"
    ) throws -> BucketStore {
      let login = try #require(
        StoreLogin(Array("\(origin.key):\(secret ?? origin.secret)".utf8)))
      return BucketStore(
        StoreSettings(
          try StorePlace(parsing: origin.url + prefix), login, region: region, userAgent: "test"))
    }

    func file(_ bytes: [UInt8]) throws -> (any OpenFile, ObjectContents) {
      let file = try fresh.open("file-\(UUID())")
      try file.write(bytes, at: 0)
      let digest = SHA256.digest(of: bytes)
      return (file, ObjectContents(size: UInt64(bytes.count), sha256: digest.bytes))
    }

    func create(_ text: String, as key: ObjectKey, in store: BucketStore) throws -> Bool {
      let (file, contents) = try file(Array(text.utf8))
      return try store.create(key, of: file, contents)
    }

    /// Nil if there is no such object.
    func fetch(_ key: ObjectKey, from store: BucketStore) throws -> [UInt8]? {
      let (file, _) = try file([])
      guard try store.fetch(key, into: file, upTo: 64 << 20) else { return nil }
      return try file.read(at: 0, upTo: 64 << 20)
    }
  }

  private let barn = ObjectKey(FileName(literal: "prints"), FileName(literal: "barn.jpg"))

  private func use(_ body: (Bench) async throws -> Void) async throws {
    let fresh = try FreshFolder()
    let objects = "\(fresh.path)/objects"
    try FileManager.default.createDirectory(atPath: objects, withIntermediateDirectories: false)
    let origin = try StoreOrigin(folder: objects, log: "\(fresh.path)/log")
    defer { origin.stop() }
    try await body(Bench(origin: origin, fresh: fresh))
  }

  /// The failure of a call that must fail.
  private func failure(_ act: () throws -> Void) throws -> Failure {
    do { try act() } catch let failure as Failure { return failure }
    Issue.record("it did not fail")
    return .cancelled
  }

  // MARK: objects

  @Test func `an object is made once, and the first one stays`() async throws {
    try await use { bench in
      let store = try bench.store()
      #expect(try bench.create("first", as: barn, in: store))
      #expect(try !bench.create("second", as: barn, in: store))
      #expect(bench.origin.object("prints/barn.jpg") == Array("first".utf8))
      #expect(try bench.fetch(barn, from: store) == Array("first".utf8))
      #expect(try store.size(of: barn) == 5)
    }
  }

  @Test func `of 24 writers of one key at once, one has made the object`() async throws {
    try await use { bench in
      let store = try bench.store()
      let files = try (1...24).map { try bench.file(Array("writer \($0)".utf8)) }
      let made = try await withThrowingTaskGroup(of: Int?.self) { group in
        for (number, (file, contents)) in files.enumerated() {
          group.addTask {
            try await onOwnThread { try store.create(barn, of: file, contents) ? number + 1 : nil }
          }
        }
        return try await group.reduce(into: []) { all, number in
          if let number { all.append(number) }
        }
      }
      #expect(made.count == 1)
      #expect(bench.origin.object("prints/barn.jpg") == Array("writer \(made[0])".utf8))
    }
  }

  @Test(arguments: [
    "plain", "two words", "Größe", "a+b&c=d", "50%", "~3", "写真", "\"quoted\" <x>", "e\u{301}",
    "..jpg",
    "a?b#c", "(1)!*'", "\u{FFFE}",
  ])
  func `a name of any characters is kept, listed and removed`(name: String) async throws {
    try await use { bench in
      let store = try bench.store(prefix: "/deep/er")
      let (folder, file) = (FileName(made: "list of \(name)"), FileName(made: name))
      let key = ObjectKey(folder, file)
      #expect(try bench.create(name, as: key, in: store))
      #expect(bench.origin.keys == ["deep/er/list of \(name)/\(name)"])
      #expect(try bench.fetch(key, from: store) == Array(name.utf8))
      #expect(try store.keys(beginningWith: .folder(folder), most: 10) == [key])
      try store.remove(key)
      try store.remove(key)
      #expect(bench.origin.keys.isEmpty)
    }
  }

  @Test func `what is missing is missing, and not an error`() async throws {
    try await use { bench in
      let store = try bench.store()
      #expect(try bench.fetch(barn, from: store) == nil)
      #expect(try store.size(of: barn) == nil)
      #expect(try store.keys(beginningWith: barn, most: 10).isEmpty)
    }
  }

  @Test func `a listing has the objects of one folder, at most a thousand, in order`() async throws
  {
    try await use { bench in
      let store = try bench.store(prefix: "/home")
      let folder = ObjectKey.folder(FileName(literal: "prints"), FileName(literal: "summer"))
      for number in 1...1003 { bench.origin.put("home/prints/summer/\(number + 1000)", "x") }
      for other in ["home/prints/summer!/1", "home/prints/summer~2/1", "prints/summer/1"] {
        bench.origin.put(other, "y")
      }
      let all = try store.keys(beginningWith: folder, most: 5000).map(\.description)
      #expect(all == (1...1000).map { "prints/summer/\($0 + 1000)" })
      #expect(try store.keys(beginningWith: folder, most: 1).count == 1)
    }
  }

  @Test func `empty and long objects keep their bytes`() async throws {
    try await use { bench in
      let store = try bench.store()
      let long = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      for (name, bytes) in [("empty", []), ("long", long)] {
        let key = ObjectKey(FileName(made: name))
        let (file, contents) = try bench.file(bytes)
        #expect(try store.create(key, of: file, contents))
        #expect(try bench.fetch(key, from: store) == bytes)
        #expect(try store.size(of: key) == UInt64(bytes.count))
      }
    }
  }

  // MARK: faults

  @Test func `a transfer that is cut off goes on where it was`() async throws {
    try await use { bench in
      let store = try bench.store()
      let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 >> 5) }
      let (file, contents) = try bench.file(bytes)
      #expect(try store.create(barn, of: file, contents))
      bench.origin.fault(.half, count: 3, method: "GET")
      #expect(try bench.fetch(barn, from: store) == bytes)
      let ranges = bench.origin.requests().filter { $0.contains("bytes=") }
      #expect(ranges.count == 3, "\(ranges)")
    }
  }

  @Test func `a byte that has changed on the way is noticed, if the store keeps the sum`()
    async throws
  {
    try await use { bench in
      let store = try bench.store()
      #expect(try bench.create("some bytes", as: barn, in: store))
      bench.origin.fault(.flip, count: 1, method: "GET")
      let trouble = try failure { _ = try bench.fetch(barn, from: store) }
      #expect(trouble.code == "store.damaged" && trouble.scope == .one, "\(trouble)")
      #expect(try bench.fetch(barn, from: store) == Array("some bytes".utf8))
    }
  }

  @Test func `an answer that a proxy gives for the store says nothing about the object`()
    async throws
  {
    try await use { bench in
      let store = try bench.store()
      bench.origin.fault(.proxy, count: 1, method: "PUT")
      let trouble = try failure { _ = try bench.create("first", as: barn, in: store) }
      #expect(trouble.code == "store.answer" && trouble.scope == .one, "\(trouble)")
      #expect(try bench.create("first", as: barn, in: store))
      bench.origin.fault(.proxy, count: 1, method: "PUT")
      #expect(try !bench.create("second", as: barn, in: store), "the key is taken")
      bench.origin.fault(.proxy, count: 1, method: "GET")
      let unread = try failure { _ = try bench.fetch(barn, from: store) }
      #expect(unread.code == "store.answer" && unread.scope == .one, "\(unread)")
    }
  }

  @Test func `an object that is longer than it may be is not fetched`() async throws {
    try await use { bench in
      let store = try bench.store()
      #expect(try bench.create("0123456789", as: barn, in: store))
      let (file, _) = try bench.file([])
      let trouble = try failure { _ = try store.fetch(barn, into: file, upTo: 9) }
      #expect(trouble.scope == .one && trouble.reason.contains("9 bytes"), "\(trouble)")
      #expect(try file.status().size == 0)
      #expect(try store.fetch(barn, into: file, upTo: 10))
    }
  }

  @Test func `a store that is busy for a moment is asked again`() async throws {
    try await use { bench in
      let store = try bench.store()
      bench.origin.fault(.busy, count: 2)
      #expect(try bench.create("x", as: barn, in: store))
      bench.origin.fault(.error, count: 2)
      #expect(try bench.fetch(barn, from: store) == Array("x".utf8))
      #expect(bench.origin.count("PUT") == 3 && bench.origin.count("GET") == 3)
    }
  }

  @Test func `after an answer that was lost, the object is the caller's`() async throws {
    try await use { bench in
      let store = try bench.store()
      // libcurl repeats a request on a connection that was kept.
      bench.origin.fault(.lost, count: 1, method: "PUT")
      let lost = try? bench.create("mine", as: barn, in: store)
      #expect(lost != true)
      #expect(try !bench.create("mine", as: barn, in: store))
      #expect(bench.origin.object("prints/barn.jpg") == Array("mine".utf8))
    }
  }

  @Test func `a PUT that came together with another one is repeated`() async throws {
    try await use { bench in
      let store = try bench.store()
      bench.origin.fault(.conflict, count: 2, method: "PUT")
      #expect(try bench.create("mine", as: barn, in: store))
      #expect(bench.origin.count("PUT") == 3)
      bench.origin.fault(.conflict, count: -1, method: "PUT")
      let other = ObjectKey(FileName(literal: "other"))
      let trouble = try failure { _ = try bench.create("x", as: other, in: store) }
      #expect(trouble.kind == .machine)
      #expect(bench.origin.keys == ["prints/barn.jpg"])
    }
  }

  @Test(arguments: [
    (StoreOrigin.Fault.busy, "store.busy", "503 (SlowDown"),
    (.error, "store.busy", "500 (InternalError"), (.forbid, "store.refused", "403 (AccessDenied"),
    (.region, "store.refused", "AuthorizationHeaderMalformed"),
    (.drop, "store.unreachable", "cannot be reached"),
  ])
  func `a refusal of the store is trouble of this machine, and says what the store says`(
    fault: StoreOrigin.Fault, code: String, words: String
  ) async throws {
    try await use { bench in
      let store = try bench.store()
      bench.origin.fault(fault, count: -1)
      let (file, contents) = try bench.file([1, 2, 3])
      let calls: [() throws -> Void] = [
        { _ = try store.create(barn, of: file, contents) },
        { _ = try bench.fetch(barn, from: store) },
        { _ = try store.keys(beginningWith: barn, most: 10) }, { try store.remove(barn) },
      ]
      for (place, call) in calls.enumerated() {
        let trouble = try failure(call)
        #expect(trouble.kind == .machine, "call \(place)")
        #expect(trouble.code == code, "call \(place)")
        #expect(trouble.reason.contains(words), "call \(place): \(trouble.reason)")
      }
      bench.origin.fault(fault, count: 0)
      #expect(bench.origin.keys.isEmpty)
      #expect(try store.create(barn, of: file, contents))
    }
  }

  @Test func `a wrong key, region or bucket is told with what to set`() async throws {
    try await use { bench in
      let wrong = [
        (try bench.store(secret: "another"), "store.refused", "BlobCredentials="),
        (try bench.store(region: "eu-central-1"), "store.refused", "BlobRegion="),
      ]
      for (store, code, advice) in wrong {
        let trouble = try failure { _ = try bench.create("x", as: barn, in: store) }
        #expect(trouble.code == code && trouble.advice.contains(advice), "\(trouble.words)")
        #expect(!trouble.words.contains("another"))
      }
      let login = try #require(StoreLogin(Array("\(bench.origin.key):\(bench.origin.secret)".utf8)))
      let elsewhere = BucketStore(
        StoreSettings(
          try StorePlace(parsing: "http://127.0.0.1:\(bench.origin.port)/elsewhere"), login,
          region: "us-east-1"))
      for call in [
        { _ = try bench.create("x", as: barn, in: elsewhere) },
        {
          _ = try bench.fetch(barn, from: elsewhere)
        },
      ] as [() throws -> Void] {
        let trouble = try failure(call)
        #expect(trouble.code == "store.missing" && trouble.reason.contains("elsewhere"))
      }
    }
  }

  @Test func `a file that is not what was announced is not stored`() async throws {
    try await use { bench in
      let store = try bench.store()
      let (file, contents) = try bench.file(Array("as announced".utf8))
      try file.write(Array("AS".utf8), at: 0)
      let changed = try failure { _ = try store.create(barn, of: file, contents) }
      #expect(changed.kind == .machine)
      try file.truncate(to: 3)
      let short = try failure { _ = try store.create(barn, of: file, contents) }
      #expect(short.kind == .machine && short.reason.contains("shorter"))
      #expect(bench.origin.keys.isEmpty)
    }
  }

  @Test func `a store that hangs does not hold up the end of a task`() async throws {
    try await use { bench in
      let store = try bench.store()
      let (file, contents) = try bench.file([1, 2, 3])
      bench.origin.fault(.stall, count: -1, method: "PUT")
      let task = Task.detached { () -> Failure? in
        do throws(Failure) {
          _ = try store.create(barn, of: file, contents)
          return nil
        } catch { return error }
      }
      try await onOwnThread {
        bench.origin.awaitRequest("PUT")
        task.cancel()
      }
      #expect(await task.value == .cancelled)
      bench.origin.fault(.stall, count: 0)
    }
  }

  @Test func `a listing that is none is refused`() async throws {
    // The answer of a web server that knows no S3.
    let fresh = try FreshFolder()
    try fresh.write(Array("<html><body>hello</body></html>".utf8), to: "bucket")
    let origin = try Origin(folder: fresh.path, log: "\(fresh.path)/log")
    defer { origin.stop() }
    let login = try #require(StoreLogin(Array("a:b".utf8)))
    let store = BucketStore(
      StoreSettings(try StorePlace(parsing: origin.url("/bucket")), login, region: "us-east-1"))
    let trouble = try failure { _ = try store.keys(beginningWith: barn, most: 10) }
    #expect(trouble.kind == .machine && trouble.code == "store.answer", "\(trouble)")
  }
}
