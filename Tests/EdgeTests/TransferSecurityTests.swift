// SPDX-License-Identifier: Apache-2.0
// TLS with a certificate made for the test, which is trusted only if it is named, and only for its
// host; and HTTP/2.

import CCurl
import Linux
import Support
import Testing
import Transfer
import Vocabulary

struct TransferSecurityTests {
  private static func certificate(in fresh: FreshFolder) async -> Bool {
    await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
      "/CN=origin", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(fresh.path)/key",
      "-out", "\(fresh.path)/certificate",
    ]) == 0
  }

  private func bench(trusting: Bool) async throws -> TransferBench {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    let settings = try TransferBench.loopback { settings in
      if trusting { settings.authorities = "\(fresh.path)/certificate" }
    }
    return try TransferBench(
      settings, certificate: "\(fresh.path)/certificate", key: "\(fresh.path)/key", in: fresh)
  }

  @Test func `An untrusted certificate is refused`() async throws {
    let bench = try await bench(trusting: false)
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "tls.self-signed")
    #expect(failure?.kind == .final)
    #expect(bench.origin.requests().isEmpty)
  }

  @Test func `A certificate from an unknown authority is told from a self-signed one`() async throws
  {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    let signed = await HelperProcess.status(of: [
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
      "/CN=leaf", "-addext", "subjectAltName=IP:127.0.0.1", "-CA", "\(fresh.path)/certificate",
      "-CAkey", "\(fresh.path)/key", "-keyout", "\(fresh.path)/leaf.key", "-out",
      "\(fresh.path)/leaf",
    ])
    guard signed == 0 else { try Test.cancel("openssl could not sign a certificate here") }
    let bench = try TransferBench(
      certificate: "\(fresh.path)/leaf", key: "\(fresh.path)/leaf.key", in: fresh)
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "tls.issuer" && failure?.kind == .final)
  }

  @Test func `A trusted certificate is valid for its host and for no other`() async throws {
    let bench = try await bench(trusting: true)
    let reply = try await bench.fetch(url: bench.origin.url("/barn.jpg", scheme: "https"))
    #expect(reply.size == 19)
    let other = bench.origin.url("/barn.jpg", host: "localhost", scheme: "https")
    let failure = await bench.failure(other)
    await bench.stop()
    #expect(failure?.code == "tls.name")
  }

  @Test func `A redirect from https to http is not followed`() async throws {
    let bench = try await bench(trusting: true)
    let target = bench.origin.url("/barn.jpg")
    let failure = await bench.failure(
      bench.origin.url("/redirect?to=\(target)", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "redirect.insecure")
    #expect(bench.origin.requests().count == 1)
  }

  @Test(arguments: [
    ("ECDHE-RSA-AES128-GCM-SHA256", nil), ("DHE-RSA-AES128-GCM-SHA256", "tls.failed"),
  ])
  func `a server does not choose the numbers of a handshake`(cipher: String, code: String?)
    async throws
  {
    let fresh = try FreshFolder()
    let group = await HelperProcess.status(of: [
      "openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "dh_param:ffdhe2048",
      "-out", "\(fresh.path)/group",
    ])
    guard await Self.certificate(in: fresh), group == 0 else {
      try Test.cancel("openssl could not make a certificate and a group here")
    }
    try fresh.write(Array("a picture of a barn".utf8), to: "served/barn.jpg")
    let origin = try Origin(
      folder: "\(fresh.path)/served", log: "\(fresh.path)/log",
      certificate: "\(fresh.path)/certificate", key: "\(fresh.path)/key",
      more: ["--ciphers", cipher, "--groups", "\(fresh.path)/group"])
    let loop = try TransferLoop(
      TransferBench.loopback { $0.authorities = "\(fresh.path)/certificate" })
    let request = try TransferRequest(
      url: origin.url("/barn.jpg", scheme: "https"), maximumSize: 1000,
      timeout: Patience.time * 2, connectTimeout: .seconds(120), priority: .default)
    var failure: Failure?
    do { _ = try await loop.fetch(request, into: SlowSink(room: 1000)) } catch { failure = error }
    await loop.stop()
    origin.stop()
    #expect(failure?.code == code)
  }

  @Test func `a call for bytes ends with the records that are there`() throws {
    let tls = unsafe try #require(SSL_CTX_new(TLS_client_method()))
    defer { unsafe SSL_CTX_free(tls) }
    let (mode, options) = (SSL_CTRL_MODE, UInt64(1) << 30)
    #expect(unsafe SSL_CTX_ctrl(tls, mode, 0, nil) & Int(SSL_MODE_AUTO_RETRY) != 0)
    #expect(unsafe dr_curl_harden(nil, UnsafeMutableRawPointer(tls), nil) == CURLE_OK)
    #expect(unsafe SSL_CTX_ctrl(tls, mode, 0, nil) & Int(SSL_MODE_AUTO_RETRY) == 0)
    // SSL_OP_NO_RENEGOTIATION.
    #expect(unsafe SSL_CTX_get_options(tls) & options != 0)
  }

  @Test func `Plain HTTP on the other side fails the secure connection`() async throws {
    let bench = try TransferBench()
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    await bench.stop()
    #expect(failure?.code == "tls.failed")
    #expect(failure?.kind == .passing)
  }

  /// A certificate that was valid for one day, years ago; `openssl req` cannot make one.
  private static func expiredCertificate(in fresh: FreshFolder) async throws -> Bool {
    try fresh.write(
      Array(
        """
        [ca]
        default_ca = past
        [past]
        database = \(fresh.path)/index
        new_certs_dir = \(fresh.path)
        serial = \(fresh.path)/serial
        default_md = sha256
        policy = any
        x509_extensions = names
        [any]
        commonName = supplied
        [names]
        subjectAltName = IP:127.0.0.1

        """.utf8), to: "authority")
    try fresh.write([], to: "index")
    try fresh.write(Array("01\n".utf8), to: "serial")
    let request = await HelperProcess.status(of: [
      "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=origin", "-keyout",
      "\(fresh.path)/key", "-out", "\(fresh.path)/request",
    ])
    let signed = await HelperProcess.status(of: [
      "openssl", "ca", "-batch", "-selfsign", "-config", "\(fresh.path)/authority", "-in",
      "\(fresh.path)/request", "-keyfile", "\(fresh.path)/key", "-startdate", "20200101000000Z",
      "-enddate", "20200102000000Z", "-out", "\(fresh.path)/certificate", "-notext",
    ])
    return request == 0 && signed == 0
  }

  @Test func `An expired certificate is refused although its issuer is trusted`() async throws {
    let fresh = try FreshFolder()
    guard try await Self.expiredCertificate(in: fresh) else {
      try Test.cancel("openssl could not make an old certificate here")
    }
    let settings = try TransferBench.loopback { $0.authorities = "\(fresh.path)/certificate" }
    let bench = try TransferBench(
      settings, certificate: "\(fresh.path)/certificate", key: "\(fresh.path)/key", in: fresh)
    let failure = await bench.failure(bench.origin.url("/barn.jpg", scheme: "https"))
    #expect(try await bench.closesFiles())
    await bench.stop()
    #expect(failure?.code == "tls.expired" && failure?.kind == .final)
    #expect(bench.origin.requests().isEmpty)
  }

  @Test func `Over TLS, too, the rest is requested and joined`() async throws {
    let bench = try await bench(trusting: true)
    let url = bench.origin.url("/entity?key=k&size=1000", scheme: "https")
    let file = try bench.fresh.folder.open(FileName(literal: "photo"), .create)
    _ = try? await bench.fetch(url: url, into: file)
    let entity = EntityFacts(
      etag: "\"v1\"", total: 1000, place: url)
    let reply = try await bench.loop.fetch(
      TransferRequest(
        url: url, maximumSize: 1 << 20, timeout: .seconds(600), connectTimeout: .seconds(120),
        priority: .default, scope: .rest(of: entity, from: 500)), into: file)
    await bench.stop()
    #expect((reply.status, reply.size) == (206, 1000))
    #expect(bench.fresh.bytes(of: "photo")?.count == 1000)
  }

  @Test func `Over TLS, too, a body with many pauses is whole`() async throws {
    let bench = try await bench(trusting: true)
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try bench.fresh.write(body, to: "served/large.jpg")
    let sink = SlowSink(room: 0)
    let granting = sink.trickle(16384)
    let request = try TransferRequest(
      url: bench.origin.url("/large.jpg", scheme: "https"), maximumSize: 1 << 20,
      timeout: .seconds(600), connectTimeout: .seconds(120), priority: .default)
    #expect(try await bench.loop.fetch(request, into: sink).size == 300_000)
    granting.cancel()
    await bench.stop()
    #expect(sink.bytes == body)
  }

  @Test func `Over HTTP/2 transfers that share a connection pause separately`() async throws {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    let body = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try fresh.write(body, to: "served/photo.jpg")
    guard let origin = await MultiplexOrigin.start(fresh) else {
      try Test.cancel("nghttpd (package nghttp2-server) is not here to speak HTTP/2")
    }
    let loop = try TransferLoop(
      TransferBench.loopback { settings in
        settings.authorities = "\(fresh.path)/certificate"
        (settings.connections, settings.connectionsPerHost) = (10, 10)
      })
    let request = try TransferRequest(
      url: "https://127.0.0.1:\(origin.port)/photo.jpg", maximumSize: 1 << 20,
      timeout: .seconds(600), connectTimeout: .seconds(120), priority: .default)
    await withTaskGroup(of: Void.self) { group in
      for number in 1...10 {
        group.addTask {
          let sink = SlowSink(room: number.isMultiple(of: 3) ? .max : 0)
          let granting = sink.trickle(16384 * number)
          let reply = try? await loop.fetch(request, into: sink)
          granting.cancel()
          #expect(reply?.size == 600_000)
          #expect(sink.bytes == body)
        }
      }
    }
    await loop.stop()
    #expect(origin.connections() == 1)
    origin.stop()
  }

  /// The end of a transfer leaves libcurl's buffer with its handle while others use the connection.
  @Test func `Over HTTP/2 a handle serves other terms beside an open transfer`() async throws {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    try fresh.write([UInt8](repeating: 7, count: 300_000), to: "served/photo.jpg")
    guard let origin = await MultiplexOrigin.start(fresh) else {
      try Test.cancel("nghttpd (package nghttp2-server) is not here to speak HTTP/2")
    }
    let loop = try TransferLoop(
      TransferBench.loopback { settings in
        settings.authorities = "\(fresh.path)/certificate"
        (settings.connections, settings.connectionsPerHost) = (2, 2)
      })
    let requests = try (60...63).map { seconds in
      try TransferRequest(
        url: "https://127.0.0.1:\(origin.port)/photo.jpg", maximumSize: 1 << 20,
        timeout: .seconds(seconds), connectTimeout: .seconds(60), priority: .default)
    }
    let sink = SlowSink(room: 0)
    async let held = loop.fetch(requests[0], into: sink)
    #expect(await sink.refused())
    for request in requests {
      let reply = try? await loop.fetch(request, into: SlowSink(room: .max))
      #expect(reply?.size == 300_000)
    }
    sink.grant(.max)
    #expect(try await held.size == 300_000)
    await loop.stop()
    #expect(origin.connections() == 1)
    origin.stop()
  }

  @Test func `Over HTTP/2 many transfers share a connection`() async throws {
    let fresh = try FreshFolder()
    guard await Self.certificate(in: fresh) else {
      try Test.cancel("openssl could not make a certificate here")
    }
    try fresh.write([UInt8](repeating: 7, count: 30_000), to: "served/photo.jpg")
    guard let origin = await MultiplexOrigin.start(fresh) else {
      try Test.cancel("nghttpd (package nghttp2-server) is not here to speak HTTP/2")
    }
    let loop = try TransferLoop(
      TransferBench.loopback { settings in
        settings.authorities = "\(fresh.path)/certificate"
        (settings.connections, settings.connectionsPerHost) = (40, 40)
      })
    let url = "https://127.0.0.1:\(origin.port)/photo.jpg"
    let urls = [String](repeating: url, count: 40)
    for await ending in try loop.begin(urls, in: fresh) {
      let reply = try ending.get()
      #expect(reply.size == 30_000 && reply.isEndSure)
    }
    await loop.stop()
    for number in 0..<40 { #expect(fresh.bytes(of: "photo-\(number)")?.count == 30_000) }
    #expect(origin.connections() == 1)
    origin.stop()
  }
}
